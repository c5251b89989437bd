package instrumentstest

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

//go:embed stocks.txt
var stockTable string

// stock is a share that derivatives exist of.
type stock struct {
	symbol, name string
	price, step  float64
	lot          int
}

func stocks() []stock {
	var out []stock
	for line := range strings.Lines(stockTable) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "#") || len(f) != 5 {
			continue
		}
		s := stock{symbol: f[0], name: f[1]}
		s.price, _ = strconv.ParseFloat(f[2], 64) // a table of our own
		s.lot, _ = strconv.Atoi(f[3])
		s.step, _ = strconv.ParseFloat(f[4], 64)
		out = append(out, s)
	}
	return out
}

// knownNSE and knownBSE are real exchange tokens that tests may ask for.
func knownNSE(symbol string) uint32 {
	return map[string]uint32{
		"INFY": 1594, "RELIANCE": 2885, "SBIN": 3045, "TCS": 11536, "HDFCBANK": 1333, "ICICIBANK": 4963, "M&M": 2031, "BAJAJ-AUTO": 16669,
		"ITC": 1660, "IDEA": 14366, "GOLDBEES": 14428, "CENTRALBK-BE": 14898,
	}[symbol]
}

func knownBSE(symbol string) uint32 {
	return map[string]uint32{"SBIN": 500112, "RELIANCE": 500325, "INFY": 500209, "TCS": 532540, "HDFCBANK": 500180}[symbol]
}

// Rows of cash segments without indices.
const (
	sharesNSE = 9176
	sharesBSE = 16509
)

// shares adds what trades in the cash segments: shares, funds and, by far the most, debt.
func (g *generator) shares() {
	count := map[string]int{}
	put := func(r row) bool {
		r.kind, r.segment = "EQ", r.exchange
		if r.exchangeToken == 0 {
			first := uint32(20_000)
			if r.exchange == "BSE" {
				first = 505_000
			}
			r.exchangeToken = g.next(r.exchange, first)
		}
		added := g.add(r)
		if added {
			count[r.exchange]++
		}
		return added
	}
	for _, s := range stocks() {
		put(row{exchange: "NSE", symbol: s.symbol, name: s.name, exchangeToken: knownNSE(s.symbol), tick: tick(s.price), lot: 1, isin: isin(s.symbol), series: "EQ"})
		put(row{exchange: "BSE", symbol: s.symbol, name: s.name, exchangeToken: knownBSE(s.symbol), tick: tick(s.price), lot: 1, isin: isin(s.symbol), series: "A"})
	}
	for _, s := range oddShares() {
		put(row{exchange: "NSE", symbol: s[0], name: s[1], exchangeToken: knownNSE(s[0]), tick: 0.01, lot: 1, isin: isin(s[0]), series: seriesOf(s[0])})
	}
	for n := 0; n < 2800; {
		symbol, name := g.company()
		suffix, series, lot := "", "EQ", 1
		switch {
		case n >= 2570:
			suffix = g.oneOf("-BE -BE -BZ -BL")
		case n >= 2050:
			suffix, lot = g.oneOf("-SM -SM -SM -ST"), 200*g.random.between(2, 15)
		}
		if suffix != "" {
			series = suffix[1:]
		}
		if put(row{exchange: "NSE", symbol: symbol + suffix, name: name, tick: 0.01, lot: lot, isin: isin(symbol), series: series}) {
			n++
			put(row{exchange: "BSE", symbol: symbol, name: name, tick: 0.01, lot: 1, isin: isin(symbol), series: g.oneOf("A B X XT T M")})
		}
	}
	for count["BSE"] < sharesBSE-11_400 {
		symbol, name := g.company()
		put(row{exchange: "BSE", symbol: symbol, name: name, tick: 0.01, lot: 1, isin: isin(symbol), series: "X"})
	}
	for count["BSE"] < sharesBSE {
		put(row{exchange: "BSE", symbol: g.bond(26), tick: 0.01, lot: 1, series: "F"})
	}
	for n := 0; count["NSE"] < sharesNSE; n++ {
		put(g.debt(n))
	}
}

// debt is a bond, a state loan, a treasury bill, a government loan or a fund, in the proportions of a real list.
func (g *generator) debt(n int) row {
	r := row{exchange: "NSE", tick: 0.01, lot: 100}
	switch {
	case n%20 < 11:
		r.symbol, r.series, r.lot = g.bond(27)+"-N"+g.oneOf("0 1 2 3 4 5 6 7 8 9 A"), "N0", 1
	case n%20 < 18:
		state, coupon, year := g.oneOf("AP AS BR CG GJ HR JK KA KL MH MP PN RJ TN TS UK UP WB"), g.random.between(680, 795), g.random.between(2027, 2056)
		r.symbol, r.series = fmt.Sprintf("%d%s%02d%s-SG", coupon, state, year%100, g.oneOf("A B C")), "SG"
		r.name = fmt.Sprintf("SDL %s %.2f%% %d", state, float64(coupon)/100, year)
	case n%40 == 18:
		days, day := g.oneOf("91 182 364"), asOf().AddDate(0, 0, g.random.below(364))
		r.symbol, r.name, r.series = days+"D"+day.Format("020106")+"-TB", "GOI TBILL "+days+"D-"+day.Format("02/01/06"), "TB"
	case n%40 == 38:
		coupon, year := g.random.between(610, 830), g.random.between(2027, 2066)
		r.symbol, r.name, r.series = fmt.Sprintf("%dGS%d-GS", coupon, year), fmt.Sprintf("GOI LOAN  %.2f%% %d", float64(coupon)/100, year), "GS"
	default:
		house, theme := g.oneOf("AXIS DSP EDEL GROWW HDFC ICICIPR KOTAK MIRAE SBI UTI"), g.oneOf("ALPHA AUTO BANK CONS GOLD IT LOWVOL MID MOM PVTBK SILVER SMALL VALUE")
		r.symbol, r.series, r.lot = theme+house+strconv.Itoa(n), "EQ", 1
		r.name = house + "AMC - " + r.symbol
	}
	return r
}

