package cmd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/cmd"
)

const (
	modernEra = "2026-07-28"
	legacyEra = "2025-11-25"
	hello     = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + legacyEra + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
)

// agreeing are calls whose structured result must be the same however it is
// asked for. A call that has a command of its own names it.
var agreeing = []struct {
	tool, arguments, command string
}{
	{"portfolio", `{"mode":"profile"}`, ""},
	{"portfolio", `{"mode":"margins"}`, "funds"},
	{"portfolio", `{"mode":"holdings"}`, "holdings"},
	{"portfolio", `{"mode":"holdings","type":"summary"}`, ""},
	{"portfolio", `{"mode":"positions"}`, "positions"},
	{"portfolio", `{"mode":"positions","position_view":"all","from":1,"limit":2}`, ""},
	{"market", `{"mode":"quote","instruments":["NSE:INFY","NSE:NIFTY 50","NSE:NOPE"]}`, "quote NSE:INFY|NSE:NIFTY 50|NSE:NOPE"},
	{"market", `{"mode":"ohlc","instruments":["NSE:SBIN"]}`, ""},
	{"market", `{"mode":"ltp","instruments":["BSE:SENSEX"]}`, ""},
	{"market", `{"mode":"search","query":"INFY","limit":5}`, ""},
	{"market", `{"mode":"option_chain","underlying":"NIFTY"}`, ""},
	{"market", `{"mode":"historical","instrument_token":408065,"interval":"day","from_date":"2026-11-02","to_date":"2026-12-01"}`, ""},
	{"orders", `{"mode":"list"}`, ""},
	{"orders", `{"mode":"all_trades","limit":3}`, ""},
	{"gtt", `{"mode":"list"}`, ""},
	{"alerts", `{"mode":"get"}`, ""},
	{"mutual_funds", `{"mode":"holdings"}`, ""},
	{"session", `{"mode":"status"}`, ""},
}

// TestServerAndCommandsAgree: with a frozen exchange the same call gives equal
// structured content over stdio and HTTP, in both eras, and on the command line.
func TestServerAndCommandsAgree(t *testing.T) {
	t.Parallel()
	env := []string{"KITE_DEMO_NOW=" + demoNow}
	for _, tc := range agreeing {
		t.Run(tc.tool+" "+tc.arguments, func(t *testing.T) {
			t.Parallel()
			want := structured(t, calledStdio(t, env, modernEra, tc.tool, tc.arguments))
			if want["demo"] != true {
				t.Errorf("the result is not marked as demo: %v", want["demo"])
			}
			got := map[string]map[string]any{
				"legacy stdio": structured(t, calledStdio(t, env, legacyEra, tc.tool, tc.arguments)),
				"modern HTTP":  structured(t, calledHTTP(t, env, modernEra, tc.tool, tc.arguments)),
				"legacy HTTP":  structured(t, calledHTTP(t, env, legacyEra, tc.tool, tc.arguments)),
				"tools call":   printed(t, env, "tools", "call", tc.tool, "--args", tc.arguments),
			}
			if tc.command != "" {
				name, rest, _ := strings.Cut(tc.command, " ")
				args := []string{name}
				if rest != "" {
					args = append(args, strings.Split(rest, "|")...)
				}
				got[name] = printed(t, env, args...)
			}
			for way, result := range got {
				if diff := cmp.Diff(want, result); diff != "" {
					t.Errorf("%s (-stdio +%s):\n%s", way, way, diff)
				}
			}
		})
	}
}

