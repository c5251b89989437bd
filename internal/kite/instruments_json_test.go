package kite_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

const infyLine = `{"instrument_token":408065,"exchange_token":1594,"tradingsymbol":"INFY","name":"INFOSYS","last_price":0,"expiry":"","strike":0,` +
	`"tick_size":0.1,"lot_size":1,"instrument_type":"EQ","segment":"NSE","exchange":"NSE"`

func gzipped(tb testing.TB, text string) string {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// Every field of a JSON row arrives, compressed or not, whatever form the line has.
func TestLoadJSONLines(t *testing.T) {
	t.Parallel()
	more := `,"id":"NSE:INFY","isin":"INE009A01021","series":"EQ","multiplier":1,"delivery_units":"PCS","price_units":"INR","freeze_quantity":100000,` +
		`"max_order_quantity":5.5,"expiry_type":"M","expiry_date":"x","exercise_start_date":"a","exercise_end_date":"b","issue_date":"c",` +
		`"listing_date":"1995-02-08","maturity_date":"d","lower_circuit_limit":0,"upper_circuit_limit":1801.25,"active":false}`
	want := kite.Instrument{
		Token: 408065, ExchangeToken: 1594, TradingSymbol: "INFY", Name: "INFOSYS", ISIN: "INE009A01021", TickSize: rupee / 10, LotSize: 1,
		Type: "EQ", Segment: "NSE", Exchange: "NSE",
	}
	lower, upper := kite.Price(0), kite.Price(1801.25*rupee)
	details := kite.InstrumentDetails{
		Series: "EQ", Multiplier: "1", DeliveryUnits: "PCS", PriceUnits: "INR", FreezeQuantity: "100000", MaxOrderQuantity: "5.5", ExpiryType: "M",
		ExpiryDate: "x", ExerciseStartDate: "a", ExerciseEndDate: "b", IssueDate: "c", ListingDate: "1995-02-08", MaturityDate: "d", Active: "false",
		LowerCircuitLimit: &lower, UpperCircuitLimit: &upper,
	}
	line := infyLine + more
	for name, text := range map[string]string{
		"plain":     line + "\n",
		"no end":    line,
		"gzip":      gzipped(t, line+"\n"),
		"crlf":      line + "\r\n",
		"spaced":    strings.ReplaceAll(strings.ReplaceAll(line, `":`, `": `), `,"`, `, "`) + "\n",
		"tabs":      strings.ReplaceAll(line, `,"`, ",\t\"") + "\n",
		"escapes":   strings.ReplaceAll(line, "INFOSYS", `INF\u004fSYS`) + "\n",
		"nested":    strings.ReplaceAll(line, `"id":"NSE:INFY"`, `"id":{"a":[1,"}"]}`) + "\n",
		"byte mark": "\ufeff" + line + "\n",
		"order":     "{" + line[strings.Index(line, `"name"`):len(line)-1] + "," + line[1:strings.Index(line, `,"name"`)] + "}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := load(t, text)
			got, ok := m.ByID("NSE:INFY")
			if d := cmp.Diff(want, got); !ok || d != "" {
				t.Errorf("row (-want +got):\n%s", d)
			}
			if d := cmp.Diff(details, m.Details(408065)); d != "" {
				t.Errorf("details (-want +got):\n%s", d)
			}
		})
	}
}

// What a row does not say, or says in a form that cannot be read, is not known; null counts as not said.
func TestJSONDetailsAbsent(t *testing.T) {
	t.Parallel()
	m := load(t, infyLine+`,"isin":null,"series":"","multiplier":"many","freeze_quantity":null,"active":"maybe","lower_circuit_limit":null}`)
	if d := cmp.Diff(kite.InstrumentDetails{}, m.Details(408065)); d != "" || m.HasISIN() {
		t.Errorf("details (-want +got):\n%s", d)
	}
	option := `{"instrument_token":258,"exchange_token":1,"tradingsymbol":"X","strike":100,"lot_size":65,"instrument_type":"CE","segment":"NFO-OPT","exchange":"NFO","expiry_date":"2026-12-29T00:00:00"}`
	if in, _ := load(t, option).ByToken(258); in.Expiry != "2026-12-29" || in.TickSize != 0 || in.Strike != 100*rupee {
		t.Errorf("option = %+v", in)
	}
}

