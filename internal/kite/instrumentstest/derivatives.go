package instrumentstest

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// indices adds the indices; those that options refer to have their real names and tokens.
func (g *generator) indices() {
	add := func(exchange, symbol string, token uint32) {
		g.add(row{exchange: exchange, segment: "INDICES", kind: "EQ", symbol: symbol, name: symbol, exchangeToken: token})
	}
	nse := []string{
		"NIFTY 50", "NIFTY BANK", "NIFTY FIN SERVICE", "NIFTY MID SELECT", "NIFTY NEXT 50", "INDIA VIX", "NIFTY IT", "NIFTY AUTO", "NIFTY PHARMA",
		"NIFTY FMCG", "NIFTY METAL", "NIFTY REALTY", "NIFTY 100", "NIFTY 500", "NIFTY MIDCAP 100", "NIFTY SMLCAP 100", "HANGSENG BEES-NAV",
	}
	tokens := []uint32{1001, 1016, 1007, 1125, 1058, 1035, 1013, 1022, 1024, 1021, 1026, 1018, 1003, 1005, 1011, 1043, 1030}
	for i, symbol := range nse {
		add("NSE", symbol, tokens[i])
	}
	for i := range 115 {
		add("NSE", fmt.Sprintf("NIFTY THEME %d", i), 1200+3*uint32(i))
	}
	add("BSE", "SENSEX", 1)
	add("BSE", "BANKEX", 1072)
	add("BSE", "SENSEX50", 1070)
	add("BSE", "BSE500", 17)
	add("BSE", "FOCIT", 1090)
	add("MCX", "MCXBULLDEX", 1100)
	add("MCX", "MCXMETLDEX", 1101)
}

// contract is what the contracts of one underlying share.
type contract struct {
	exchange, name string
	tick           float64
	lot            int
	first          uint32 // exchange token
}

func (g *generator) future(c contract, code string, expiry time.Time) {
	g.add(row{
		exchange: c.exchange, segment: c.exchange + "-FUT", kind: "FUT", symbol: c.name + code + "FUT", name: c.name,
		expiry: expiry.Format(time.DateOnly), tick: c.tick, lot: c.lot, exchangeToken: g.next(c.exchange, c.first),
	})
}

// chain adds a call and a put at each strike from low to high.
func (g *generator) chain(c contract, code string, expiry time.Time, low, high, step float64) {
	for k := math.RoundToEven(low/step) * step; k <= high+1e-9; k = math.Round((k+step)*10_000) / 10_000 {
		if k <= 0 {
			continue
		}
		for _, kind := range []string{"CE", "PE"} {
			g.add(row{
				exchange: c.exchange, segment: c.exchange + "-OPT", kind: kind, symbol: c.name + code + decimal(k) + kind, name: c.name,
				expiry: expiry.Format(time.DateOnly), strike: k, tick: c.tick, lot: c.lot, exchangeToken: g.next(c.exchange, c.first),
			})
		}
	}
}

func (g *generator) indexDerivatives() {
	for _, x := range []struct {
		exchange, name   string
		spot, step, half float64
		lot, weeklies    int
		day              time.Weekday
	}{
		{"NFO", "NIFTY", 26200, 50, 3600, 65, 4, time.Tuesday},
		{"NFO", "BANKNIFTY", 59700, 100, 9000, 30, 0, time.Tuesday},
		{"NFO", "FINNIFTY", 27900, 50, 3200, 60, 0, time.Tuesday},
		{"NFO", "MIDCPNIFTY", 14000, 25, 1700, 120, 0, time.Tuesday},
		{"NFO", "NIFTYNXT50", 69600, 100, 6500, 25, 0, time.Tuesday},
		{"BFO", "SENSEX", 85700, 100, 12500, 20, 4, time.Thursday},
		{"BFO", "BANKEX", 66800, 100, 6500, 30, 0, time.Thursday},
		{"BFO", "SENSEX50", 28500, 100, 2000, 75, 0, time.Thursday},
		{"BFO", "FOCIT", 36000, 100, 1500, 45, 0, time.Thursday},
	} {
		c := contract{exchange: x.exchange, name: x.name, tick: 0.05, lot: x.lot, first: map[string]uint32{"NFO": 36_000, "BFO": 825_000}[x.exchange]}
		months := monthly(3, x.day)
		for i, e := range months {
			g.future(c, monthCode(e), e)
			g.chain(c, monthCode(e), e, x.spot-x.half*[]float64{1, 1, 0.7}[i], x.spot+x.half*[]float64{1, 1, 0.7}[i], x.step)
		}
		if x.weeklies == 0 {
			continue
		}
		for i, e := range weekly(x.weeklies, x.day) {
			half := x.half * []float64{1, 1, 0.7, 0.7}[i]
			g.chain(c, weekCode(e), e, x.spot-half, x.spot+half, x.step)
		}
		for _, e := range quarterly(x.day, months) {
			step := x.step
			if e.Sub(asOf()) > 120*24*time.Hour {
				step *= 10
			}
			g.chain(c, monthCode(e), e, x.spot-x.half, x.spot+x.half, step)
		}
	}
}

