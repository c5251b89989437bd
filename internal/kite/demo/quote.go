package demo

// The planned oddities, one instrument each, so that every case a program must survive can be met.
const (
	neverTrades    = "NSE:KAVERIAGRO-SM" // no trade today: last price is the close, no depth, no volume
	atUpperCircuit = "NSE:CENTRALBK-BE"  // stuck at the upper circuit: nobody sells
	hugeDepth      = "NSE:IDEA"          // more shares in one level than 32 bits hold
)

const hugeQuantity = 4_500_000_000

type ohlc struct {
	Open  amount `json:"open"`
	High  amount `json:"high"`
	Low   amount `json:"low"`
	Close amount `json:"close"`
}

type level struct {
	Price    amount `json:"price"`
	Quantity int64  `json:"quantity"`
	Orders   int64  `json:"orders"`
}

// depth has five levels a side, padded with zeros; null lists for indices.
type depth struct {
	Buy  []level `json:"buy"`
	Sell []level `json:"sell"`
}

type fullQuote struct {
	InstrumentToken   uint32 `json:"instrument_token"`
	Timestamp         string `json:"timestamp"`
	LastTradeTime     string `json:"last_trade_time"`
	LastPrice         amount `json:"last_price"`
	LastQuantity      int64  `json:"last_quantity"`
	BuyQuantity       int64  `json:"buy_quantity"`
	SellQuantity      int64  `json:"sell_quantity"`
	Volume            int64  `json:"volume"`
	AveragePrice      amount `json:"average_price"`
	OI                int64  `json:"oi"`
	OIDayHigh         int64  `json:"oi_day_high"`
	OIDayLow          int64  `json:"oi_day_low"`
	NetChange         amount `json:"net_change"` // 0 as on the real wire, where it cannot be relied on
	LowerCircuitLimit amount `json:"lower_circuit_limit"`
	UpperCircuitLimit amount `json:"upper_circuit_limit"`
	OHLC              ohlc   `json:"ohlc"`
	Depth             depth  `json:"depth"`
}

type ltpQuote struct {
	InstrumentToken uint32 `json:"instrument_token"`
	LastPrice       amount `json:"last_price"`
}

type ohlcQuote struct {
	InstrumentToken uint32 `json:"instrument_token"`
	LastPrice       amount `json:"last_price"`
	OHLC            ohlc   `json:"ohlc"`
}

// quoted finds what can be quoted: not the unknown, the expired, or the one option that never traded.
func (u *universe) quoted(id string, at instant) (*instrument, bool) {
	in, ok := u.byID[id]
	if !ok || id == u.silent || in.expired(at) {
		return nil, false
	}
	return in, true
}

func previousClose(in *instrument, at instant) amount {
	return in.priceAt(instant{at.day.previousOpen(), sessionLength - 1})
}

// lastPrice is the price quotes show: the model's, except for the two instruments that do not trade freely.
func (u *universe) lastPrice(in *instrument, at instant) amount {
	switch in.id() {
	case neverTrades:
		return previousClose(in, at)
	case atUpperCircuit:
		_, upper := u.circuits(in, previousClose(in, at))
		return upper
	default:
		return in.priceAt(at)
	}
}

func (u *universe) ltp(in *instrument, at instant) ltpQuote {
	return ltpQuote{in.token, u.lastPrice(in, at)}
}

func (u *universe) ohlc(in *instrument, at instant) ohlcQuote {
	day, last, _ := u.day(in, at)
	return ohlcQuote{in.token, last, day}
}

// day returns the four prices of the day and the last price, with the oddities applied, and the model's bar.
func (u *universe) day(in *instrument, at instant) (ohlc, amount, bar) {
	last := u.lastPrice(in, at)
	closed := previousClose(in, at)
	if in.id() == neverTrades {
		return ohlc{Close: closed}, last, bar{}
	}
	b := in.on(at.day).dayBar(at.sec)
	return ohlc{Open: b.open, High: max(b.high, last), Low: min(b.low, last), Close: closed}, last, b
}