func (g *generator) bond(firstYear int) string {
	const letters = "A B C D F G H I K L M N P R S T"
	return strconv.Itoa(g.random.between(675, 1365)) + g.oneOf(letters) + g.oneOf(letters) + g.oneOf(letters) + "L" +
		strconv.Itoa(g.random.between(firstYear, 42)) + []string{"", "", "", "A"}[g.random.below(4)]
}

// company invents a listed company.
func (g *generator) company() (symbol, name string) {
	first := g.oneOf("AARAV ALPINE AMRIT ANAND APEX ARUNA ASHOKA AVANTI BALAJI BHARAT CHAITRA COSMO DECCAN DEEPAK DHRUVA EASTERN FALCON GANGA " +
		"GAURAV GODAVARI HARITA HIMALAYA INDRA JAYANT KAVERI KIRAN KONKAN LAXMI LOTUS MADHAV MERIDIAN MODERN NARMADA NAVIN NILGIRI ORIENT PANKAJ PARAS " +
		"PRAKASH PREMIER RAJAT RANGER ROHINI SAGAR SANJAY SHAKTI SHIVA SUNRISE SURYA TARANG TRIDENT UDAY UMANG UNIQUE VIJAY VIKAS WESTERN YAMUNA ZENITH")
	second := g.oneOf("AGRO ALLOYS AUTO BEARINGS BIOTECH CABLES CAPITAL CEMENT CERAMICS CHEMICALS COTTON DAIRY DRUGS ENERGY ENGINEERS EXPORTS " +
		"FINANCE FOODS FORGE GEARS GLASS HOTELS INFRA JEWELS LABS LEASING MEDIA METALS MILLS MOTORS OILS PACKAGING PAINTS PAPER PHARMA PIPES PLASTICS " +
		"POLYMERS POWER PROJECTS REALTY RETAIL RUBBER SHIPPING SILK SOFTWARE STEEL SUGARS TECH TEXTILES TILES TOOLS TRADING TUBES TYRES VENTURES WIRES")
	third := []string{"", " INDIA", " INDUSTRIES", " (INDIA)", " & CO", " GROUP", " INTERNATIONAL"}[g.random.below(7)]
	symbol = first[:g.random.between(3, min(6, len(first)))] + second[:g.random.between(3, min(5, len(second)))]
	if g.random.below(3) == 0 {
		symbol = symbol[:min(7, len(symbol))] + strconv.Itoa(g.random.between(1, 999))
	}
	return symbol, first + " " + second + third
}

// oddShares are symbols with an ampersand, a digit in front, a suffix or a hyphen.
func oddShares() [][2]string {
	return [][2]string{
		{"M&MFIN", "M&M FIN. SERVICES"},
		{"J&KBANK", "THE JAMMU & KASHMIR BANK"},
		{"ARE&M", "AMARA RAJA ENERGY MOB"},
		{"GVT&D", "GE VERNOVA T&D INDIA"},
		{"S&SPOWER", "S & S POWER SWITCHGEARS"},
		{"NAM-INDIA", "NIPPON L I A M"},
		{"63MOONS", "63 MOONS TECHNOLOGIES"},
		{"3MINDIA", "3M INDIA"},
		{"20MICRONS", "20 MICRONS"},
		{"5PAISA", "5PAISA CAPITAL"},
		{"NIFTYBEES", "NIPPON INDIA ETF NIFTY BEES"},
		{"GOLDBEES", "NIPPON INDIA ETF GOLD BEES"},
		{"BANKBEES", "NIPPON INDIA ETF BANK BEES"},
		{"NIFTYIETF", "ICICIPRAMC - NIFTYIETF"},
		{"SGBDE31III-GB", "2.50%GOLDBONDS2031SR-III"},
		{"EMBASSY-RR", "EMBASSY OFFICE PARKS REIT"},
		{"INDIGRID-IV", "INDIGRID INFRA TRUST"},
		{"CENTRALBK-BE", "CENTRAL BANK OF INDIA"},
		{"IRB-BL", "IRB INFRA DEV"},
		{"RAIN", "RAIN INDUSTRIES"},
		{"KAVERIAGRO-SM", "KAVERI AGRO MOULDINGS"},
	}
}

func seriesOf(symbol string) string {
	if _, suffix, ok := strings.Cut(symbol, "-"); ok && len(suffix) == 2 {
		return suffix
	}
	return "EQ"
}

// tick is the price step of a share; dear shares move in larger ones.
func tick(price float64) float64 {
	for _, step := range []struct{ below, tick float64 }{{250, 0.01}, {1000, 0.05}, {5000, 0.1}, {10_000, 0.5}, {20_000, 1}} {
		if price < step.below {
			return step.tick
		}
	}
	return 5
}

func isin(symbol string) string {
	h := sha256.Sum256([]byte(symbol))
	n := binary.BigEndian.Uint64(h[:])
	return fmt.Sprintf("INE%03d%c01%03d", n%1000, 'A'+rune(n>>16%16), 10+n>>32%990)
}