// weekly returns the next n expiries of weeks that have no monthly one.
func weekly(n int, day time.Weekday) []time.Time {
	var out []time.Time
	for d := asOf(); len(out) < n; d = d.AddDate(0, 0, 1) {
		e := tradingDay(d)
		if d.Weekday() == day && !e.Before(asOf()) && !e.Equal(lastWeekday(d.Year(), d.Month(), day)) {
			out = append(out, e)
		}
	}
	return out
}

// quarterly returns the far expiries: quarters within a year, half years within three.
func quarterly(day time.Weekday, near []time.Time) []time.Time {
	var out []time.Time
	for _, e := range monthly(40, day) {
		days := int(e.Sub(asOf()).Hours() / 24)
		half, quarter := e.Month()%6 == 0, e.Month()%6 == 3 && days < 330
		if (half || quarter) && float64(days) < 365*3.2 && !slices.ContainsFunc(near, e.Equal) {
			out = append(out, e)
		}
	}
	return out
}

func (g *generator) stockDerivatives() {
	for _, s := range stocks() {
		c := contract{exchange: "NFO", name: s.symbol, tick: 0.05, lot: s.lot, first: 36_000}
		if s.price < 250 {
			c.tick = 0.01
		}
		for i, e := range monthly(3, time.Tuesday) {
			g.future(c, monthCode(e), e)
			each := float64(int(min(48, max(14, s.price*[]float64{0.33, 0.30, 0.22}[i]/s.step))))
			middle := math.RoundToEven(s.price/s.step) * s.step
			g.chain(c, monthCode(e), e, middle-each*s.step, middle+each*s.step, s.step)
		}
	}
}

func (g *generator) currencies() {
	for _, x := range []struct {
		name       string
		spot, half float64
	}{{"USDINR", 89.4, 5}, {"EURINR", 103.7, 6}, {"GBPINR", 118.2, 6.5}, {"JPYINR", 57.3, 4.25}} {
		nse := contract{exchange: "CDS", name: x.name, tick: 0.0025, lot: 1, first: 1500}
		months := monthly(12, time.Tuesday)
		for i, e := range months {
			day := tradingDay(e.AddDate(0, 0, 1))
			g.future(nse, monthCode(day), day)
			if i < 3 {
				g.chain(nse, monthCode(day), day, x.spot-x.half, x.spot+x.half, 0.25)
			}
		}
		weeks := 0
		for d := asOf(); weeks < 6; d = d.AddDate(0, 0, 1) {
			if d.Weekday() == time.Friday {
				g.chain(nse, weekCode(tradingDay(d)), tradingDay(d), x.spot-x.half, x.spot+x.half, 0.25)
				weeks++
			}
		}
		bse := contract{exchange: "BCD", name: x.name, tick: 0.0025, lot: 1, first: 1100}
		for _, e := range months[:3] {
			g.future(bse, monthCode(e), e)
		}
	}
}

func (g *generator) commodities() {
	for _, x := range []struct {
		name             string
		spot, step, half float64 // step 0: no options
		tick             float64
		optionDay        int
		futureDay        int
	}{
		{"GOLD", 129500, 500, 30000, 1, 27, 5},
		{"GOLDM", 129500, 500, 30000, 1, 27, 5},
		{"SILVER", 174000, 500, 75000, 1, 24, 4},
		{"SILVERM", 174000, 500, 80000, 0.5, 24, 30},
		{"CRUDEOIL", 5300, 50, 1800, 1, 16, 18},
		{"CRUDEOILM", 5300, 50, 1800, 1, 16, 18},
		{"NATURALGAS", 430, 5, 200, 0.1, 23, 28},
		{"NATGASMINI", 430, 5, 200, 0.1, 23, 28},
		{"COPPER", 1030, 5, 250, 0.05, 22, 31},
		{"ZINC", 302, 2.5, 60, 0.05, 22, 31},
		{"GOLDGUINEA", 0, 0, 0, 1, 0, 31},
		{"GOLDPETAL", 0, 0, 0, 1, 0, 31},
		{"ALUMINIUM", 0, 0, 0, 0.05, 0, 31},
		{"LEAD", 0, 0, 0, 0.05, 0, 31},
		{"SILVERMIC", 0, 0, 0, 1, 0, 28},
		{"MENTHAOIL", 0, 0, 0, 0.1, 0, 30},
		{"ELECDMBL", 0, 0, 0, 1, 0, 29},
	} {
		c := contract{exchange: "MCX", name: x.name, tick: x.tick, lot: 1, first: 470_000}
		for n, month := 0, asOf().Month(); n < 6; month++ {
			first := date(asOf().Year(), month, 1)
			last := first.AddDate(0, 1, -1).Day()
			expiry := tradingDay(date(first.Year(), first.Month(), min(x.futureDay, last)))
			if expiry.Before(asOf()) {
				n++
				continue
			}
			g.future(c, monthCode(expiry), expiry)
			options := tradingDay(date(first.Year(), first.Month(), min(x.optionDay, 28)))
			// Far options reach less wide.
			half := x.half * min(1, 1.2-0.1*float64(n))
			if x.step > 0 && n < 5 && !options.Before(asOf()) {
				g.chain(c, monthCode(options), options, x.spot-half, x.spot+half, x.step)
			}
			n++
		}
	}
}