func (u *universe) quote(in *instrument, at instant) fullQuote {
	now := stamp(at.time())
	q := fullQuote{InstrumentToken: in.token, Timestamp: now, LastTradeTime: now}
	var day bar
	q.OHLC, q.LastPrice, day = u.day(in, at)
	if in.index() {
		q.LastTradeTime = ""
		return q
	}
	q.LowerCircuitLimit, q.UpperCircuitLimit = u.circuits(in, q.OHLC.Close)
	if in.id() == neverTrades {
		q.LastTradeTime = ""
		q.Depth = depth{make([]level, 5), make([]level, 5)}
		return q
	}
	draw := func(lane, i uint64) int64 {
		return int64(mix(uint64(in.token), lane, i, hashable(at.day.index()), hashable(int64(at.sec))) >> 1)
	}
	q.Volume, q.AveragePrice = day.volume, day.average(in.tick)
	q.LastQuantity = in.lot * (1 + draw(lastQtyLane, 0)%5)
	q.OI, q.OIDayHigh, q.OIDayLow = openInterest(in, at)
	q.Depth = bookOf(in, q, draw)
	for i := range 5 {
		q.BuyQuantity += q.Depth.Buy[i].Quantity * 20
		q.SellQuantity += q.Depth.Sell[i].Quantity * 20
	}
	return q
}

// bookOf makes five levels a side, one tick apart. Levels beyond a circuit limit do not exist.
func bookOf(in *instrument, q fullQuote, draw func(lane, i uint64) int64) depth {
	d := depth{make([]level, 5), make([]level, 5)}
	for i := range 5 {
		step := amount(i+1) * in.tick
		for side, price := range []amount{q.LastPrice - step, q.LastPrice + step} {
			if price < max(q.LowerCircuitLimit, in.tick) || q.UpperCircuitLimit > 0 && price > q.UpperCircuitLimit {
				continue
			}
			lane := uint64(side*5 + i)
			l := level{price, in.lot * (1 + draw(depthLane, lane)%40), 1 + draw(ordersLane, lane)%20}
			if in.id() == hugeDepth && i == 0 {
				l.Quantity = hugeQuantity
			}
			if side == 0 {
				d.Buy[i] = l
			} else {
				d.Sell[i] = l
			}
		}
	}
	return d
}

// circuits are the prices between which the exchange accepts orders, rounded inwards to the tick.
func (u *universe) circuits(in *instrument, closed amount) (lower, upper amount) {
	width := amount(20)
	switch {
	case in.index():
		return 0, 0
	case in.derivative() && in.kind != "FUT":
		// Options are bounded by what their underlying may do, which is far more than they usually move.
		return in.tick, closed + max(4*closed, 100*rupee)
	case len(in.symbol) > 3 && in.symbol[len(in.symbol)-3:] == "-BE":
		width = 5
	case in.derivative(), u.hasOptions(in):
		width = 10
	}
	lower = (closed*(100-width) + 100*in.tick - 1) / (100 * in.tick) * in.tick
	upper = closed * (100 + width) / (100 * in.tick) * in.tick
	return max(lower, in.tick), max(upper, in.tick)
}

// openInterest is a level of its own for each contract with a slow wave on it; its extremes of the day so far are
// those of the quarter hours passed.
func openInterest(in *instrument, at instant) (now, high, low int64) {
	if !in.derivative() {
		return 0, 0, 0
	}
	lots := 500 + int64(mix(uint64(in.token), oiLane)%20_000)
	var tide wave
	level := func(sec int) int64 {
		t := at.day.index()*sessionLength + int64(sec)
		return in.lot * (lots + lots*tide.at(uint64(in.token), oiLane, t, 3600)/327_680)
	}
	now = level(at.sec)
	high, low = now, now
	for sec := 0; sec < at.sec; sec += 900 {
		high, low = max(high, level(sec)), min(low, level(sec))
	}
	return now, high, low
}
