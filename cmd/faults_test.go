package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// faultyCall is one read, as the client, an MCP client and a person make it.
type faultyCall struct {
	client  func(context.Context, *kite.Client) (any, error)
	tool    string // name and arguments
	args    string
	command []string
}

func faultyCalls() map[string]faultyCall {
	day := func(d int) time.Time { return time.Date(2026, 12, d, 0, 0, 0, 0, kite.IST) }
	return map[string]faultyCall{
		"holdings": {
			func(ctx context.Context, c *kite.Client) (any, error) { return c.Holdings(ctx) },
			"portfolio", `{"mode":"holdings"}`,
			[]string{"holdings"},
		},
		"orders": {
			func(ctx context.Context, c *kite.Client) (any, error) { return c.Orders(ctx) },
			"orders", `{"mode":"list"}`,
			[]string{"orders"},
		},
		"quote": {
			func(ctx context.Context, c *kite.Client) (any, error) {
				return c.Quotes(ctx, []string{"NSE:INFY", "NSE:SBIN"})
			},
			"market", `{"mode":"quote","instruments":["NSE:INFY","NSE:SBIN"]}`,
			[]string{"quote", "NSE:INFY", "NSE:SBIN"},
		},
		"historical": {
			func(ctx context.Context, c *kite.Client) (any, error) {
				return c.Historical(ctx, kite.CandleQuery{Token: 408065, Interval: "day", From: day(1), To: day(2)})
			},
			"market", `{"mode":"historical","instrument_token":408065,"interval":"day","from_date":"2026-12-01","to_date":"2026-12-02 00:00:00","continuous":false,"oi":false}`,
			[]string{"history", "408065", "--since", "2026-12-01", "--until", "2026-12-02 00:00:00"},
		},
		"instruments": {
			func(ctx context.Context, c *kite.Client) (any, error) {
				master := kite.NewMaster(kite.MasterOptions{Fetch: c.FetchInstruments, Now: running, Log: slog.New(slog.DiscardHandler)})
				defer master.Close()
				list, err := master.Get(ctx)
				if err != nil {
					return nil, err
				}
				return list.Search(kite.SearchQuery{Text: "INFY", On: "id", Limit: 1})
			},
			"market", `{"mode":"search","query":"INFY","limit":1,"filter_on":"id","include_live_quote":false}`,
			[]string{"instruments", "INFY", "--limit", "1"},
		},
	}
}

// fault is what one fault must come to on all three ways.
type fault struct {
	name  string
	route string
	code  string // "" when the call succeeds
	says  string // part of the message, or of the JSON result
	took  time.Duration
}

func faults() []fault {
	const (
		tooMany = "Too many requests"
		away    = "Order management system is not reachable"
		wrong   = "Something went wrong"
		ended   = "Incorrect `api_key` or `access_token`."
	)
	return []fault{
		{"429", "holdings", "rate_limited", tooMany, 2 * time.Second},
		{"429text", "holdings", "rate_limited", "Kite answered with HTTP status 429", 2 * time.Second},
		{"token", "holdings", "session_expired", ended, 0},
		{"token1", "orders", "session_expired", ended, 0},
		{"perm", "quote", "permission_denied", "Insufficient permission for that call.", 0},
		{"404", "orders", "not_found", "Route not found", 0},
		{"500", "holdings", "upstream_unavailable", wrong, 0},
		{"502", "orders", "upstream_unavailable", away, 0},
		{"503", "quote", "upstream_unavailable", away, time.Second},
		{"504", "historical", "upstream_unavailable", away, 0},
		{"502html", "orders", "upstream_unavailable", "Kite answered with HTTP status 502", 0},
		{"200error", "holdings", "upstream_unavailable", wrong, 0},
		{"slow=3s", "holdings", "", `"tradingsymbol":"INFY"`, 3 * time.Second},
		{"slow=30s", "orders", "timeout", "Kite did not answer in time", 10 * time.Second},
		{"hang", "historical", "timeout", "Kite did not answer in time", 10 * time.Second},
		{"hang", "holdings", "timeout", "Kite did not answer in time", 10 * time.Second},
		{"truncate", "holdings", "upstream_unavailable", "Kite sent an answer that cannot be read", 0},
		{"reset", "orders", "upstream_unavailable", "the connection to Kite failed", 0},
		{"empty", "holdings", "", `[]`, 0},
		{"empty=[]", "orders", "", `[]`, 0},
		{"empty={}", "historical", "", `[]`, 0},
		{"missing=NSE:INFY", "quote", "", `"NSE:SBIN"`, 0},
		{"nullcandle", "historical", "", `"close":1881.6}`, 0},
		{"shortcandle", "historical", "", `"close":1881.6}`, 0},
		{"floatqty", "holdings", "", `"quantity":10.5`, 0},
		{"floatqty", "orders", "", `"quantity":10.5`, 0},
		{"nullqty", "holdings", "", `"quantity":null`, 0},
		{"badtime", "orders", "", `"order_timestamp":"09:16:39"`, 0},
		{"extra", "orders", "", `"DEMO UNKNOWN STATE"`, 0},
		{"evil", "orders", "", `<script>alert(1)</script>\u001b[2J`, 0},
		{"html-instruments", "instruments", "catalog_unavailable", "not an instruments list", 0},
		{"half-instruments", "instruments", "", "INFY", 0},
		{"badrow", "instruments", "", "INFY", 0},
		{"500", "instruments", "catalog_unavailable", wrong, 0},
	}
}