// One line that is no row costs itself only.
func TestJSONBadLines(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"cut":            infyLine,
		"text":           "hello",
		"list":           "[1]",
		"two":            infyLine + "}" + infyLine + "}",
		"no token":       `{"tradingsymbol":"X"}`,
		"token 0":        strings.Replace(infyLine, "408065", "0", 1) + "}",
		"token too big":  strings.Replace(infyLine, "408065", "4294967296", 1) + "}",
		"token 1.5":      strings.Replace(infyLine, "408065", "1.5", 1) + "}",
		"object":         strings.Replace(infyLine, `"INFY"`, `{"a":1}`, 1) + "}",
		"line break":     strings.Replace(infyLine, "INFY", `IN\nFY`, 1) + "}",
		"huge strike":    strings.Replace(infyLine, `"strike":0`, `"strike":1e15`, 1) + "}",
		"leading zero":   strings.Replace(infyLine, "1594", "01594", 1) + "}",
		"comma too many": infyLine + ",}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good := strings.Replace(infyLine, "408065", "513", 1)
			m, stats, err := kite.LoadInstruments(strings.NewReader(good + "}\n" + line + "\n"))
			if err != nil || m.Len() != 1 || stats.Skipped != 1 || !strings.HasPrefix(stats.Problems[0], "line 2: ") {
				t.Errorf("%+v, %v", stats, err)
			}
		})
	}
	broken := gzipped(t, infyLine+"}\n")
	for name, text := range map[string]string{
		"half of a file": infyLine + "}\n" + infyLine[:50],
		"cut gzip":       broken[:len(broken)-9],
		"flipped gzip":   broken[:len(broken)-6] + "\x00\x00" + broken[len(broken)-4:],
	} {
		if m, _, err := kite.LoadInstruments(strings.NewReader(text)); err == nil {
			t.Errorf("%s: accepted with %d rows", name, m.Len())
		}
	}
}

// A line break inside a name would tear the buffers that names are kept in.
func TestJSONNameWithLineBreak(t *testing.T) {
	t.Parallel()
	m := load(t, strings.Replace(infyLine, "INFOSYS", `INFO\nSYS`, 1)+"}")
	if in, _ := m.ByID("NSE:INFY"); in.Name != "INFO SYS" {
		t.Errorf("name %q", in.Name)
	}
}

// What the fast path accepts, encoding/json reads in the same way; what encoding/json refuses is refused.
func FuzzInstrumentsJSONL(f *testing.F) {
	for _, s := range []string{
		infyLine + "}", infyLine + `,"isin":"INE009A01021","active":true}`, strings.ReplaceAll(infyLine, ":", " : ") + " } ",
		infyLine + `,"name":"other","tradingsymbol":"M\u0026M"}`, infyLine + `,"x":[{}],"y":-1.5e3,"z":null}`, infyLine + `,"name":"Kaf` + "\xc3\xa9" + `"}`,
		`{}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":01}`, `{"a":"\"}`, `{"a":tru}`, infyLine + `,"last_price":1.}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "\r\n") || !strings.HasPrefix(s, "{") {
			return
		}
		m, stats, err := kite.LoadInstruments(strings.NewReader(s))
		if err != nil {
			return
		}
		dec := json.NewDecoder(strings.NewReader(s))
		dec.UseNumber()
		var object map[string]any
		if !json.Valid([]byte(s)) || dec.Decode(&object) != nil {
			t.Fatalf("accepted what encoding/json refuses: %q", s)
		}
		text := func(key string) string {
			switch v := object[key].(type) {
			case string:
				return v
			case json.Number:
				return v.String()
			case bool:
				return map[bool]string{true: "true", false: "false"}[v]
			}
			return ""
		}
		in, ok := m.ByID(text("exchange") + ":" + text("tradingsymbol"))
		name := strings.ReplaceAll(text("name"), "\n", " ")
		isin := strings.ReplaceAll(text("isin"), "\n", " ")
		if !ok || stats.Rows != 1 || in.Name != name || in.ISIN != isin || in.Segment != text("segment") || in.Type != text("instrument_type") {
			t.Errorf("%q reads as %+v", s, in)
		}
	})
}
