package demo

import (
	"cmp"
	"slices"
	"strings"
)

// anchor is an instrument whose base price is given; everything else gets one derived from it or from its own row.
type anchor struct {
	id     string
	base   amount
	tick   amount
	minvol int64
	volx   int64
}

// The liveliness of prices in percent: shares, indices.
const (
	shareVolx = 170
	indexVolx = 70
)

// anchors are the well-known instruments, at invented but plausible prices.
func anchors() []anchor {
	return []anchor{
		{"NSE:RELIANCE", 1560 * rupee, rupee / 10, 26000, shareVolx},
		{"NSE:INFY", 1560 * rupee, rupee / 10, 17000, shareVolx},
		{"NSE:SBIN", 972 * rupee, rupee / 20, 30000, shareVolx},
		{"NSE:TCS", 3140 * rupee, rupee / 10, 6000, shareVolx},
		{"NSE:HDFCBANK", 1005 * rupee, rupee / 20, 40000, shareVolx},
		{"NSE:ICICIBANK", 1385 * rupee, rupee / 10, 25000, shareVolx},
		{"NSE:M&M", 3740 * rupee, rupee / 10, 5000, shareVolx},
		{"NSE:BAJAJ-AUTO", 9080 * rupee, rupee / 2, 900, shareVolx},
		{"NSE:ITC", 404 * rupee, rupee / 20, 35000, shareVolx},
		{"NSE:IDEA", 10*rupee + rupee/10, rupee / 100, 900000, 220},
		{"NSE:GOLDBEES", 105 * rupee, rupee / 100, 60000, 90},
		{neverTrades, 212 * rupee, rupee / 20, 0, shareVolx},
		{atUpperCircuit, 37 * rupee, rupee / 100, 1500, shareVolx},
		{"BSE:SBIN", 972 * rupee, rupee / 20, 900, shareVolx},
		{"NSE:NIFTY 50", 26200 * rupee, rupee / 20, 0, indexVolx},
		{"NSE:NIFTY BANK", 59700 * rupee, rupee / 20, 0, indexVolx},
		{"BSE:SENSEX", 85700 * rupee, rupee / 100, 0, indexVolx},
		{"NSE:INDIA VIX", 12*rupee + 4*rupee/10, rupee / 100, 0, 350},
		{"CDS:USDINR26DECFUT", 89*rupee + 4*rupee/10, rupee / 400, 900, 25},
		{"MCX:GOLDM26DECFUT", 129500 * rupee, rupee, 40, 90},
	}
}

// Hash lanes of the derived values.
const (
	baseLane    = 301
	minvolLane  = 302
	oiLane      = 303
	depthLane   = 304
	ordersLane  = 305
	lastQtyLane = 306
	futureLane  = 307
	virtualLane = 308
)

// pricing gives every row of a universe its price. The rules, in order:
//
//   - an anchor has the base given above;
//   - a BSE share listed on NSE under the same symbol shares the NSE base and seed, so both move together;
//   - a share or index with options has the middle strike of their nearest expiry;
//   - any other share has a base hashed from its token into the range that its tick size stands for, any other index
//     one between 5,000 and 45,000;
//   - equity derivatives follow the spot their name stands for; those of commodities and currencies follow the
//     earliest future of their name, which walks by itself and is shared by CDS and BCD;
//   - a name without spot walks by itself from its middle strike.
type pricing struct {
	u       *universe
	anchors map[string]anchor
	middle  map[string]amount // by exchange:name of options
	spots   map[string]*underlying
}

func newPricing(u *universe) *pricing {
	p := &pricing{u: u, anchors: map[string]anchor{}, middle: middleStrikes(u.rows), spots: map[string]*underlying{}}
	for _, a := range anchors() {
		p.anchors[a.id] = a
	}
	return p
}

func (p *pricing) assign() {
	for _, in := range p.u.rows {
		if !in.derivative() && in.exchange != "BSE" {
			in.walk = p.spotWalk(in)
		}
	}
	for _, in := range p.u.rows {
		if !in.derivative() && in.exchange == "BSE" {
			in.walk = p.spotWalk(in)
		}
	}
	firsts := firstFutures(p.u.rows)
	for _, in := range p.u.rows {
		if !in.derivative() {
			continue
		}
		if in.tick == 0 {
			in.tick = rupee / 20
		}
		in.under = p.underlyingOf(in, firsts)
		in.walk = process{seed: uint64(in.token), minvol: p.derivativeVolume(in)}
	}
}

func (p *pricing) spotWalk(in *instrument) process {
	seed := uint64(in.token)
	if in.tick == 0 {
		in.tick = rupee / 20 // indices have no tick in the CSV
	}
	nse := p.u.byID["NSE:"+in.symbol]
	shared := in.exchange == "BSE" && !in.index() && nse != nil && !nse.derivative() && !nse.index()
	if shared {
		seed = nse.walk.seed
	}
	if a, ok := p.anchors[in.id()]; ok {
		in.tick = a.tick
		return process{base: a.base, tick: a.tick, seed: seed, volx: a.volx, minvol: a.minvol}
	}
	w := process{tick: in.tick, seed: seed, volx: shareVolx, minvol: 20 + int64(mix(uint64(in.token), minvolLane)%4000)}
	if in.index() {
		w.volx, w.minvol = indexVolx, 0
	}
	switch middle := p.middle[optionsOf(in)]; {
	case shared:
		w.base, w.volx = nse.walk.base, nse.walk.volx
	case middle > 0:
		w.base = middle
	default:
		w.base = hashedBase(in)
	}
	return w
}