// running is a clock that moves, also with the fake time of a synctest bubble.
func running() time.Time {
	start := time.Unix(0, 0)
	return start.Add(time.Since(start))
}

// TestFaults: every fault of the exchange comes out of the client, an MCP tool and a command as the same class with the
// same words of Kite's, within the deadline, without a secret, with a clean standard output.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		t.Run(f.route+" "+f.name, func(t *testing.T) {
			t.Parallel()
			call := faultyCalls()[f.route]
			for way, ask := range map[string]func(*testing.T, fault, faultyCall) outcome{"client": askClient, "tool": askTool, "command": askCommand} {
				synctest.Test(t, func(t *testing.T) {
					got := ask(t, f, call)
					took := got.took
					if got.code != f.code || !strings.Contains(got.text, f.says) {
						t.Errorf("%s: code %q, text %.300s; want %q with %q", way, got.code, got.text, f.code, f.says)
					}
					if took > 10*time.Second || took < f.took {
						t.Errorf("%s: took %v, want at least %v and no more than the deadline", way, took, f.took)
					}
					for _, secret := range []string{demo.APIKey, demo.AccessToken, "kite.demo.invalid"} {
						if strings.Contains(got.text+got.all, secret) {
							t.Errorf("%s shows %s: %s%s", way, secret, got.text, got.all)
						}
					}
				})
			}
		})
	}
}

// outcome is the class of a failure and its message, or the JSON of a success.
type outcome struct {
	code string
	text string
	all  string // everything else that was shown
	took time.Duration
}

func askClient(t *testing.T, f fault, call faultyCall) outcome {
	t.Helper()
	rules, err := demo.ParseFaults(f.route + ":" + f.name + "*0")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, demoNow)
	if err != nil {
		t.Fatal(err)
	}
	x, err := demo.New(demo.Options{Now: running, Clock: demo.Clock{Frozen: at}, Faults: rules})
	if err != nil {
		t.Fatal(err)
	}
	c := kite.New(kite.Options{
		BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: x.Transport(), Now: running,
		Pacer: kite.NewPacer(running), Retry: kite.NewRetry(func() float64 { return 0.5 }),
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // as tools and commands have it
	defer cancel()
	began := running()
	v, err := call.client(ctx, c)
	took := running().Sub(began)
	if err != nil {
		return outcome{code: string(kite.KindOf(err)), text: err.Error(), took: took}
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{text: plain(text), took: took}
}

// plain undoes the escapes for HTML that some encoders make.
func plain(text []byte) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))
}

