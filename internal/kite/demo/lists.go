package demo

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
)

// answerQuotes leaves out what it does not know, without a word, as Kite does.
func answerQuotes(most int, quote func(*universe, *instrument, instant) any) func(call) (any, *apiError) {
	return func(c call) (any, *apiError) {
		ids := c.r.URL.Query()["i"]
		if len(ids) > most {
			return nil, invalid("Too many tokens requested. Max permitted is %d.", most)
		}
		data := map[string]any{}
		for _, id := range ids {
			if in, ok := c.u.quoted(id, c.at); ok {
				data[id] = quote(c.u, in, c.at)
			}
		}
		return data, nil
	}
}

// csvList is a list of instruments, in CSV or as JSON lines; gz is the same compressed, when that is at hand.
type csvList struct {
	plain, gz []byte
	json      bool
}

func answerInstruments(c call) (any, *apiError) {
	if len(c.args) == 0 {
		return csvList{plain: c.u.csv, gz: c.u.gz}, nil
	}
	header, rest, _ := bytes.Cut(c.u.csv, []byte("\n"))
	out := append(bytes.Clone(header), '\n')
	found := false
	for line := range bytes.Lines(rest) {
		if bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte(","+c.args[0])) {
			out, found = append(out, line...), true
		}
	}
	if !found {
		return nil, invalid("Invalid `exchange`.")
	}
	return csvList{plain: out}, nil
}

// instrumentLine is a row of the list that needs no login and knows more than the CSV.
type instrumentLine struct {
	ID              string `json:"id"`
	InstrumentToken uint32 `json:"instrument_token"`
	ExchangeToken   uint32 `json:"exchange_token"`
	TradingSymbol   string `json:"tradingsymbol"`
	Name            string `json:"name"`
	LastPrice       amount `json:"last_price"`
	Expiry          string `json:"expiry"`
	Strike          amount `json:"strike"`
	TickSize        amount `json:"tick_size"`
	LotSize         int64  `json:"lot_size"`
	InstrumentType  string `json:"instrument_type"`
	Segment         string `json:"segment"`
	Exchange        string `json:"exchange"`
	ISIN            string `json:"isin"`
	Series          string `json:"series"`
	ExpiryDate      string `json:"expiry_date"`
	Multiplier      int64  `json:"multiplier"`
	FreezeQuantity  int64  `json:"freeze_quantity"`
	Active          bool   `json:"active"`
}

// answerInstrumentsJSON lists all instruments, one JSON object a line.
func answerInstrumentsJSON(c call) (any, *apiError) {
	return csvList{plain: c.u.lines(), json: true}, nil
}

func (u *universe) lines() []byte {
	u.linesOnce.Do(func() {
		var b bytes.Buffer
		for _, in := range u.rows {
			row := instrumentLine{
				ID: in.id(), InstrumentToken: in.token, ExchangeToken: in.token >> 8, TradingSymbol: in.symbol, Name: in.name,
				Strike: in.strike, TickSize: in.tick, LotSize: in.lot, InstrumentType: in.kind, Segment: in.segment, Exchange: in.exchange,
				ISIN: u.isin(in), Multiplier: in.multiplier(), FreezeQuantity: in.freeze(), Active: true,
			}
			switch {
			case in.derivative():
				row.Expiry = in.expiry.String()
				row.ExpiryDate = row.Expiry
			case in.index():
				row.TickSize, row.LotSize = 0, 0
			default:
				row.Series = seriesOf(in.symbol)
			}
			b.Write(mustJSON(row))
			b.WriteByte('\n')
		}
		u.jsonLines = b.Bytes()
	})
	return u.jsonLines
}

// seriesOf reads the series off a symbol: what follows the last dash when it is two characters, else EQ.
func seriesOf(symbol string) string {
	if i := strings.LastIndexByte(symbol, '-'); i > 0 && len(symbol)-i == 3 {
		return symbol[i+1:]
	}
	return "EQ"
}

func writeList(w http.ResponseWriter, r *http.Request, list csvList, f Fault) {
	w.Header().Set("Content-Type", "text/csv")
	if list.json {
		w.Header().Set("Content-Type", "application/jsonl")
	}
	body := list.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		if body = list.gz; body == nil {
			body = compressed(list.plain)
		}
	}
	f.write(w, body)
}

func compressed(plain []byte) []byte {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	_, _ = zip.Write(plain) // a bytes.Buffer takes everything
	_ = zip.Close()
	return buf.Bytes()
}
