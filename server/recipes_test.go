package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// replayed are the topics whose pages are followed call by call, with what they say that the calls come to.
func replayed() map[string]func(*testing.T, *follower) {
	return map[string]func(*testing.T, *follower){
		"/orders":                         nil,
		"/orders/prepare":                 afterPrepare,
		"/orders/margin-check":            afterMarginCheck,
		"/orders/reconcile":               afterReconcile,
		"/triggers-and-alerts":            nil,
		"/triggers-and-alerts/audit":      afterAudit,
		"/troubleshooting":                nil,
		"/troubleshooting/authentication": afterAuthentication,
		"/troubleshooting/data":           afterData,
		"/troubleshooting/execution":      afterExecution,
	}
}

// placeholders are what stands in for the names that a recipe leaves to its reader. An order that the recipe itself
// placed takes the place of the first.
func placeholders() map[string]string {
	return map[string]string{
		"<order_id>": "2044000000000000003",                  // partly filled
		"<uuid>":     "00000000-0000-4000-8000-000000000002", // places a basket, fired once
	}
}

// promised are the fields that recipes tell their readers to look at, by call. A star stands for every element, of which
// one at least has to have it.
func promised() map[string]string {
	const orders = "data.*.order_id data.*.status data.*.quantity data.*.filled_quantity data.*.pending_quantity data.*.status_message data.*.parent_order_id data.*.tag data.*.order_timestamp data.*.exchange_timestamp "
	const trades = "data.*.order_id data.*.trade_id data.*.quantity data.*.average_price data.*.exchange data.*.fill_timestamp "
	const pages = "pagination.has_more pagination.total "
	const trigger = "id status expires_at type condition.trigger_values condition.last_price orders.*.result "
	each := strings.NewReplacer("condition", "data.*.condition", "id ", "data.*.id ", "status ", "data.*.status ", "expires_at", "data.*.expires_at", "type", "data.*.type", "orders", "data.*.orders")
	return map[string]string{
		"market quote":        "data.*.last_price data.*.timestamp data.*.lower_circuit_limit data.*.upper_circuit_limit data.*.depth.buy.*.price data.*.ohlc.close data.*.net_change",
		"market ltp":          "data.*.last_price meta.missing",
		"portfolio profile":   "user_id",
		"portfolio margins":   "equity.enabled equity.net commodity.enabled",
		"portfolio holdings":  pages + "data.*.quantity data.*.t1_quantity data.*.collateral_quantity data.*.opening_quantity data.*.used_quantity data.*.authorised_quantity data.*.isin",
		"portfolio positions": pages + "data.*.exchange data.*.tradingsymbol data.*.product data.*.quantity",
		"orders list":         orders + pages,
		"orders history":      "data.*.status data.*.status_message",
		"orders trades":       trades,
		"orders all_trades":   trades + pages,
		"orders preview":      "data.*.violations data.*.estimated_value data.*.margin.total data.*.margin.leverage data.*.charges.total available.equity.net available.equity.collateral available.equity.enabled",
		"orders place":        "order_id status tag",
		"orders modify":       "order_id status",
		"orders cancel":       "order_id status",
		"gtt list":            each.Replace(trigger) + pages,
		"gtt get":             "data.status data.condition.trigger_values",
		"gtt modify":          "trigger_id",
		"gtt delete":          "trigger_id",
		"alerts get":          "data.*.name data.*.status data.*.disabled_reason data.*.alert_count data.*.type data.*.basket",
		"alerts delete":       "deleted_uuids",
		"session status":      "status kite_session_expires_at seconds_left",
		"session login":       "login_url expires_in",
		"session activity":    pages,
	}
}

