package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/instrumentstest"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// failed calls a tool that must refuse.
func failed(tb testing.TB, env *tools.Env, tool, args string) *tools.Failure {
	tb.Helper()
	res, err := registry(tb, tools.Options{}).Call(tb.Context(), env, tools.Profile{}, tool, json.RawMessage(args))
	if err == nil {
		tb.Fatalf("%s %s answers %s", tool, args, res.Structured)
	}
	return tools.Explain(err)
}

func TestSearchModes(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	for name, tc := range map[string]struct {
		args string
		want []string
	}{
		"id":                  {`"search_mode":"get_by_id","id":"NSE:INFY"`, []string{"NSE:INFY"}},
		"id in lower case":    {`"search_mode":"get_by_id","id":"nse:m&m"`, []string{"NSE:M&M"}},
		"symbol":              {`"search_mode":"get_by_tradingsymbol","exchange":"NSE","tradingsymbol":"NIFTY 50"`, []string{"NSE:NIFTY 50"}},
		"instrument token":    {`"search_mode":"get_by_inst_token","inst_token":408065`, []string{"NSE:INFY"}},
		"token as text":       {`"search_mode":"get_by_inst_token","inst_token":"408065"`, []string{"NSE:INFY"}},
		"exchange token":      {`"search_mode":"get_by_exch_token","exchange":"NSE","exch_token":1594`, []string{"NSE:INFY"}},
		"index by its token":  {`"search_mode":"get_by_exch_token","exchange":"INDICES","exch_token":1001`, []string{"NSE:NIFTY 50"}},
		"search by name":      {`"query":"m&m","filter_on":"tradingsymbol","limit":1`, []string{"NSE:M&M"}},
		"search with a space": {`"query":"nifty 50","filter_on":"tradingsymbol"`, []string{"NSE:NIFTY 50", "NSE:NIFTY 500"}},
	} {
		r, _ := call(t, env, "market", `{"mode":"search",`+tc.args+`}`)
		var ids []string
		for _, row := range rowsOf(t, r) {
			ids = append(ids, row["id"].(string))
		}
		if d := cmp.Diff(tc.want, ids); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if r.Meta["instrument_data_source"] != "bod_instruments" || r.Meta["catalog_date"] != "2026-12-02" || len(fmt.Sprint(r.Meta["catalog_revision"])) != 12 {
			t.Errorf("%s: meta %v", name, r.Meta)
		}
	}
	beyond, _ := call(t, env, "market", `{"mode":"search","search_mode":"get_by_id","id":"NSE:INFY","from":1}`)
	if string(beyond.Data) != "[]" || beyond.Pagination.Total != 1 {
		t.Errorf("beyond the end: %s %+v", beyond.Data, beyond.Pagination)
	}
}

func TestSearchModeErrors(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	for name, tc := range map[string]struct {
		args string
		code tools.Code
		want []string
	}{
		"no query":       {`"limit":5`, tools.CodeInvalidArgument, []string{"query: required for search_mode search"}},
		"unknown mode":   {`"search_mode":"fuzzy","query":"x"`, tools.CodeInvalidArgument, []string{"get_by_exch_token"}},
		"all at once":    {`"search_mode":"get_by_tradingsymbol"`, tools.CodeInvalidArgument, []string{"exchange: required", "tradingsymbol: required"}},
		"of both kinds":  {`"search_mode":"get_by_tradingsymbol","exchange":"NSE","limit":0`, tools.CodeInvalidArgument, []string{"tradingsymbol: required", "limit: "}},
		"no colon":       {`"search_mode":"get_by_id","id":"INFY"`, tools.CodeInvalidArgument, []string{"EXCHANGE:TRADINGSYMBOL"}},
		"token 1.5":      {`"search_mode":"get_by_inst_token","inst_token":1.5`, tools.CodeInvalidArgument, []string{"inst_token"}},
		"token 0":        {`"search_mode":"get_by_inst_token","inst_token":0`, tools.CodeInvalidArgument, []string{"inst_token"}},
		"token 1e400":    {`"search_mode":"get_by_inst_token","inst_token":1e400`, tools.CodeInvalidArgument, []string{"inst_token"}},
		"token too big":  {`"search_mode":"get_by_inst_token","inst_token":4294967296`, tools.CodeInvalidArgument, []string{"inst_token"}},
		"unknown id":     {`"search_mode":"get_by_id","id":"NSE:NOPE"`, tools.CodeNotFound, []string{"NSE:NOPE"}},
		"unknown token":  {`"search_mode":"get_by_inst_token","inst_token":1`, tools.CodeNotFound, []string{"instrument_token 1"}},
		"other exchange": {`"search_mode":"get_by_exch_token","exchange":"MCX","exch_token":1594`, tools.CodeNotFound, []string{"1594 on MCX"}},
		"ISIN":           {`"search_mode":"get_by_isin","isin":"INE009A01021"`, "catalog_unavailable", []string{"no ISIN column"}},
		"by ISIN":        {`"query":"INE","filter_on":"isin"`, "catalog_unavailable", []string{"no ISIN column"}},
		"underlying":     {`"query":"NSE:INFY","filter_on":"underlying"`, tools.CodeInvalidArgument, []string{"NFO, BFO, MCX, CDS and BCD"}},
	} {
		f := failed(t, env, "market", `{"mode":"search",`+tc.args+`}`)
		for _, want := range tc.want {
			if f.Code != tc.code || !strings.Contains(f.Error(), want) {
				t.Errorf("%s: got %s %q, want %s with %q", name, f.Code, f.Error(), tc.code, want)
			}
		}
	}
	r, _ := call(t, env, "market", `{"mode":"search","search_mode":"get_by_id","id":"NSE:INFY","query":"x","filter_on":"name"}`)
	if d := cmp.Diff([]any{"query", "filter_on"}, r.Meta["ignored_arguments"]); d != "" {
		t.Errorf("ignored (-want +got):\n%s", d)
	}
}