// structured reads the structured content of an answer.
func structured(t *testing.T, answer []byte) map[string]any {
	t.Helper()
	var reply struct {
		Result struct {
			StructuredContent map[string]any `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &reply); err != nil || reply.Result.StructuredContent == nil {
		t.Fatalf("no structured content (%v) in %s", err, answer)
	}
	if meta, _ := reply.Result.StructuredContent["meta"].(map[string]any); meta["interval"] != nil {
		delete(meta, "instrument") // of candles: a server that has the instruments master by then names it
	}
	return reply.Result.StructuredContent
}

// callLine is a tools/call of an era.
func callLine(era, tool, arguments string) string {
	meta := ""
	if era == modernEra {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modernEra + `","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + meta + `}}`
}

func calledStdio(t *testing.T, env []string, era, tool, arguments string) []byte {
	t.Helper()
	lines := callLine(era, tool, arguments) + "\n"
	if era == legacyEra {
		lines = hello + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + lines
	}
	out, stderr, status := run(t, lines, env, "serve", "--demo")
	if status != 0 {
		t.Fatalf("serve: status %d, %s", status, stderr)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"id":1,`) {
			return []byte(line)
		}
	}
	t.Fatalf("no answer in %s", out)
	return nil
}

// startHTTP runs serve --http on a free port until the test ends and returns its
// address.
func startHTTP(t *testing.T, env []string, clock func() time.Time, flags ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	stderr, notes := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- cmd.Run(ctx, &cmd.Process{
			Args: append([]string{"serve", "--http", "localhost:0"}, flags...), In: strings.NewReader(""), Out: io.Discard, Err: notes, Environ: env, Now: clock,
		})
		_ = notes.Close()
	}()
	t.Cleanup(func() {
		stop()
		if status := <-done; status != 0 {
			t.Errorf("serve --http: status %d", status)
		}
	})
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		for word := range strings.FieldsSeq(lines.Text()) {
			word = strings.TrimRight(word, ";")
			if strings.HasPrefix(word, "http://") && strings.HasSuffix(word, "/mcp") {
				go func() { _, _ = io.Copy(io.Discard, stderr) }() // or the next note would block
				return word
			}
		}
	}
	t.Fatal("serve --http told no address")
	return ""
}

// calledHTTP makes a call of a server of its own, since the clock stands still and
// with it Kite's limit of calls a second.
func calledHTTP(t *testing.T, env []string, era, tool, arguments string) []byte {
	t.Helper()
	return calledAt(t, startHTTP(t, env, stopped, "--demo"), era, tool, arguments)
}

func calledAt(t *testing.T, at, era, tool, arguments string) []byte {
	t.Helper()
	headers := http.Header{"Mcp-Protocol-Version": {era}}
	if era == modernEra {
		headers.Set("Mcp-Method", "tools/call")
		headers.Set("Mcp-Name", tool)
	} else {
		_, session := post(t, at, http.Header{}, hello)
		headers.Set("Mcp-Session-Id", session.Get("Mcp-Session-Id"))
		post(t, at, headers, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	answer, _ := post(t, at, headers, callLine(era, tool, arguments))
	return answer
}

// post sends one message and returns the answer, out of its event if it is one.
func post(t *testing.T, at string, headers http.Header, body string) (answer []byte, header http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = headers.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(answer) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && len(bytes.TrimSpace(data)) > 0 {
			answer = data
		}
	}
	return answer, res.Header
}

// printed is what a command prints with -o json.
func printed(t *testing.T, env []string, args ...string) map[string]any {
	t.Helper()
	out, stderr, status := run(t, "", env, append(args, "--demo", "-o", "json")...)
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
		t.Fatalf("%v: status %d, %v, %s", args, status, err, stderr)
	}
	return got
}

// TestPacingRunsOnTheRealClock: the limits of calls a second follow the clock of
// this machine, however the exchange's clock stands or runs.
func TestPacingRunsOnTheRealClock(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for id := range 4 { // Kite allows one quote call a second
		call := callLine(modernEra, "market", `{"mode":"ltp","instruments":["NSE:INFY"]}`)
		lines.WriteString(strings.Replace(call, `"id":1,`, fmt.Sprintf(`"id":%d,`, id), 1) + "\n")
	}
	var ticks atomic.Int64
	for name, tc := range map[string]struct {
		clock   func() time.Time
		env     []string
		limited bool
	}{
		"the exchange stands still": {func() time.Time { return stopped().Add(time.Duration(ticks.Add(10)) * time.Second) }, []string{"KITE_DEMO_NOW=" + demoNow}, false},
		"the exchange races":        {stopped, []string{"KITE_DEMO_NOW=" + demoNow, "KITE_DEMO_SPEED=100000"}, true},
	} {
		var out, errs bytes.Buffer
		status := cmd.Run(t.Context(), &cmd.Process{Args: []string{"serve", "--demo"}, In: strings.NewReader(lines.String()), Out: &out, Err: &errs, Environ: tc.env, Now: tc.clock})
		if status != 0 {
			t.Fatalf("%s: status %d, %s", name, status, errs.String())
		}
		if limited := strings.Contains(out.String(), "rate_limited"); limited != tc.limited {
			t.Errorf("%s: limited %v, want %v: %s", name, limited, tc.limited, out.String())
		}
	}
}
