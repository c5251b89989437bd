package demo

import (
	_ "embed" // the seed of the account
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"
)

// accountJSON is the account at 11:15 on 2 December 2026. Keys named note, and those starting with _, are remarks. It
// also holds prices and totals that tests compare the computed ones with.
//
//go:embed seed/account.json
var accountJSON []byte

//go:embed seed/second.json
var secondJSON []byte

//go:embed seed/third.json
var thirdJSON []byte

// account is the seed of one user: what the account holds and what it did today. Quantities are those of the seed on
// whatever day the exchange starts; prices come from the model.
type account struct {
	Clock              time.Time       `json:"clock"`
	Profile            json.RawMessage `json:"profile"`
	Holdings           []holding       `json:"holdings"`
	Margins            seedMargins     `json:"margins"`
	PositionsOvernight []overnight     `json:"positions_overnight"`
	OrdersToday        []seedOrder     `json:"orders_today"`
	GTTs               []seedGTT       `json:"gtts"`
	Alerts             []seedAlert     `json:"alerts"`
	MF                 seedFunds       `json:"mf"`

	id      string // of the user
	consent bool   // shares may be sold without asking the depository
	first   int64  // where the counters of this user begin
}

func (a *account) user() string { return a.id }

type seedMargins struct {
	Equity    seedSegment `json:"equity"`
	Commodity seedSegment `json:"commodity"`
}

type seedSegment struct {
	Enabled       bool   `json:"enabled"`
	Cash          amount `json:"cash"`
	Collateral    amount `json:"collateral"`
	IntradayPayin amount `json:"intraday_payin"`
}

// holding is a row as the wire has it; the four prices and what follows from them are computed at each read.
type holding struct {
	TradingSymbol       string   `json:"tradingsymbol"`
	Exchange            string   `json:"exchange"`
	InstrumentToken     uint32   `json:"instrument_token"`
	ISIN                string   `json:"isin"`
	Product             string   `json:"product"`
	Price               amount   `json:"price"`
	Quantity            int64    `json:"quantity"`
	UsedQuantity        int64    `json:"used_quantity"`
	T1Quantity          int64    `json:"t1_quantity"`
	RealisedQuantity    int64    `json:"realised_quantity"`
	AuthorisedQuantity  int64    `json:"authorised_quantity"`
	AuthorisedDate      string   `json:"authorised_date"`
	Authorisation       struct{} `json:"authorisation"`
	OpeningQuantity     int64    `json:"opening_quantity"`
	ShortQuantity       int64    `json:"short_quantity"`
	CollateralQuantity  int64    `json:"collateral_quantity"`
	CollateralType      string   `json:"collateral_type"`
	Discrepancy         bool     `json:"discrepancy"`
	AveragePrice        amount   `json:"average_price"`
	LastPrice           amount   `json:"last_price"`
	ClosePrice          amount   `json:"close_price"`
	PnL                 amount   `json:"pnl"`
	DayChange           amount   `json:"day_change"`
	DayChangePercentage percent  `json:"day_change_percentage"`
	MTF                 mtf      `json:"mtf"`
}

type mtf struct {
	Quantity      int64  `json:"quantity"`
	UsedQuantity  int64  `json:"used_quantity"`
	AveragePrice  amount `json:"average_price"`
	Value         amount `json:"value"`
	InitialMargin amount `json:"initial_margin"`
}

type compactHolding struct {
	Exchange        string `json:"exchange"`
	TradingSymbol   string `json:"tradingsymbol"`
	InstrumentToken uint32 `json:"instrument_token"`
	T1Quantity      int64  `json:"t1_quantity"`
	Quantity        int64  `json:"quantity"`
}

type holdingsSummary struct {
	TotalPnL        amount  `json:"total_pnl"`
	TotalPnLPercent percent `json:"total_pnl_percent"`
	TodayPnL        amount  `json:"today_pnl"`
	TodayPnLPercent percent `json:"today_pnl_percent"`
	InvestedAmount  amount  `json:"invested_amount"`
	CurrentValue    amount  `json:"current_value"`
}