const columns = "instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange\n"

// listEnv serves lists of its own, one after another.
func listEnv(tb testing.TB, now func() time.Time, lists ...string) *tools.Env {
	tb.Helper()
	next := 0
	master := kite.NewMaster(kite.MasterOptions{Now: now, Fetch: func(context.Context) (io.ReadCloser, error) {
		text := lists[min(next, len(lists)-1)]
		next++
		if text == "" {
			return nil, io.ErrUnexpectedEOF
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}})
	tb.Cleanup(master.Close)
	return &tools.Env{Kite: kite.None("no account"), Instruments: master, Catalog: embedded(tb), Now: now, Log: slog.New(slog.DiscardHandler)}
}

func december(day int) time.Time { return time.Date(2026, 12, day, 11, 15, 0, 0, kite.IST) }

// A source with ISINs and details shows them in full rows, and a row says
// whether it is traded wherever the source does.
func TestSearchWithDetails(t *testing.T) {
	t.Parallel()
	line := func(token int, exchange, more string) string {
		return fmt.Sprintf(`{"instrument_token":%d,"exchange_token":1,"tradingsymbol":"INFY","name":"INFOSYS","last_price":0,"strike":0,"tick_size":0.1,`+
			`"lot_size":1,"instrument_type":"EQ","segment":"%s","exchange":"%s","isin":"INE009A01021"%s}`+"\n", token, exchange, exchange, more)
	}
	env := listEnv(t, func() time.Time { return december(2) },
		line(257, "NSE", `,"series":"EQ","freeze_quantity":100000,"upper_circuit_limit":1801.5,"active":true`)+line(260, "BSE", ""))
	compact, _ := call(t, env, "market", `{"mode":"search","search_mode":"get_by_isin","isin":"ine009a01021"}`)
	rows := rowsOf(t, compact)
	if len(rows) != 2 || rows[0]["active"] != true || rows[0]["series"] != nil || rows[1]["id"] != "BSE:INFY" {
		t.Errorf("compact rows %v", rows)
	}
	if _, has := rows[1]["active"]; has {
		t.Error("a row that does not say whether it is active is given a value")
	}
	full, _ := call(t, env, "market", `{"mode":"search","query":"INE009","filter_on":"isin","verbosity":"full"}`)
	want := map[string]any{
		"id": "NSE:INFY", "instrument_token": 257.0, "tradingsymbol": "INFY", "exchange": "NSE", "name": "INFOSYS", "instrument_type": "EQ",
		"segment": "NSE", "lot_size": 1.0, "active": true, "exchange_token": 1.0, "isin": "INE009A01021", "tick_size": 0.1, "series": "EQ",
		"freeze_quantity": 100000.0, "last_price": 0.0, "upper_circuit_limit": 1801.5,
	}
	if d := cmp.Diff(want, rowsOf(t, full)[0]); d != "" {
		t.Errorf("full row (-want +got):\n%s", d)
	}
}

// When today's list cannot be had, the answer says that it is an old one.
func TestSearchSaysStale(t *testing.T) {
	t.Parallel()
	now := atomic.Int64{}
	now.Store(december(2).Unix())
	env := listEnv(t, func() time.Time { return time.Unix(now.Load(), 0) }, columns+"257,1,INFY,,0,,0,0.1,1,EQ,NSE,NSE\n", "")
	const query = `{"mode":"search","query":"INFY"}`
	if r, _ := call(t, env, "market", query); r.Meta["stale"] != nil {
		t.Errorf("fresh: meta %v", r.Meta)
	}
	now.Store(december(3).Unix())
	if r, _ := call(t, env, "market", query); r.Meta["stale"] != true || r.Meta["catalog_date"] != "2026-12-02" || len(rowsOf(t, r)) != 1 {
		t.Errorf("stale: meta %v", r.Meta)
	}
}

// side is a call or put of a chain.
type side struct {
	ID    string
	Token uint32  `json:"instrument_token"`
	Lot   int     `json:"lot_size"`
	Tick  float64 `json:"tick_size"`
	Quote map[string]any
}

type chainPage struct {
	Data []struct {
		Strike    float64
		Call, Put *side
	}
	References struct{ Underlying, Future *side }
	Expiries   []string
	Pagination tools.Pagination
	Meta       map[string]any
}

func chainOf(tb testing.TB, env *tools.Env, args string) chainPage {
	tb.Helper()
	_, raw := call(tb, env, "market", `{"mode":"option_chain",`+args+`}`)
	var page chainPage
	if err := json.Unmarshal(raw.Structured, &page); err != nil {
		tb.Fatal(err)
	}
	return page
}

func TestOptionChainLists(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	r, _ := call(t, env, "market", `{"mode":"option_chain","query":"nifty"}`)
	var names []string
	for _, row := range rowsOf(t, r) {
		names = append(names, row["underlying"].(string))
	}
	if len(names) == 0 || names[0] != "BANKNIFTY" || r.Meta["exchange"] != "NFO" || r.Pagination.Limit != 250 {
		t.Errorf("underlyings %v, %+v, %v", names, r.Pagination, r.Meta)
	}
	r, _ = call(t, env, "market", `{"mode":"option_chain","underlying":"nifty","include_live_quote":true,"query":"x"}`)
	rows := rowsOf(t, r)
	if len(rows) == 0 || rows[0]["expiry"] != "2026-12-08" || rows[0]["strikes"].(float64) == 0 || r.Meta["underlying"] != "NIFTY" {
		t.Errorf("expiries %v, %v", rows, r.Meta)
	}
	for i := 1; i < len(rows); i++ {
		if rows[i]["expiry"].(string) <= rows[i-1]["expiry"].(string) {
			t.Errorf("expiries are not in order: %v", rows)
		}
	}
	if d := cmp.Diff([]any{"query", "include_live_quote"}, r.Meta["ignored_arguments"]); d != "" {
		t.Errorf("ignored (-want +got):\n%s", d)
	}
}

func TestOptionChain(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	c := chainOf(t, env, `"underlying":"NIFTY","expiry":"2026-12-08"`)
	if c.Pagination.HasMore || c.Pagination.Total != len(c.Data) || len(c.Data) != 19 {
		t.Fatalf("%+v with %d strikes", c.Pagination, len(c.Data))
	}
	last := 0.0
	for _, s := range c.Data {
		if s.Strike <= last || s.Call == nil || s.Put == nil || s.Call.ID != fmt.Sprintf("NFO:NIFTY26D08%vCE", s.Strike) ||
			s.Put.ID != fmt.Sprintf("NFO:NIFTY26D08%vPE", s.Strike) || s.Call.Lot != 65 || s.Call.Tick != 0.05 || s.Call.Quote != nil {
			t.Fatalf("strike %+v after %v: %+v, %+v", s, last, s.Call, s.Put)
		}
		last = s.Strike
	}
	if c.References.Underlying == nil || c.References.Underlying.ID != "NSE:NIFTY 50" || c.References.Future != nil {
		t.Errorf("references %+v", c.References)
	}
	if len(c.Expiries) == 0 || c.Expiries[0] != "2026-12-08" || c.Meta["expiry"] != "2026-12-08" || c.Meta["underlying"] != "NIFTY" {
		t.Errorf("expiries %v, meta %v", c.Expiries, c.Meta)
	}
	monthly := chainOf(t, env, `"underlying":"NIFTY","expiry":"2026-12-29","limit":1`)
	if monthly.References.Future == nil || monthly.References.Future.ID != "NFO:NIFTY26DECFUT" {
		t.Errorf("future %+v", monthly.References.Future)
	}
	live := chainOf(t, env, `"underlying":"NIFTY","expiry":"2026-12-29","limit":3,"include_live_quote":true`)
	if live.Meta["live_quote_enriched"] != true || live.Data[0].Call.Quote["last_price"] == nil || live.References.Underlying.Quote["last_price"] == nil {
		t.Errorf("quotes: %v, %+v", live.Meta, live.Data[0].Call)
	}
}

func TestOptionChainWithoutQuotes(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "quote:502html*0")
	c := chainOf(t, env, `"underlying":"NIFTY","expiry":"2026-12-08","limit":5,"include_live_quote":true`)
	if len(c.Data) != 5 || c.Meta["live_quote_enriched"] != false || c.Meta["live_quote_error"] == nil {
		t.Errorf("%d strikes, meta %v", len(c.Data), c.Meta)
	}
	env.Kite = kite.None("not logged in")
	if c := chainOf(t, env, `"underlying":"NIFTY","expiry":"2026-12-08"`); len(c.Data) == 0 {
		t.Error("a chain needs no login")
	}
}