// TestRecipesDoWhatTheySay follows the pages about orders, triggers and trouble by the calls in their own text, over
// HTTP: each call is one that the server has, the person approves what changes something, and the answers have the
// fields and come to the states that the text speaks of.
func TestRecipesDoWhatTheySay(t *testing.T) {
	t.Parallel()
	pages, err := catalog.Load(catalog.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	all := replayed()
	for _, k := range pages.Keys() {
		topic, _, _ := strings.Cut(strings.TrimPrefix(k.String(), "/"), "/")
		if _, known := all[k.String()]; !known && slices.Contains([]string{"orders", "triggers-and-alerts", "troubleshooting"}, topic) {
			t.Errorf("%s is not followed; add it to replayed", k)
		}
	}
	for key, after := range all {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			k, err := catalog.ParseKey(key)
			if err != nil {
				t.Fatal(err)
			}
			page, err := pages.Page(k)
			if err != nil {
				t.Fatal(err)
			}
			f := newFollower(t)
			f.follow(string(page.Body))
			if after != nil {
				after(t, f)
			}
			f.knowsWordsOf(string(page.Body))
		})
	}
}

// follower is a client that does what a page says.
type follower struct {
	t      *testing.T
	web    *web
	demo   http.RoundTripper
	login  *switchedLogin
	tools  []string
	words  map[string]bool // that tools/list and the answers have
	values map[string]string
	steps  []step
	asked  []string
}

// step is a call of a page and its answer.
type step struct {
	call string // tool and mode
	args string
	got  map[string]any
}

