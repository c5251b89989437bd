package kite_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// plainChain is the naive chain: look at every row, group by strike in a map, sort.
func plainChain(rows []plainRow, exchange, name, expiry string) (strikes []float64, sides map[float64][2]uint32) {
	sides = map[float64][2]uint32{}
	for _, r := range rows {
		if r.exchange != exchange || r.name != name || r.expiry != expiry || r.kind != "CE" && r.kind != "PE" {
			continue
		}
		pair := sides[r.strike]
		if r.kind == "CE" {
			pair[0] = uint32(r.token) //nolint:gosec // parsed as 32 bits
		} else {
			pair[1] = uint32(r.token) //nolint:gosec // as above
		}
		sides[r.strike] = pair
	}
	for k := range sides {
		strikes = append(strikes, k)
	}
	slices.Sort(strikes)
	return strikes, sides
}

// Every chain of the list has every strike, paired, in order.
func TestChainAgreesWithPlainScan(t *testing.T) {
	t.Parallel()
	m, rows := full(t), plain(t)
	for _, tc := range []struct{ exchange, name string }{{"NFO", "NIFTY"}, {"NFO", "M&M"}, {"BFO", "SENSEX"}, {"MCX", "GOLD"}, {"CDS", "USDINR"}} {
		var want []string
		for _, r := range rows {
			if r.exchange == tc.exchange && r.name == tc.name && r.kind == "CE" {
				want = append(want, r.expiry)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		expiries := m.Expiries(tc.exchange, strings.ToLower(tc.name))
		if d := cmp.Diff(want, expiries); d != "" || len(want) == 0 {
			t.Errorf("%v expiries (-want +got):\n%s", tc, d)
		}
		for _, expiry := range expiries {
			c, ok := m.Chain(tc.exchange, tc.name, expiry)
			strikes, sides := plainChain(rows, tc.exchange, tc.name, expiry)
			if !ok || len(c.Strikes) != len(strikes) {
				t.Fatalf("%v %s: %d strikes, want %d", tc, expiry, len(c.Strikes), len(strikes))
			}
			for i, s := range c.Strikes {
				price, err := kite.ParsePrice(strconv.FormatFloat(strikes[i], 'f', -1, 64))
				if err != nil || s.Strike != price || [2]uint32{s.Call, s.Put} != sides[strikes[i]] {
					t.Fatalf("%v %s strike %v: %+v, want %v", tc, expiry, strikes[i], s, sides[strikes[i]])
				}
			}
		}
	}
}

// The list of underlyings is every name that options exist on.
func TestUnderlyings(t *testing.T) {
	t.Parallel()
	m, rows := full(t), plain(t)
	for _, exchange := range []string{"NFO", "BFO", "BCD", "NSE"} {
		want := []string{}
		for _, r := range rows {
			if r.exchange == exchange && r.kind == "CE" {
				want = append(want, r.name)
			}
		}
		slices.Sort(want)
		if d := cmp.Diff(slices.Compact(want), m.Underlyings(exchange)); d != "" {
			t.Errorf("%s (-want +got):\n%s", exchange, d)
		}
	}
}

// What options are on is found by its real key, and only if the list has it.
func TestChainReferences(t *testing.T) {
	t.Parallel()
	m := full(t)
	for _, tc := range []struct{ exchange, name, expiry, spot, future string }{
		{"NFO", "NIFTY", "2026-12-29", "NSE:NIFTY 50", "NFO:NIFTY26DECFUT"},
		{"NFO", "NIFTY", "2026-12-08", "NSE:NIFTY 50", ""}, // no future ends with a week
		{"NFO", "BANKNIFTY", "2026-12-29", "NSE:NIFTY BANK", "NFO:BANKNIFTY26DECFUT"},
		{"NFO", "FINNIFTY", "2026-12-29", "NSE:NIFTY FIN SERVICE", "NFO:FINNIFTY26DECFUT"},
		{"NFO", "MIDCPNIFTY", "2026-12-29", "NSE:NIFTY MID SELECT", "NFO:MIDCPNIFTY26DECFUT"},
		{"NFO", "NIFTYNXT50", "2026-12-29", "NSE:NIFTY NEXT 50", "NFO:NIFTYNXT5026DECFUT"},
		{"NFO", "M&M", "2026-12-29", "NSE:M&M", "NFO:M&M26DECFUT"},
		{"BFO", "SENSEX", "2026-12-31", "BSE:SENSEX", "BFO:SENSEX26DECFUT"},
		{"BFO", "BANKEX", "2026-12-31", "BSE:BANKEX", "BFO:BANKEX26DECFUT"},
		{"BFO", "SENSEX50", "2026-12-31", "BSE:SENSEX50", "BFO:SENSEX5026DECFUT"},
		{"MCX", "GOLD", "2026-12-24", "", ""},
	} {
		c, ok := m.Chain(tc.exchange, tc.name, tc.expiry)
		if !ok {
			t.Errorf("no chain %+v, expiries %v", tc, m.Expiries(tc.exchange, tc.name))
			continue
		}
		id := func(token uint32) string {
			if token == 0 {
				return ""
			}
			in, _ := m.ByToken(token)
			return in.ID()
		}
		if id(c.Spot) != tc.spot || id(c.Future) != tc.future {
			t.Errorf("%s %s: spot %q, future %q", tc.name, tc.expiry, id(c.Spot), id(c.Future))
		}
	}
	for _, key := range [][3]string{{"NFO", "NIFTY", "2026-12-09"}, {"NFO", "NOPE", "2026-12-29"}, {"NSE", "INFY", ""}, {"XXX", "NIFTY", "2026-12-29"}} {
		if c, ok := m.Chain(key[0], key[1], key[2]); ok {
			t.Errorf("%v has %d strikes", key, len(c.Strikes))
		}
	}
}

// A missing side stays missing, and a spot price is not invented.
func TestChainWithGaps(t *testing.T) {
	t.Parallel()
	m := load(t, header+
		"258,1,X1CE,X,0,2026-12-29,100,0.05,1,CE,NFO-OPT,NFO\n514,2,X2PE,X,0,2026-12-29,110.5,0.05,1,PE,NFO-OPT,NFO\n"+
		"770,3,X3PE,X,0,2026-12-29,120,0.05,1,PE,NFO-OPT,NFO\n1026,4,X3CE,X,0,2026-12-29,120,0.05,1,CE,NFO-OPT,NFO\n"+
		"1282,5,X4CE,X,0,2027-01-26,120,0.05,1,CE,NFO-OPT,NFO\n")
	c, ok := m.Chain("NFO", "x", "2026-12-29")
	want := kite.Chain{Exchange: "NFO", Underlying: "X", Expiry: "2026-12-29", Strikes: []kite.ChainStrike{
		{Strike: 100 * rupee, Call: 258}, {Strike: 110*rupee + rupee/2, Put: 514}, {Strike: 120 * rupee, Call: 1026, Put: 770},
	}}
	if d := cmp.Diff(want, c); !ok || d != "" {
		t.Errorf("chain (-want +got):\n%s", d)
	}
}