func TestOptionChainErrors(t *testing.T) {
	t.Parallel()
	env := demoEnv(t, "")
	for name, tc := range map[string]struct {
		args string
		code tools.Code
		want string
	}{
		"exchange":        {`"exchange":"NSE"`, tools.CodeInvalidArgument, "NFO or BFO"},
		"expiry":          {`"underlying":"NIFTY","expiry":"8 Dec"`, tools.CodeInvalidArgument, "YYYY-MM-DD"},
		"no underlying":   {`"expiry":"2026-12-08"`, tools.CodeInvalidArgument, "underlying: required"},
		"unknown":         {`"underlying":"NOPE"`, tools.CodeNotFound, "NOPE"},
		"no such day":     {`"underlying":"NIFTY","expiry":"2026-12-09"`, tools.CodeNotFound, "2026-12-08"},
		"limit":           {`"underlying":"NIFTY","expiry":"2026-12-08","limit":501`, tools.CodeInvalidArgument, "limit"},
		"foreign release": {`"underlying":"NIFTY","catalog_revision":"0123456789ab"`, "catalog_changed", "0123456789ab"},
	} {
		if f := failed(t, env, "market", `{"mode":"option_chain",`+tc.args+`}`); f.Code != tc.code || !strings.Contains(f.Error(), tc.want) {
			t.Errorf("%s: got %s %q, want %s with %q", name, f.Code, f.Error(), tc.code, tc.want)
		}
	}
}

