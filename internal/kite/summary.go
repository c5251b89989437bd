package kite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"

	kiteconnect "github.com/zerodha/gokiteconnect/v4"
)

// HoldingsSummary is the six totals over all holdings. It marshals as Kite's own object, or as one of the same shape
// when the totals had to be computed here.
type HoldingsSummary struct {
	InvestedAmount  Price
	CurrentValue    Price
	TotalPnL        Price
	TotalPnLPercent json.Number // percent
	TodayPnL        Price
	TodayPnLPercent json.Number // percent
	// Computed says that Kite has no such route and the totals come from the holdings.
	Computed bool
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is the object as sent by Kite, or as computed.
	Raw json.RawMessage
}

// MarshalJSON returns Raw.
func (s HoldingsSummary) MarshalJSON() ([]byte, error) { return rawObject(s.Raw), nil }

// HoldingsSummary reads the totals. Kite's numbers are passed through; only where the route does not exist are they
// computed from the holdings.
func (c *Client) HoldingsSummary(ctx context.Context) (HoldingsSummary, error) {
	raw, err := c.viaLibrary(ctx, "holdings summary", func(lib *kiteconnect.Client) { _, _ = lib.GetHoldingsSummary() })
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusNotFound {
		return c.computeSummary(ctx)
	}
	if err != nil {
		return HoldingsSummary{}, err
	}
	return readSummary(raw)
}

func readSummary(raw json.RawMessage) (HoldingsSummary, error) {
	r := readRow(raw)
	s := HoldingsSummary{
		InvestedAmount:  r.price("invested_amount"),
		CurrentValue:    r.price("current_value"),
		TotalPnL:        r.price("total_pnl"),
		TotalPnLPercent: r.exact("total_pnl_percent"),
		TodayPnL:        r.price("today_pnl"),
		TodayPnLPercent: r.exact("today_pnl_percent"),
		Raw:             raw,
	}
	s.Problems = r.problems
	if !r.has("invested_amount") && !r.has("current_value") {
		return HoldingsSummary{}, fmt.Errorf("read holdings summary: %w", emptyAnswer("holdings summary"))
	}
	return s, nil
}

func (c *Client) computeSummary(ctx context.Context) (HoldingsSummary, error) {
	holdings, err := c.Holdings(ctx)
	if err != nil {
		return HoldingsSummary{}, err
	}
	s, err := readSummary(sumHoldings(holdings))
	s.Computed = true
	return s, err
}

// sumHoldings adds up over every holding, with q = quantity + t1_quantity. The arithmetic is exact, also for average
// prices of more than four decimals and for fractional quantities; only the percentages are rounded, to six decimals.
func sumHoldings(holdings []Holding) json.RawMessage {
	invested, current, today := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, h := range holdings {
		r := readRow(h.Raw)
		q := new(big.Rat).Add(r.rat("quantity"), r.rat("t1_quantity"))
		last := r.rat("last_price")
		invested.Add(invested, new(big.Rat).Mul(r.rat("average_price"), q))
		current.Add(current, new(big.Rat).Mul(last, q))
		today.Add(today, new(big.Rat).Mul(new(big.Rat).Sub(last, r.rat("close_price")), q))
	}
	total := new(big.Rat).Sub(current, invested)
	before := new(big.Rat).Sub(current, today)
	return fmt.Appendf(nil,
		`{"total_pnl":%s,"total_pnl_percent":%s,"today_pnl":%s,"today_pnl_percent":%s,"invested_amount":%s,"current_value":%s}`,
		decimal(total, 10), percent(total, invested), decimal(today, 10), percent(today, before), decimal(invested, 10), decimal(current, 10))
}

// percent returns part/whole x 100, and 0 where there is no whole.
func percent(part, whole *big.Rat) string {
	if whole.Sign() == 0 {
		return "0"
	}
	ratio := new(big.Rat).Quo(part, whole)
	return decimal(ratio.Mul(ratio, big.NewRat(100, 1)), 6)
}

func decimal(r *big.Rat, places int) string {
	s := r.FloatString(places)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// rat reads a number without rounding; zero when it is missing or no number.
func (r *row) rat(key string) *big.Rat {
	n := r.number(key)
	if _, ok := parseDecimal(n); ok {
		if v, ok := new(big.Rat).SetString(string(n)); ok {
			return v
		}
	}
	return new(big.Rat)
}

// exact returns the digits of a number as sent; "0" when it is missing or no number.
func (r *row) exact(key string) json.Number {
	if !r.has(key) {
		return "0"
	}
	n := r.number(key)
	if _, ok := parseDecimal(n); !ok {
		r.bad(key)
		return "0"
	}
	return json.Number(n)
}