func newFollower(t *testing.T) *follower {
	t.Helper()
	f := &follower{t: t, values: placeholders(), words: map[string]bool{}}
	s, x, _ := trading(t, func(o *server.Options) {
		client, err := o.Env.Kite.Client(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		master := kite.NewMaster(kite.MasterOptions{Fetch: func(ctx context.Context) (io.ReadCloser, error) { return client.FetchInstruments(ctx) }, Now: o.Env.Now})
		t.Cleanup(master.Close)
		f.login = &switchedLogin{to: o.Env.Kite}
		o.Env.Kite, o.Env.Instruments, o.Env.Logins = f.login, master, f.login
	})
	f.demo, f.web = x.to, newWeb(t, s)
	var list struct{ Tools []struct{ Name string } }
	announced := f.web.call("tools/list", "", params(forms))
	announced.decode(t, &list)
	f.learn(string(announced.Result))
	f.learn(elsewhere())
	for _, tool := range list.Tools {
		f.tools = append(f.tools, tool.Name)
	}
	// What other pages' calls answer: a quote, an instrument in full, a page that is not the last, a part left out.
	f.call("market", `{"mode":"quote","instruments":["NSE:INFY"]}`)
	f.call("market", `{"mode":"search","query":"INFY","verbosity":"full","limit":1}`)
	f.call("orders", `{"mode":"list","limit":1}`)
	f.call("orders", `{"mode":"preview"}`)
	return f
}

// follow makes the calls of a text in their order.
func (f *follower) follow(text string) {
	f.t.Helper()
	for _, c := range callsIn(f.t, text) {
		if !slices.Contains(f.tools, c.tool) {
			if c.tool != "open_kite_view" || !strings.Contains(strings.Join(strings.Fields(text), " "), "if your tools/list has `open_kite_view`") {
				f.t.Errorf("tools/list has no %s", c.tool)
			}
			continue
		}
		f.step(c.tool, c.args)
	}
}

// step makes one call of a page and holds the answer to what pages promise about it.
func (f *follower) step(tool, args string) map[string]any {
	f.t.Helper()
	for name, value := range f.values {
		args = strings.ReplaceAll(args, name, value)
	}
	var mode struct{ Mode string }
	if err := json.Unmarshal([]byte(args), &mode); err != nil || strings.Contains(args, "<") {
		f.t.Fatalf("%s(%s) is no call: %v", tool, args, err)
	}
	s := step{call: tool + " " + mode.Mode, args: args}
	f.login.out.Store(s.call == "session login")
	s.got = f.call(tool, args)
	f.login.out.Store(false)
	if s.call == "market ltp" { // what is missing is named when something is
		s.got = f.call(tool, strings.Replace(args, "[", `["NSE:NOPE",`, 1))
	}
	fields, known := promised()[s.call]
	if !known {
		f.t.Errorf("nothing is promised about %s; add it", s.call)
	}
	for path := range strings.FieldsSeq(fields) {
		if !has(s.got, strings.Split(path, ".")) {
			f.t.Errorf("%s(%s) has no %s", tool, args, path)
		}
	}
	if s.call == "orders place" {
		f.values["<order_id>"] = fmt.Sprint(s.got["order_id"])
	}
	f.steps = append(f.steps, s)
	return s.got
}

// call calls a tool, approves what is asked, and lets the exchange go on for two seconds after a change.
func (f *follower) call(tool, args string) map[string]any {
	f.t.Helper()
	send := func(members ...string) reply {
		return f.web.call("tools/call", tool, params(forms, append(members, fmt.Sprintf(`"name":%q`, tool), `"arguments":`+args)...))
	}
	r := send()
	var q asked
	r.decode(f.t, &q)
	if q.ResultType == "input_required" {
		f.asked = append(f.asked, q.InputRequests["approve"].Params.Message)
		r = send(withState(q.RequestState), respond("accept", yes))
		defer f.advance("2s")
	}
	var got struct {
		IsError           bool
		StructuredContent map[string]any
		Content           []struct{ Text string }
	}
	r.decode(f.t, &got)
	if got.IsError || got.StructuredContent == nil {
		f.t.Fatalf("%s(%s): %+v", tool, args, got.Content)
	}
	f.learn(string(r.Result))
	return got.StructuredContent
}

// elsewhere are words that pages know from other places: what failures are called, a tool for other clients, a field
// of Kite's larger list of instruments, and the state of a change whose answer got lost.
func elsewhere() string {
	return fmt.Sprintln(
		kite.KindUpstreamUnavailable, kite.KindCatalogUnavailable, kite.KindCatalogChanged, kite.KindInvalidArgument, kite.KindNotFound,
		kite.KindRateLimited, kite.KindTimeout, kite.KindInternal, tools.CodeExcluded, tools.CodeApprovalCancelled, tools.CodeApprovalDeclined,
		tools.CodeApprovalInvalid, tools.CodeApprovalUnavailable, "open_kite_view freeze_quantity", kite.IntentUnknown)
}

func (f *follower) learn(text string) {
	for _, word := range regexp.MustCompile(`[A-Za-z0-9_]+`).FindAllString(text, -1) {
		f.words[word] = true
	}
}

// knowsWordsOf holds every name that a page puts in code marks to the names that there are.
func (f *follower) knowsWordsOf(page string) {
	f.t.Helper()
	for _, name := range regexp.MustCompile("`([a-z][a-z0-9_]*(?:\\[i\\])?(?:\\.[a-z_]+)*)`").FindAllStringSubmatch(page, -1) {
		for part := range strings.SplitSeq(strings.ReplaceAll(name[1], "[i]", ""), ".") {
			if !f.words[part] {
				f.t.Errorf("%s: nothing that the server says has the word %s", name[0], part)
			}
		}
	}
}

func (f *follower) advance(by string) {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, demo.BaseURL+"/__demo/clock", strings.NewReader(`{"advance":"`+by+`"}`))
	if err != nil {
		f.t.Fatal(err)
	}
	resp, err := f.demo.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		f.t.Fatalf("advance the demo clock: %v %v", resp, err)
	}
	_ = resp.Body.Close()
}

// answer is the answer of the n-th such call, counted from 0.
func (f *follower) answer(call string, n int) map[string]any {
	f.t.Helper()
	for _, s := range f.steps {
		if s.call == call {
			if n == 0 {
				return s.got
			}
			n--
		}
	}
	f.t.Fatalf("the page does not call %s so often", call)
	return nil
}

// expect compares one value of an answer, given by its path, as text.
func (f *follower) expect(answer map[string]any, path, want string) {
	f.t.Helper()
	if got := text(dig(answer, strings.Split(path, "."))); got != want {
		f.t.Errorf("%s is %s, want %s", path, got, want)
	}
}

