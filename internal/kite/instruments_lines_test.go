package kite_test

import (
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// However a list arrives, piece by piece or with its end, it is the same list.
func TestLoadInstrumentsInAnyPieces(t *testing.T) {
	t.Parallel()
	text := demoCSV(t)
	text = text[:strings.LastIndexByte(text[:100_000], '\n')] // more than one buffer, without the last line break
	want := load(t, text)
	for name, pieces := range map[string]func(io.Reader) io.Reader{
		"bytes":          iotest.OneByteReader,
		"halves":         iotest.HalfReader,
		"data with EOF":  iotest.DataErrReader,
		"nothing at all": func(r io.Reader) io.Reader { return &hesitant{Reader: r} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, stats, err := kite.LoadInstruments(pieces(strings.NewReader(text)))
			if err != nil || got.Revision() != want.Revision() || stats.Rows != want.Len() || stats.Skipped != 0 {
				t.Errorf("%+v, %v, %v", got, stats, err)
			}
		})
	}
	if _, _, err := kite.LoadInstruments(iotest.ErrReader(io.ErrNoProgress)); err == nil {
		t.Error("a broken reader was taken for a list")
	}
}

// hesitant returns nothing every other time, as a reader may.
type hesitant struct {
	io.Reader
	now bool
}

// Read reads when it is in the mood.
func (h *hesitant) Read(p []byte) (int, error) {
	if h.now = !h.now; !h.now {
		return 0, nil
	}
	return h.Reader.Read(p)
}

// neighbour is a row with all that is known of it.
type neighbour struct {
	Row     kite.Instrument
	Details kite.InstrumentDetails
}

// rowsByToken are the rows of a list; nil when it is refused or has rows that repeat others.
func rowsByToken(text string) map[uint32]neighbour {
	m, stats, err := kite.LoadInstruments(strings.NewReader(text))
	if err != nil || stats.Duplicates > 0 {
		return nil
	}
	all, err := m.Search(kite.SearchQuery{Text: ":"}) // stands in every id
	if err != nil {
		return nil
	}
	rows := map[uint32]neighbour{}
	for _, in := range all.Rows {
		rows[in.Token] = neighbour{in, m.Details(in.Token)}
	}
	return rows
}

// A row is read by what differs from the row before, so it must read the same whatever that was.
func FuzzInstrumentsNeighbours(f *testing.F) {
	call := `257,1,X26DEC100CE,"X",0,2026-12-29,100,0.05,75,CE,NFO-OPT,NFO`
	for _, pair := range [][2]string{
		{call, `513,2,X26DEC100PE,"X",0,2026-12-29,100,0.05,75,PE,NFO-OPT,NFO`},
		{call, `513,2,X26DEC100PE,"X",0,2026-12-29,100,0.05,75,PE,NFO-OPT,NFOX`},
		{call, `513,2,X26DEC100PE,"X",0,2026-12-29,100,0.05,75,PE,NFO-OPT,`},
		{call, `513,2,X26DEC100PE,"X",0,2026-12-29,100,0.05,75,PE,NFO-OPT`},
		{call, `513,2,X26DEC100PE,"X"Y,0,2026-12-29,100,0.05,75,PE,NFO-OPT,NFO`},
		{call, `513,2,X26DEC100PE,X,1.5,,,,0,EQ,NSE,NSE`},
		{`257,1,A,"N ""x""",7,,0,0.05,1,EQ,NSE,NSE`, `513,2,B,"N ""x""",,,0,0.05,1,EQ,NSE,NSE`},
		{`257,1,A,N,7,,0,0.05,x,EQ,NSE,NSE`, `513,2,B,N,0,,0,0.05,1,EQ,NSE,NSE`},
		{`257,1,A,N,7,,0,0.05,1,EQ,NSE,`, `513,2,B,N,7,,0,0.05,1,EQ,NSE,`},
		{strings.Replace(infyLine, "408065", "257", 1) + `,"active":true,"series":"EQ"}`, strings.Replace(infyLine, `408065,"exchange_token":1594,"tradingsymbol":"INFY"`, `513,"exchange_token":2,"tradingsymbol":"B"`, 1) + `,"series":"BE"}`},
		{`{"instrument_token":257,"exchange_token":1,"tradingsymbol":"A","name":"X","name":"Y","lot_size":1,"segment":"NSE","exchange":"NSE"}`, `{"instrument_token":513,"exchange_token":2,"tradingsymbol":"B","name":"Z","name":"Y","lot_size":1,"segment":"NSE","exchange":"NSE"}`},
		{`{"instrument_token":257, "exchange_token":1, "tradingsymbol":"A", "lot_size":1, "segment":"NSE", "exchange":"NSE"} `, `{"instrument_token":513, "exchange_token":2, "tradingsymbol":"B", "lot_size":1, "segment":"NSE", "exchange":"NSE", "expiry":"2026-12-29" }`},
		{`{"lot_size":1,"segment":"NSE","exchange":"NSE","tradingsymbol":"A","exchange_token":1,"instrument_token":257}`, `{"lot_size":1,"segment":"NSE","exchange":"NSE","tradingsymbol":"A","exchange_token":1,"instrument_token":2573,"isin":"\u0049"}`},
		{`{"exchange_token":1,"tradingsymbol":"A","lot_size":1,"segment":"NSE","exchange":"NSE"}`, `{"instrument_token":513,"exchange_token":2,"tradingsymbol":"B","lot_size":1,"segment":"NSE","exchange":"NSE"}`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, before, line string) {
		if strings.ContainsAny(before+line, "\r\n") {
			return
		}
		start := header + "1025,4,FIRST,,3,,5,0.01,9,EQ,MCX,MCX\n"
		if strings.HasPrefix(before, "{") {
			start = `{"instrument_token":1025,"exchange_token":4,"tradingsymbol":"FIRST","last_price":3,"strike":5,"tick_size":0.01,"lot_size":9,"instrument_type":"EQ","segment":"MCX","exchange":"MCX","isin":"I","series":"S"}` + "\n"
		}
		got := rowsByToken(start + before + "\n" + line + "\n")
		if got == nil {
			return
		}
		want := rowsByToken(start + before + "\n")
		maps.Copy(want, rowsByToken(start+line+"\n"))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q after %q (-want +got):\n%s", line, before, d)
		}
	})
}
