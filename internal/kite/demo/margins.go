package demo

import (
	"net/http"
	"strings"
)

type margins struct {
	Equity    segment `json:"equity"`
	Commodity segment `json:"commodity"`
}

type segment struct {
	Enabled   bool      `json:"enabled"`
	Net       amount    `json:"net"`
	Available available `json:"available"`
	Utilised  utilised  `json:"utilised"`
}

type available struct {
	AdhocMargin    amount `json:"adhoc_margin"`
	Cash           amount `json:"cash"`
	OpeningBalance amount `json:"opening_balance"`
	LiveBalance    amount `json:"live_balance"`
	Collateral     amount `json:"collateral"`
	IntradayPayin  amount `json:"intraday_payin"`
}

type utilised struct {
	Debits           amount `json:"debits"`
	Exposure         amount `json:"exposure"`
	M2MRealised      amount `json:"m2m_realised"`
	M2MUnrealised    amount `json:"m2m_unrealised"`
	OptionPremium    amount `json:"option_premium"`
	Payout           amount `json:"payout"`
	Span             amount `json:"span"`
	HoldingSales     amount `json:"holding_sales"`
	Turnover         amount `json:"turnover"`
	LiquidCollateral amount `json:"liquid_collateral"`
	StockCollateral  amount `json:"stock_collateral"`
	Delivery         amount `json:"delivery"`
}

// What an order or position binds, as parts of its value. The derivative rates are far below real ones, so that an
// account with two index positions is not bankrupt from the start.
const (
	spanPart     = 50  // 2 percent
	exposurePart = 200 // 0.5 percent
	intradayPart = 5   // 20 percent
	fundedPart   = 4   // 25 percent, the rest is lent
)

// need is the margin of one order; the same numbers stand in the answers of the calculators and behind a rejection.
type need struct {
	Span, Exposure, Premium, Var, Total amount
	Leverage                            int64
}

// needs returns what a quantity at a price binds, whatever else is held.
func needs(in *instrument, o orderForm, price amount) need {
	value := in.money(price, o.Quantity)
	n := need{Leverage: 1}
	switch {
	case in.derivative() && in.kind != "FUT" && o.Side == buy:
		n.Premium = value
	case in.derivative():
		n.Span, n.Exposure = value/spanPart, value/exposurePart
	case o.Product == productMIS:
		n.Var, n.Leverage = value/intradayPart, intradayPart
	case o.Side == sell: // delivered from holdings
	case o.Product == productMTF:
		n.Var, n.Leverage = value/fundedPart, fundedPart
	default:
		n.Var = value
	}
	n.Total = n.Span + n.Exposure + n.Premium + n.Var
	return n
}

// required is the margin of an order beside what is held.
func (d *desk) required(in *instrument, o orderForm, price amount) amount {
	return d.neededBeside(d.ledgers(), in, o, price).Total
}

// available is what an order of a product may bind. Pledged shares are no money to buy shares with.
func (d *desk) available(product string) amount {
	equity := d.margins().Equity
	if product == productCNC || product == productMTF {
		return equity.Net - equity.Available.Collateral
	}
	return equity.Net
}

// margins follows the money of the positions and open orders. Pledged shares are all stock collateral. The demo knows
// one pot of money; the commodity segment draws on it when it is enabled.
func (d *desk) margins() margins {
	money := d.Margins.Equity
	var use utilised
	var shares amount // bound by intraday shares, funded shares and open orders
	all := d.ledgers()
	for _, l := range all {
		row := l.row()
		use.Turnover += row.DayBuyValue + row.DaySellValue
		size := l.in.money(l.last, max(row.Quantity, -row.Quantity))
		switch {
		case l.in.derivative() && l.in.kind != "FUT" && row.Quantity >= 0:
			use.OptionPremium += row.DayBuyValue - row.DaySellValue
		case l.in.derivative():
			if l.in.kind == "FUT" {
				use.Span += size / spanPart
			}
			use.Exposure += size / exposurePart
		case l.product == productMIS:
			shares += row.AveragePrice * amount(max(row.Quantity, -row.Quantity)) / intradayPart
		case l.product == productMTF:
			shares += row.AveragePrice * amount(max(row.Quantity, 0)) / fundedPart
		default:
			use.HoldingSales += row.DaySellValue
			use.Delivery += row.AveragePrice * amount(max(row.Quantity, 0))
		}
		if l.in.derivative() {
			use.M2MUnrealised += row.M2M
		}
		if option := l.in.derivative() && l.in.kind != "FUT"; row.Quantity == 0 && row.M2M < 0 && !option { // final, so paid at once
			use.M2MRealised += row.M2M
		}
	}
	use.Span += optionSpan(all)
	shares += d.boundByOrders(all)
	use.StockCollateral = money.Collateral
	use.Debits = use.Span + use.Exposure + use.OptionPremium + use.Delivery + shares - use.M2MRealised
	live := money.Cash + money.Collateral + money.IntradayPayin - use.Debits
	return margins{Equity: segment{
		Enabled: money.Enabled,
		Net:     live,
		Available: available{
			Cash: money.Cash, OpeningBalance: money.Cash, LiveBalance: live,
			Collateral: money.Collateral, IntradayPayin: money.IntradayPayin,
		},
		Utilised: use,
	}, Commodity: segment{Enabled: d.Margins.Commodity.Enabled}}
}

// boundByOrders is the margin of what is in the market and not filled.
func (d *desk) boundByOrders(all []*ledger) (sum amount) {
	for _, o := range d.Orders {
		in := d.u.byID[o.id()]
		if o.ExchangeOrderID == "" || o.terminal() || in == nil {
			continue
		}
		sum += d.neededBeside(all, in, o.form(), d.limit(o)).Total
	}
	return sum
}

// segmentOf returns the margins of one segment by its path name.
func (m margins) segmentOf(name string) (segment, bool) {
	switch strings.ToLower(name) {
	case "equity":
		return m.Equity, true
	case "commodity":
		return m.Commodity, true
	default:
		return segment{}, false
	}
}

func answerMargins(c call) (any, *apiError) { return c.d.margins(), nil }

func answerSegment(c call) (any, *apiError) {
	s, ok := c.d.margins().segmentOf(c.args[0])
	if !ok {
		return nil, invalid("Invalid `segment`.")
	}
	return s, nil
}

// marginRefused is the answer to a request that binds more money than there is.
func marginRefused(need, free amount) *apiError {
	return &apiError{http.StatusBadRequest, "MarginException", shortOfFunds(need, free)}
}