// row is the row of a list whose field has a value.
func (f *follower) row(answer map[string]any, field, value string) map[string]any {
	f.t.Helper()
	rows, _ := answer["data"].([]any)
	for _, r := range rows {
		if row, _ := r.(map[string]any); text(row[field]) == value {
			return row
		}
	}
	f.t.Fatalf("no row has %s %s", field, value)
	return nil
}

// text is a JSON value as it is written.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return strings.Trim(string(b), `"`)
}

func dig(v any, path []string) any {
	for _, name := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// has reports whether a value has a field, be it null.
func has(v any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	switch at := v.(type) {
	case map[string]any:
		if path[0] == "*" {
			return slices.ContainsFunc(slices.Collect(maps.Values(at)), func(v any) bool { return has(v, path[1:]) })
		}
		next, ok := at[path[0]]
		return ok && has(next, path[1:])
	case []any:
		return path[0] == "*" && slices.ContainsFunc(at, func(v any) bool { return has(v, path[1:]) })
	}
	return false
}

type writtenCall struct{ tool, args string }

// callsIn finds every call that a text shows: a name, and one JSON object in brackets.
func callsIn(t *testing.T, text string) []writtenCall {
	t.Helper()
	var calls []writtenCall
	for _, at := range regexp.MustCompile(`\b[a-z_]+\(\{`).FindAllStringIndex(text, -1) {
		open := at[1] - 1
		dec := json.NewDecoder(strings.NewReader(text[open:]))
		var args json.RawMessage
		if err := dec.Decode(&args); err != nil || !strings.HasPrefix(text[open+int(dec.InputOffset()):], ")") {
			t.Fatalf("%s... is no call: %v", text[at[0]:at[1]], err)
		}
		calls = append(calls, writtenCall{text[at[0] : open-1], string(args)})
	}
	return calls
}

// switchedLogin is a login that can be away for a call.
type switchedLogin struct {
	to  kite.Source
	out atomic.Bool
}

// Client implements kite.Source.
func (s *switchedLogin) Client(ctx context.Context) (*kite.Client, error) {
	if s.out.Load() {
		return kite.None("logged out").Client(ctx)
	}
	return s.to.Client(ctx)
}

// Begin implements tools.Logins.
func (*switchedLogin) Begin(context.Context) (string, time.Duration, error) {
	return "http://localhost/login", time.Minute, nil
}

// End implements tools.Logins.
func (*switchedLogin) End(context.Context) (bool, error) { return true, nil }

// afterPrepare: the example of the summary has the preview's figures, and the order is placed, changed and cancelled.
func afterPrepare(t *testing.T, f *follower) {
	t.Helper()
	preview := f.answer("orders preview", 0)
	f.expect(preview, "data.0.violations", "[]")
	f.expect(preview, "data.0.estimated_value", "18805")
	f.expect(preview, "data.0.margin.total", "18805")
	f.expect(preview, "data.0.charges.total", "22.307")
	f.expect(f.answer("orders place", 0), "status", "submitted")
	f.expect(f.answer("orders place", 0), "tag", "plan01")
	order := f.row(f.call("orders", `{"mode":"list"}`), "order_id", f.values["<order_id>"])
	if text(order["status"]) != "CANCELLED" || text(order["price"]) != "1879" || text(order["quantity"]) != "10" || text(order["tag"]) != "plan01" {
		t.Errorf("in the end the order is %v", order)
	}
	if len(f.asked) != 3 || !strings.Contains(f.asked[1], "price 1880.5 → 1879") || !strings.Contains(f.asked[2], "cancel") {
		t.Errorf("asked %q", f.asked)
	}
}

// afterMarginCheck: the hedge has a benefit, and the example of a shortfall is true.
func afterMarginCheck(t *testing.T, f *follower) {
	t.Helper()
	f.expect(f.answer("orders preview", 0), "shortfall", "null")
	basket := f.answer("orders preview", 1)
	f.expect(basket, "basket.initial.total", "10725")
	f.expect(basket, "basket.final.total", "10465")
	short := f.call("orders", `{"mode":"preview","tradingsymbol":"INFY","transaction_type":"BUY","quantity":50,"product":"CNC","order_type":"LIMIT","price":1880}`)
	f.expect(short, "shortfall", `{"available":71078.7875,"missing":22921.2125,"required":94000}`)
	f.expect(short, "basket.final.total", "94000")
	if len(f.asked) != 0 {
		t.Errorf("asked %q", f.asked)
	}
}

// afterReconcile: a partly filled order is in flight, a rejected one says why, a cancelled one keeps its pending
// quantity. cmd's TestReconcileRecipe follows the arithmetic.
func afterReconcile(t *testing.T, f *follower) {
	t.Helper()
	book := f.answer("orders list", 0)
	partly := f.row(book, "order_id", f.values["<order_id>"])
	if text(partly["status"]) != "OPEN" || text(partly["filled_quantity"]) != "150" || text(partly["quantity"]) != "400" {
		t.Errorf("partly filled: %v", partly)
	}
	if rejected := f.row(book, "status", "REJECTED"); !strings.Contains(text(rejected["status_message"]), "Insufficient funds") {
		t.Errorf("rejected: %v", rejected)
	}
	if cancelled := f.row(book, "order_id", "2044000000000000006"); text(cancelled["filled_quantity"]) != "1500" || text(cancelled["pending_quantity"]) != "2500" {
		t.Errorf("cancelled after a part: %v", cancelled)
	}
	f.row(book, "status", "TRIGGER PENDING")
}

// afterAudit: triggers of each kind are there, a failed one says why, and the changes were made.
func afterAudit(t *testing.T, f *follower) {
	t.Helper()
	list := f.answer("gtt list", 0)
	f.expect(f.row(list, "type", "two-leg"), "condition.trigger_values", "[1380,1750]")
	failed := f.row(list, "status", "triggered")
	f.expect(failed, "orders.0.result.order_result.status", "failed")
	f.expect(failed, "orders.0.result.order_result.rejection_reason", "Holdings are not authorised for sale.")
	f.expect(f.row(f.answer("alerts get", 0), "type", "ato"), "alert_count", "1")
	if len(f.asked) != 3 || !strings.Contains(f.asked[0], "1400 → 1500") {
		t.Errorf("asked %q", f.asked)
	}
	after := f.call("gtt", `{"mode":"list"}`)
	for _, r := range after["data"].([]any) {
		if row := r.(map[string]any); text(row["id"]) == "900001" && text(row["status"]) == "active" {
			t.Errorf("the deleted trigger is %v", row)
		}
	}
	if got := text(f.call("alerts", `{"mode":"get","status":"enabled"}`)["data"]); strings.Contains(got, f.values["<uuid>"]) {
		t.Errorf("the deleted alert is still there: %s", got)
	}
}

func afterAuthentication(t *testing.T, f *follower) {
	t.Helper()
	f.expect(f.answer("session status", 0), "status", "authenticated")
	f.expect(f.answer("portfolio profile", 0), "user_id", "DM0001")
	f.expect(f.answer("portfolio profile", 0), "demo", "true")
	f.login.out.Store(true)
	f.expect(f.call("session", `{"mode":"status"}`), "status", "not_authenticated")
}

func afterData(t *testing.T, f *follower) {
	t.Helper()
	f.expect(f.answer("market ltp", 0), "meta.missing", `["NSE:NOPE"]`)
	holdings := f.answer("portfolio holdings", 0)
	f.expect(holdings, "pagination.total", strconv.Itoa(len(holdings["data"].([]any))))
	beyond := f.call("portfolio", `{"mode":"holdings","from":500}`)
	f.expect(beyond, "data", "[]")
}

// afterExecution: what was approved is in the activity, with the id that it has at Kite.
func afterExecution(t *testing.T, f *follower) {
	t.Helper()
	f.expect(f.answer("session activity", 0), "data", "[]")
	placed := f.call("orders", `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":1,"product":"CNC","order_type":"LIMIT","price":1800}`)
	row := f.row(f.call("session", `{"mode":"activity"}`), "order_id", fmt.Sprint(placed["order_id"]))
	f.expect(row, "state", "placed")
}