// loadAccounts returns the seeds of all users. The second and third exist for tests with several people.
func loadAccounts() (map[string]*account, error) {
	all := map[string]*account{}
	for i, seed := range [][]byte{accountJSON, secondJSON, thirdJSON} {
		var a account
		if err := json.Unmarshal(seed, &a); err != nil {
			return nil, fmt.Errorf("read demo account: %w", err)
		}
		var p struct {
			UserID string `json:"user_id"`
			Meta   struct {
				Consent string `json:"demat_consent"`
			} `json:"meta"`
		}
		if err := json.Unmarshal(a.Profile, &p); err != nil {
			return nil, fmt.Errorf("read demo profile: %w", err)
		}
		a.id, a.consent, a.first = p.UserID, p.Meta.Consent == "consent", int64(i)*1_000_000
		all[a.id] = &a
	}
	return all, nil
}

// holdings returns the rows at the model's prices. They do not know the oddities of quotes: as on the real exchange the
// last price of a holding may lag a quote.
func (d *desk) holdings() []holding {
	rows := make([]holding, 0, len(d.Holdings))
	for _, h := range d.Holdings {
		in, ok := d.u.byID[h.Exchange+":"+h.TradingSymbol]
		if !ok {
			// A universe brought along may lack it: the seed's own prices then stand.
			rows = append(rows, h)
			continue
		}
		at := d.instant()
		q := amount(h.Quantity + h.T1Quantity)
		h.LastPrice = in.priceAt(at)
		h.ClosePrice = previousClose(in, at)
		h.PnL = (h.LastPrice - h.AveragePrice) * q
		h.DayChange = h.LastPrice - h.ClosePrice
		h.DayChangePercentage = percentOf(h.DayChange, h.ClosePrice)
		h.AuthorisedDate = at.day.String() + " 00:00:00"
		rows = append(rows, h)
	}
	return rows
}

func compactOf(rows []holding) []compactHolding {
	out := make([]compactHolding, 0, len(rows))
	for _, h := range rows {
		out = append(out, compactHolding{h.Exchange, h.TradingSymbol, h.InstrumentToken, h.T1Quantity, h.Quantity})
	}
	return out
}

func summaryOf(rows []holding) holdingsSummary {
	var s holdingsSummary
	for _, h := range rows {
		q := amount(h.Quantity + h.T1Quantity)
		s.InvestedAmount += h.AveragePrice * q
		s.CurrentValue += h.LastPrice * q
		s.TodayPnL += (h.LastPrice - h.ClosePrice) * q
	}
	s.TotalPnL = s.CurrentValue - s.InvestedAmount
	s.TotalPnLPercent = percentOf(s.TotalPnL, s.InvestedAmount)
	s.TodayPnLPercent = percentOf(s.TodayPnL, s.CurrentValue-s.TodayPnL)
	return s
}

// fullProfile is what /user/profile/full adds to the profile.
func (a *account) fullProfile() (map[string]any, error) {
	full := map[string]any{}
	if err := json.Unmarshal(a.Profile, &full); err != nil {
		return nil, fmt.Errorf("read demo profile: %w", err)
	}
	maps.Copy(full, map[string]any{
		"twofa_type":         "app_code",
		"phone":              "*0000",
		"pan":                "*000D",
		"bank_accounts":      []map[string]string{{"name": "DEMO BANK", "branch": "", "account": "*0001"}},
		"dp_ids":             []string{"1200000000000001"},
		"tags":               []string{},
		"password_timestamp": "2026-01-05 10:00:00",
		"twofa_timestamp":    "2026-01-05 10:05:00",
		"meta":               map[string]any{"poa": "consent", "silo": "demo", "account_blocks": []string{}},
	})
	return full, nil
}

func answerProfile(c call) (any, *apiError) { return c.d.seed.Profile, nil }

func answerFullProfile(c call) (any, *apiError) {
	full, err := c.d.seed.fullProfile()
	if err != nil {
		return nil, &apiError{http.StatusInternalServerError, "GeneralException", "The demo profile is broken"}
	}
	return full, nil
}

func answerHoldings(c call) (any, *apiError) { return c.d.holdings(), nil }

func answerSummary(c call) (any, *apiError) { return summaryOf(c.d.holdings()), nil }

func answerCompact(c call) (any, *apiError) { return compactOf(c.d.holdings()), nil }

func answerPositions(c call) (any, *apiError) { return c.d.positions(), nil }