// A walk over the pages of one expiry stays on its revision: the list is
// renewed between two pages and the old one still serves; renewed twice, the
// walk has to begin again.
func TestOptionChainPinsItsRevision(t *testing.T) {
	t.Parallel()
	lines := []string{columns}
	for line := range strings.Lines(string(instrumentstest.New().CSV())) {
		if strings.Contains(line, `,"NIFTY",`) || strings.Contains(line, ",INFY,") {
			lines = append(lines, line)
		}
	}
	list := strings.Join(lines, "")
	now := atomic.Int64{}
	now.Store(december(2).Unix())
	renewed := func(name string) string { return strings.Replace(list, "INFOSYS", name, 1) }
	env := listEnv(t, func() time.Time { return time.Unix(now.Load(), 0) }, list, renewed("A"), renewed("B"))
	const first = `"underlying":"NIFTY","expiry":"2026-12-29","limit":40`
	pageAt := func(from int, revision any) string {
		return fmt.Sprintf(`%s,"from":%d,"catalog_revision":"%v"`, first, from, revision)
	}
	c := chainOf(t, env, first)
	revision := c.Meta["catalog_revision"]
	strikes := c.Data
	now.Store(december(3).Unix())
	if other := chainOf(t, env, first).Meta["catalog_revision"]; other == revision {
		t.Fatal("the list was not renewed")
	}
	for c.Pagination.HasMore {
		c = chainOf(t, env, pageAt(*c.Pagination.NextFrom, revision))
		if c.Meta["catalog_revision"] != revision {
			t.Fatalf("page of revision %v, want %v", c.Meta["catalog_revision"], revision)
		}
		strikes = append(strikes, c.Data...)
	}
	if len(strikes) != 145 || strikes[0].Strike != 22600 || strikes[144].Strike != 29800 {
		t.Errorf("%d strikes from %v to %v, want 145 from 22600 to 29800", len(strikes), strikes[0].Strike, strikes[len(strikes)-1].Strike)
	}
	for i := 1; i < len(strikes); i++ {
		if strikes[i].Strike != strikes[i-1].Strike+50 {
			t.Errorf("%v follows %v", strikes[i].Strike, strikes[i-1].Strike)
		}
	}
	now.Store(december(4).Unix())
	current := chainOf(t, env, first).Meta["catalog_revision"]
	f := failed(t, env, "market", `{"mode":"option_chain",`+pageAt(40, revision)+`}`)
	if f.Code != "catalog_changed" || !f.Retryable || !strings.Contains(f.Hint, fmt.Sprint(current)) {
		t.Errorf("after two renewals: %+v", f)
	}
}
