package kite

import (
	"context"
	"encoding/json"
	"fmt"

	kiteconnect "github.com/zerodha/gokiteconnect/v4"
)

// Profile is the user behind the account. It marshals as Kite's own object.
type Profile struct {
	UserID       string
	UserName     string
	UserType     string
	Email        string
	Broker       string
	Exchanges    []string
	Products     []string
	OrderTypes   []string
	DematConsent string
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's object, unmodified.
	Raw json.RawMessage
}

// MarshalJSON returns Raw.
func (p Profile) MarshalJSON() ([]byte, error) { return rawObject(p.Raw), nil }

// Profile reads who is logged in.
func (c *Client) Profile(ctx context.Context) (Profile, error) {
	raw, err := c.viaLibrary(ctx, "profile", func(lib *kiteconnect.Client) { _, _ = lib.GetUserProfile() })
	if err != nil {
		return Profile{}, err
	}
	r := readRow(raw)
	p := Profile{
		UserID:     r.text("user_id"),
		UserName:   r.text("user_name"),
		UserType:   r.text("user_type"),
		Email:      r.text("email"),
		Broker:     r.text("broker"),
		Exchanges:  r.texts("exchanges"),
		Products:   r.texts("products"),
		OrderTypes: r.texts("order_types"),
		Raw:        raw,
	}
	meta := r.object("meta")
	p.DematConsent = meta.text("demat_consent")
	r.adopt("meta", meta)
	p.Problems = r.problems
	if p.UserID == "" {
		return Profile{}, fmt.Errorf("read profile: %w", emptyAnswer("profile"))
	}
	return p, nil
}

// Margins are the funds of the two segments. They marshal as Kite's own object.
type Margins struct {
	Equity    Segment
	Commodity Segment
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's object, unmodified.
	Raw json.RawMessage
}

// Segment is the money of one segment. A disabled segment has no funds because it is not open, not because it is empty.
type Segment struct {
	Enabled   bool
	Net       Price // what can still be used
	Available Available
	Utilised  Utilised
	// Unclear says that the segment is enabled and Net or Available.Collateral is missing, unreadable or beyond reason, so
	// that nothing follows from them.
	Unclear bool
}

// Available is where the money of a segment comes from.
type Available struct {
	AdhocMargin    Price
	Cash           Price
	OpeningBalance Price
	LiveBalance    Price
	Collateral     Price
	IntradayPayin  Price
}

// Utilised is what binds the money of a segment. Debits is Kite's total; it is not the sum of the other parts.
type Utilised struct {
	Debits           Price
	Exposure         Price
	M2MRealised      Price
	M2MUnrealised    Price
	OptionPremium    Price
	Payout           Price
	Span             Price
	HoldingSales     Price
	Turnover         Price
	LiquidCollateral Price
	StockCollateral  Price
	Delivery         Price
}

// MarshalJSON returns Raw.
func (m Margins) MarshalJSON() ([]byte, error) { return rawObject(m.Raw), nil }

// Margins reads the funds of both segments.
func (c *Client) Margins(ctx context.Context) (Margins, error) {
	raw, err := c.viaLibrary(ctx, "margins", func(lib *kiteconnect.Client) { _, _ = lib.GetUserMargins() })
	if err != nil {
		return Margins{}, err
	}
	r := readRow(raw)
	// An empty answer would read as "no money", which is worse than an error.
	if !r.has("equity") && !r.has("commodity") {
		return Margins{}, fmt.Errorf("read margins: %w", emptyAnswer("margins"))
	}
	m := Margins{Equity: readSegment(r, "equity"), Commodity: readSegment(r, "commodity"), Raw: raw}
	m.Problems = r.problems
	return m, nil
}

func readSegment(r *row, key string) Segment {
	s := r.object(key)
	available, utilised := s.object("available"), s.object("utilised")
	out := Segment{
		Enabled: s.flag("enabled"),
		Net:     s.price("net"),
		Available: Available{
			AdhocMargin:    available.price("adhoc_margin"),
			Cash:           available.price("cash"),
			OpeningBalance: available.price("opening_balance"),
			LiveBalance:    available.price("live_balance"),
			Collateral:     available.price("collateral"),
			IntradayPayin:  available.price("intraday_payin"),
		},
		Utilised: Utilised{
			Debits:           utilised.price("debits"),
			Exposure:         utilised.price("exposure"),
			M2MRealised:      utilised.price("m2m_realised"),
			M2MUnrealised:    utilised.price("m2m_unrealised"),
			OptionPremium:    utilised.price("option_premium"),
			Payout:           utilised.price("payout"),
			Span:             utilised.price("span"),
			HoldingSales:     utilised.price("holding_sales"),
			Turnover:         utilised.price("turnover"),
			LiquidCollateral: utilised.price("liquid_collateral"),
			StockCollateral:  utilised.price("stock_collateral"),
			Delivery:         utilised.price("delivery"),
		},
	}
	pledged := !available.has("collateral") || readAmount(available, "collateral")
	out.Unclear = out.Enabled && (!readAmount(s, "net") || !pledged)
	s.adopt("available", available)
	s.adopt("utilised", utilised)
	r.adopt(key, s)
	return out
}

func emptyAnswer(what string) *Error {
	return newError(KindUpstreamUnavailable, "Kite sent an empty "+what+" answer")
}

// rawObject keeps a value that was never read from marshalling as nothing at all.
func rawObject(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}
