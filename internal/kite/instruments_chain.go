package kite

import (
	"cmp"
	"slices"
	"strings"
)

// Chain is all options of one underlying that expire on one day.
type Chain struct {
	Exchange   string // of the options
	Underlying string
	Expiry     string // YYYY-MM-DD
	Strikes    []ChainStrike
	Spot       uint32 // token of what the options are on, when the master has it; else 0
	Future     uint32 // token of the future of the same expiry; 0 when there is none
}

// ChainStrike is one strike price. A missing side has token 0.
type ChainStrike struct {
	Strike    Price
	Call, Put uint32 // instrument tokens
}

// group is the contracts of one underlying on one exchange that expire together: a piece of the postings of its name,
// sorted by strike, call before put.
type group struct {
	from, to uint32 // in byName.rows
	name     uint32
	expiry   uint16
	exchange uint8
	options  bool
}

// newGroups lists the groups by exchange, folded name and expiry.
func newGroups(m *Instruments) []group {
	var groups []group
	for name := range uint32(m.names.len()) { //nolint:gosec // numbers of texts fit
		at := m.byName.at[name]
		for _, row := range m.byName.of(name) {
			r := &m.rows[row]
			at++
			if m.ranks[r.kind] == 0 {
				continue
			}
			option := m.ranks[r.kind] > rankFuture
			if n := len(groups); n > 0 && groups[n-1].name == name && groups[n-1].exchange == r.exchange && groups[n-1].expiry == r.expiry {
				groups[n-1].to, groups[n-1].options = at, groups[n-1].options || option
				continue
			}
			groups = append(groups, group{from: at - 1, to: at, name: name, expiry: r.expiry, exchange: r.exchange, options: option})
		}
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(
			m.compareUnderlying(&a, m.exchanges[b.exchange], foldASCII(m.names.text(b.name))),
			strings.Compare(m.expiries[a.expiry], m.expiries[b.expiry]),
			cmp.Compare(a.name, b.name),
		)
	})
	return groups
}

func (m *Instruments) compareUnderlying(g *group, exchange, folded string) int {
	return cmp.Or(strings.Compare(m.exchanges[g.exchange], exchange), strings.Compare(foldASCII(m.names.text(g.name)), folded))
}

// groupsOf returns the groups of an underlying that have options, nearest expiry first.
func (m *Instruments) groupsOf(exchange, name string) []group {
	folded := foldASCII(name)
	first, found := slices.BinarySearchFunc(m.groups, folded, func(g group, folded string) int {
		return m.compareUnderlying(&g, exchange, folded)
	})
	if !found {
		return nil
	}
	last := first + 1
	for last < len(m.groups) && m.compareUnderlying(&m.groups[last], exchange, folded) == 0 {
		last++
	}
	return m.groups[first:last]
}

// Underlyings returns the names that options exist on at an exchange, in the order of the alphabet.
func (m *Instruments) Underlyings(exchange string) []string {
	names := []string{}
	for i := range m.groups {
		g := &m.groups[i]
		if !g.options || m.exchanges[g.exchange] != exchange {
			continue
		}
		if name := m.names.text(g.name); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// Expiries returns the days on which options of an underlying expire, as YYYY-MM-DD, nearest first. The name is exact
// but for its case.
func (m *Instruments) Expiries(exchange, underlying string) []string {
	days := []string{}
	for _, g := range m.groupsOf(exchange, underlying) {
		if g.options {
			days = append(days, m.expiries[g.expiry])
		}
	}
	return days
}

// Chain pairs all options of an underlying and expiry, strikes ascending. It reports false when there is none.
func (m *Instruments) Chain(exchange, underlying, expiry string) (Chain, bool) {
	groups := m.groupsOf(exchange, underlying)
	i := slices.IndexFunc(groups, func(g group) bool { return g.options && m.expiries[g.expiry] == expiry })
	if i < 0 {
		return Chain{}, false
	}
	g := groups[i]
	rows := m.byName.rows[g.from:g.to]
	c := Chain{Exchange: exchange, Underlying: m.names.text(g.name), Expiry: expiry, Strikes: make([]ChainStrike, 0, len(rows)/2+1)}
	for _, row := range rows {
		r := &m.rows[row]
		switch m.ranks[r.kind] {
		case rankFuture:
			if c.Future == 0 {
				c.Future = r.token
			}
		case rankCall:
			c.Strikes = append(c.Strikes, ChainStrike{Strike: m.strikes[r.strike], Call: r.token})
		default:
			// A put follows the call of its strike, if there is one.
			if n := len(c.Strikes); n > 0 && c.Strikes[n-1].Strike == m.strikes[r.strike] && c.Strikes[n-1].Put == 0 {
				c.Strikes[n-1].Put = r.token
			} else {
				c.Strikes = append(c.Strikes, ChainStrike{Strike: m.strikes[r.strike], Put: r.token})
			}
		}
	}
	c.Spot = m.spot(exchange, c.Underlying)
	return c, true
}

// spot finds what options are on: an index under its own spelling, or the share of that name. Commodities and
// currencies have none.
func (m *Instruments) spot(exchange, underlying string) uint32 {
	home, symbol := "NSE", underlying
	switch underlying {
	case "NIFTY":
		symbol = "NIFTY 50"
	case "BANKNIFTY":
		symbol = "NIFTY BANK"
	case "FINNIFTY":
		symbol = "NIFTY FIN SERVICE"
	case "MIDCPNIFTY":
		symbol = "NIFTY MID SELECT"
	case "NIFTYNXT50":
		symbol = "NIFTY NEXT 50"
	case "SENSEX", "BANKEX":
		home = "BSE"
	default:
		// An index of BSE is spelled as its options are.
		if i, ok := m.BySymbol("BSE", underlying); ok && exchange == "BFO" && i.Segment == segmentIndices {
			return i.Token
		}
	}
	if exchange != "NFO" && exchange != "BFO" {
		return 0
	}
	i, _ := m.BySymbol(home, symbol)
	return i.Token
}