// hashedBase draws a price from the band in which the exchange uses the tick size of the row.
func hashedBase(in *instrument) amount {
	low, high := amount(20), amount(250)
	switch {
	case in.index():
		low, high = 5_000, 45_000
	case in.tick >= 5*rupee:
		low, high = 20_000, 60_000
	case in.tick >= rupee:
		low, high = 10_000, 20_000
	case in.tick >= rupee/2:
		low, high = 5_000, 10_000
	case in.tick >= rupee/10:
		low, high = 1_000, 5_000
	case in.tick >= rupee/20:
		low, high = 250, 1_000
	case in.tick < rupee/100:
		low, high = 50, 120
	}
	span := (high - low) * rupee
	return (low*rupee + amount(mix(uint64(in.token), baseLane)>>1)%span).roundTo(in.tick)
}

// underlyingOf returns the shared price source of a derivative's name.
func (p *pricing) underlyingOf(in *instrument, firsts map[string]*instrument) *underlying {
	exchange := in.exchange
	if exchange == "BCD" && firsts["CDS:"+in.name] != nil {
		exchange = "CDS"
	}
	key := exchange + ":" + in.name
	if u := p.spots[key]; u != nil {
		return u
	}
	u := &underlying{sigmaPPM: 280_000}
	spot, isIndex := spotOf(exchange, in.name)
	if isIndex || exchange == "CDS" || exchange == "BCD" {
		u.sigmaPPM = 120_000
	}
	switch first := firsts[key]; {
	case p.u.byID[spot] != nil && exchange != "MCX" && exchange != "CDS" && exchange != "BCD":
		u.walk = p.u.byID[spot].walk
	case first != nil:
		u.walk, u.expiry = p.futureWalk(first), first.expiry
	default:
		u.walk = process{
			base: max(p.middle[key], in.tick), tick: in.tick, volx: shareVolx,
			seed: mix(virtualLane, uint64(in.token)),
		}
	}
	p.spots[key] = u
	return u
}

func (p *pricing) futureWalk(in *instrument) process {
	w := process{base: p.middle[in.exchange+":"+in.name], tick: in.tick, seed: uint64(in.token), volx: 90}
	if in.exchange == "CDS" || in.exchange == "BCD" {
		w.volx = 25
	}
	if a, ok := p.anchors[in.id()]; ok {
		w.base, w.tick, w.volx = a.base, a.tick, a.volx
	}
	if w.base == 0 {
		w.base = hashedBase(in)
	}
	return w
}

func (p *pricing) derivativeVolume(in *instrument) int64 {
	if a, ok := p.anchors[in.id()]; ok {
		return a.minvol
	}
	lots := int64(mix(uint64(in.token), minvolLane) % 12)
	if in.kind == "FUT" {
		lots = 1 + int64(mix(uint64(in.token), futureLane)%20)
	}
	return in.lot * lots
}

// spotOf names the quote key of an underlying. Indices trade under other names than their derivatives.
func spotOf(exchange, name string) (id string, isIndex bool) {
	switch name {
	case "NIFTY":
		return "NSE:NIFTY 50", true
	case "BANKNIFTY":
		return "NSE:NIFTY BANK", true
	case "FINNIFTY":
		return "NSE:NIFTY FIN SERVICE", true
	case "MIDCPNIFTY":
		return "NSE:NIFTY MID SELECT", true
	case "NIFTYNXT50":
		return "NSE:NIFTY NEXT 50", true
	}
	if exchange == "BFO" {
		return "BSE:" + name, true
	}
	return "NSE:" + name, false
}

// optionsOf is the reverse of spotOf: under which key the options of a spot instrument are found.
func optionsOf(in *instrument) string {
	if in.exchange == "BSE" {
		return "BFO:" + in.symbol
	}
	for _, name := range []string{"NIFTY", "BANKNIFTY", "FINNIFTY", "MIDCPNIFTY", "NIFTYNXT50"} {
		if id, _ := spotOf("NFO", name); id == in.id() {
			return "NFO:" + name
		}
	}
	return "NFO:" + in.symbol
}

// middleStrikes returns, for every exchange:name with options, the middle strike of the nearest expiry.
func middleStrikes(rows []*instrument) map[string]amount {
	nearest := map[string]date{}
	strikes := map[string][]amount{}
	for _, in := range rows {
		if in.kind != "CE" {
			continue
		}
		key := in.exchange + ":" + in.name
		switch e, ok := nearest[key]; {
		case !ok || in.expiry < e:
			nearest[key], strikes[key] = in.expiry, []amount{in.strike}
		case in.expiry == e:
			strikes[key] = append(strikes[key], in.strike)
		}
	}
	middle := make(map[string]amount, len(strikes))
	for key, all := range strikes {
		slices.Sort(all)
		middle[key] = all[len(all)/2]
	}
	return middle
}

// firstFutures returns the earliest future of every exchange:name.
func firstFutures(rows []*instrument) map[string]*instrument {
	first := map[string]*instrument{}
	for _, in := range rows {
		key := in.exchange + ":" + in.name
		if in.kind != "FUT" {
			continue
		}
		if f := first[key]; f == nil || cmp.Or(cmp.Compare(in.expiry, f.expiry), strings.Compare(in.symbol, f.symbol)) < 0 {
			first[key] = in
		}
	}
	return first
}