// faulty runs a command line with a fault.
func faulty(t *testing.T, f fault, stdin io.Reader, stdout io.Writer, args ...string) (stderr string, status int) {
	t.Helper()
	var errs bytes.Buffer
	status = cmd.Run(t.Context(), &cmd.Process{
		Args: args, In: stdin, Out: stdout, Err: &errs, Now: running,
		Environ: []string{"KITE_DEMO_NOW=" + demoNow, "KITE_DEMO_FAULTS=" + f.route + ":" + f.name + "*0"},
	})
	return errs.String(), status
}

// patient is a client on stdio that sends one request, waits for the answer and hangs up.
type patient struct {
	request  io.Reader
	answered chan struct{}
	answer   bytes.Buffer
	took     func() time.Duration
	after    time.Duration
}

// Read returns the request, then blocks until it is answered.
func (p *patient) Read(b []byte) (int, error) {
	if n, err := p.request.Read(b); err == nil {
		return n, nil
	}
	<-p.answered
	return 0, io.EOF
}

// Write takes the answer.
func (p *patient) Write(b []byte) (int, error) {
	if p.answer.Len() == 0 {
		p.after = p.took()
		close(p.answered)
	}
	return p.answer.Write(b)
}

func askTool(t *testing.T, f fault, call faultyCall) outcome {
	t.Helper()
	request := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`+"\n", call.tool, call.args)
	began := running()
	client := &patient{request: strings.NewReader(request), answered: make(chan struct{}), took: func() time.Duration { return running().Sub(began) }}
	stderr, status := faulty(t, f, client, client, "serve", "--demo")
	stdout := client.answer.String()
	if status != 0 {
		t.Fatalf("serve: status %d, %s", status, stderr)
	}
	dec := json.NewDecoder(strings.NewReader(stdout))
	var reply struct {
		ID     int
		Result struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			Meta              map[string]struct {
				Code, Message string
			} `json:"_meta"`
		}
	}
	if err := dec.Decode(&reply); err != nil || reply.ID != 1 {
		t.Fatalf("%v in %s", err, stdout)
	}
	if err := dec.Decode(&struct{}{}); err != io.EOF {
		t.Errorf("more on standard output than the answer: %s", stdout)
	}
	failure := reply.Result.Meta["trade.kite/error"]
	if reply.Result.IsError != (failure.Code != "") || reply.Result.IsError != (reply.Result.StructuredContent == nil) {
		t.Errorf("isError %v with %+v", reply.Result.IsError, failure)
	}
	if !reply.Result.IsError {
		return outcome{text: plain(reply.Result.StructuredContent), all: stderr, took: client.after}
	}
	if !strings.HasPrefix(reply.Result.Content[0].Text, failure.Message) {
		t.Errorf("text %q does not begin with %q", reply.Result.Content[0].Text, failure.Message)
	}
	return outcome{code: failure.Code, text: failure.Message, all: stdout + stderr, took: client.after}
}

func askCommand(t *testing.T, f fault, call faultyCall) outcome {
	t.Helper()
	var out, rows bytes.Buffer
	began := running()
	stderr, status := faulty(t, f, strings.NewReader(""), &out, append(slices.Clone(call.command), "--demo", "-o", "json")...)
	took := running().Sub(began)
	notes, again := faulty(t, f, strings.NewReader(""), &rows, append(slices.Clone(call.command), "--demo")...)
	stdout, table := out.String(), rows.String()
	if again != status || strings.ContainsAny(table+notes, "\x1b\u202e\x07") {
		t.Errorf("as a table: status %d, then %d: %s%s", status, again, table, notes)
	}
	if status == 0 {
		if !json.Valid([]byte(stdout)) {
			t.Errorf("standard output is no JSON: %s", stdout)
		}
		return outcome{text: stdout, all: stderr + table + notes, took: took}
	}
	var failed struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(stderr), &failed); err != nil || stdout != "" {
		t.Fatalf("status %d, %v, stdout %q, stderr %s", status, err, stdout, stderr)
	}
	want := 1
	if failed.Error.Code == "session_expired" {
		want = 4
	}
	if status != want || !strings.Contains(notes, failed.Error.Message) {
		t.Errorf("status %d, want %d; as text %s", status, want, notes)
	}
	return outcome{code: failed.Error.Code, text: failed.Error.Message, all: stderr + table + notes, took: took}
}
