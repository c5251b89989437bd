package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func registry(tb testing.TB, opts tools.Options, all ...tools.Tool) *tools.Registry {
	tb.Helper()
	if len(all) == 0 {
		all = tools.All()
	}
	r, err := tools.New(all, opts)
	if err != nil {
		tb.Fatalf("New: %v", err)
	}
	return r
}

func names(list []*tools.Tool) []string {
	out := make([]string, len(list))
	for i, tool := range list {
		out[i] = tool.Name
	}
	return out
}

func without(list []string, gone ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(gone, s) })
}

func embedded(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	c, err := catalog.Load(catalog.Embedded())
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// loggedOut is an environment without an account.
func loggedOut(tb testing.TB) *tools.Env {
	tb.Helper()
	return &tools.Env{
		Kite: kite.None("no credentials"), Catalog: embedded(tb), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Date(2026, 12, 2, 5, 45, 0, 0, time.UTC) },
	}
}

// TestRegistry is the guard for adding a tool: every definition must satisfy New
// and point at help pages that exist.
func TestRegistry(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{})
	pages := embedded(t)
	for _, tool := range r.Tools() {
		if tool.Output == nil && (tool.Name == "help" || tool.Name == "market") {
			t.Errorf("internal/tools/%s.go: needs an Output schema", tool.Name)
		}
		if len(tool.HelpKeys) == 0 {
			t.Errorf("internal/tools/%s.go: needs HelpKeys", tool.Name)
		}
		for _, text := range tool.HelpKeys {
			key, err := catalog.ParseKey(text)
			if err == nil {
				_, err = pages.Page(key)
			}
			if err != nil {
				t.Errorf("internal/tools/%s.go: HelpKeys: %v", tool.Name, err)
			}
		}
		for name, p := range tool.Schema().Properties {
			if p.Description == "" {
				t.Errorf("internal/tools/%s*.go: argument %s has no description", tool.Name, name)
			}
		}
	}
}

type echoInput struct {
	Text  string   `json:"text,omitempty" jsonschema:"Any text." check:"maxbytes=8"`
	Kind  string   `json:"kind,omitempty" jsonschema:"A choice." check:"enum=a|b,default=a"`
	Count int      `json:"count" jsonschema:"A whole number." check:"min=1,max=500"`
	Token uint32   `json:"token,omitempty" jsonschema:"An instrument token." check:"min=1"`
	Ratio float64  `json:"ratio,omitempty" jsonschema:"A number." check:"min=0"`
	Flag  bool     `json:"flag,omitempty" jsonschema:"A switch."`
	IDs   []string `json:"ids,omitempty" jsonschema:"Some ids." check:"min=1,max=2"`
}

type otherInput struct {
	Count int `json:"count" jsonschema:"A whole number." check:"min=1,max=500"`
}

func echo[In any](_ context.Context, _ *tools.Env, in In) (map[string]any, error) {
	return map[string]any{"in": in}, nil
}

func modeSpec(example string) tools.ModeSpec {
	return tools.ModeSpec{Title: "T", Description: "d", Tags: []string{"t"}, Examples: []string{example}}
}

func spec(name string) tools.Spec {
	return tools.Spec{Name: name, Title: "Probe", Category: tools.Market, Description: "A probe."}
}

func probe() tools.Tool {
	return tools.Define(spec("probe"),
		tools.Read("echo", modeSpec(`probe {"mode":"echo","count":1}`), echo[echoInput]),
		tools.Read("other", modeSpec(`probe {"mode":"other","count":1}`), echo[otherInput]),
	)
}

func TestDecodeAccepts(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{}, probe())
	for name, tc := range map[string]struct {
		args string
		want echoInput
	}{
		"plain":            {`{"mode":"echo","count":3,"text":"x","flag":true,"ids":["A:B"]}`, echoInput{Count: 3, Text: "x", Flag: true, IDs: []string{"A:B"}}},
		"numeric strings":  {`{"mode":"echo","count":"10","ratio":"0.5"}`, echoInput{Count: 10, Ratio: 0.5}},
		"whole float":      {`{"mode":"echo","count":1.0}`, echoInput{Count: 1}},
		"exponent":         {`{"mode":"echo","count":1e2}`, echoInput{Count: 100}},
		"boolean string":   {`{"mode":"echo","count":1,"flag":"true"}`, echoInput{Count: 1, Flag: true}},
		"largest token":    {`{"mode":"echo","count":1,"token":4294967295}`, echoInput{Count: 1, Token: 4294967295}},
		"eight bytes text": {`{"mode":"echo","count":1,"text":"₹₹ab"}`, echoInput{Count: 1, Text: "₹₹ab"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "probe", json.RawMessage(tc.args))
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ In echoInput }
			if err := json.Unmarshal(res.Structured, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.In); diff != "" {
				t.Errorf("decoded input (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{}, probe(), tools.Define(
		func() tools.Spec {
			s := spec("single")
			s.Tags, s.Examples = []string{"t"}, []string{`single {"count":1}`}
			return s
		}(),
		tools.Read("", tools.ModeSpec{}, echo[otherInput])))
	for name, tc := range map[string]struct{ tool, args, want string }{
		"fraction":              {"probe", `{"mode":"echo","count":1.5}`, "count: must be a whole number, got 1.5"},
		"fraction string":       {"probe", `{"mode":"echo","count":"1.5"}`, `count: must be a whole number, got "1.5"`},
		"negative":              {"probe", `{"mode":"echo","count":-1}`, "count: must be at least 1, got -1"},
		"too large":             {"probe", `{"mode":"echo","count":501}`, "count: must be at most 500, got 501"},
		"not a number":          {"probe", `{"mode":"echo","count":"NaN"}`, `count: must be a number, got "NaN"`},
		"infinite":              {"probe", `{"mode":"echo","count":1,"ratio":1e999}`, "ratio: is out of range, got 1e999"},
		"huge exponent":         {"probe", `{"mode":"echo","count":1e999999999}`, "count: is out of range"},
		"token overflow":        {"probe", `{"mode":"echo","count":1,"token":4294967296}`, "token: is out of range"},
		"beyond exact integers": {"probe", `{"mode":"echo","count":9007199254740993}`, "count: is out of range, got 9007199254740993"},
		"null":                  {"probe", `{"mode":"echo","count":null}`, "count: must be a number, got null"},
		"null text":             {"probe", `{"mode":"echo","count":1,"text":null}`, "text: must be a string, got null"},
		"number for text":       {"probe", `{"mode":"echo","count":1,"text":5}`, "text: must be a string, got 5"},
		"nine bytes":            {"probe", `{"mode":"echo","count":1,"text":"₹₹₹"}`, "text: is 9 bytes long, at most 8 are allowed"},
		"enum":                  {"probe", `{"mode":"echo","count":1,"kind":"c"}`, `kind: must be one of a, b, got "c"`},
		"flag word":             {"probe", `{"mode":"echo","count":1,"flag":"yes"}`, `flag: must be true or false, got "yes"`},
		"list of numbers":       {"probe", `{"mode":"echo","count":1,"ids":[1]}`, "ids: must be a list of strings, got [1]"},
		"list with null":        {"probe", `{"mode":"echo","count":1,"ids":[null]}`, "ids: must be a list of strings, got [null]"},
		"text for list":         {"probe", `{"mode":"echo","count":1,"ids":"A"}`, `ids: must be a list of strings, got "A"`},
		"list too long":         {"probe", `{"mode":"echo","count":1,"ids":["a","b","c"]}`, "ids: must have at most 2 entries"},
		"empty list":            {"probe", `{"mode":"echo","count":1,"ids":[]}`, "ids: must have at least 1 entry"},
		"required":              {"probe", `{"mode":"echo"}`, "count: required for mode echo"},
		"no mode":               {"probe", `{}`, "mode: required, one of echo, other"},
		"unknown mode":          {"probe", `{"mode":"Echo"}`, `mode: must be one of echo, other, got "Echo"`},
		"mode of wrong type":    {"probe", `{"mode":1}`, "mode: must be one of echo, other, got 1"},
		"twice":                 {"probe", `{"mode":"echo","count":1,"count":2}`, `"count": given twice`},
		"unknown on modeless":   {"single", `{"count":1,"other":2}`, `"other": not an argument of single`},
		"case of a name":        {"single", `{"Count":1}`, "count: required"},
		"invalid UTF-8":         {"probe", "{\"mode\":\"echo\",\"count\":1,\"text\":\"\xff\"}", "text: must be valid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, tc.tool, json.RawMessage(tc.args))
			f := tools.Explain(err)
			if f.Code != tools.CodeInvalidArgument || !strings.Contains(f.Error(), tc.want) {
				t.Errorf("got %s %q, want invalid_argument with %q", f.Code, f.Error(), tc.want)
			}
		})
	}
}

func TestDecodeReportsEveryViolation(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{}, probe())
	_, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "probe", json.RawMessage(`{"mode":"echo","kind":"c","flag":1}`))
	text := tools.Explain(err).Error()
	for _, want := range []string{"kind: ", "count: required", "flag: "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}

func TestArgumentsMustBeAnObject(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{}, probe())
	for _, args := range []string{`[]`, `"x"`, `5`, `true`, `{`, `{"a":1} x`, `{"a"}`} {
		_, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "probe", json.RawMessage(args))
		if !errors.Is(err, tools.ErrNotObject) {
			t.Errorf("%s: got %v, want ErrNotObject", args, err)
		}
	}
}

func TestIgnoredArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	env := loggedOut(t)
	r := registry(t, tools.Options{})
	_, err := r.Call(t.Context(), env, tools.Profile{}, "portfolio", json.RawMessage(`{"mode":"profile","limit":5}`))
	if !errors.Is(err, kite.ErrNotAuthenticated) {
		t.Errorf("a read mode must ignore limit and go on to the account, got %v", err)
	}
}

func TestNewNamesTheFileToEdit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		tool tools.Tool
		want string
	}{
		"no category":   {tools.Define(tools.Spec{Name: "bare", Title: "T", Description: "d"}, tools.Read("a", modeSpec(`bare {"mode":"a","count":1}`), echo[otherInput])), "internal/tools/bare.go"},
		"bad example":   {tools.Define(spec("bare"), tools.Read("a", modeSpec(`bare {"mode":"a","count":0}`), echo[otherInput])), "count: must be at least 1"},
		"other tool":    {tools.Define(spec("bare"), tools.Read("a", modeSpec(`market {"mode":"a"}`), echo[otherInput])), "must be bare {json}"},
		"untagged mode": {tools.Define(spec("bare"), tools.Read("a", tools.ModeSpec{Title: "T"}, echo[otherInput])), "internal/tools/bare_a.go: mode a needs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tools.New([]tools.Tool{tc.tool}, tools.Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestSurfaceHidesHelpFromSkillsClients(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{})
	all, app := names(r.Tools()), []string{"open_kite_view", "kite_explorer", "orders_read", "gtt_read"}
	for profile, gone := range map[tools.Profile][]string{
		{}:                         app,
		{Skills: true}:             append(slices.Clone(app), "help"),
		{Apps: true}:               nil,
		{Apps: true, Skills: true}: {"help"},
	} {
		surface := r.For(profile)
		if diff := cmp.Diff(without(all, gone...), names(surface.Tools())); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", profile, diff)
		}
		for _, name := range all {
			if surface.Has(name) == slices.Contains(gone, name) {
				t.Errorf("%+v: has %s: %t", profile, name, surface.Has(name))
			}
		}
	}
	_, err := r.Call(t.Context(), loggedOut(t), tools.Profile{Skills: true}, "help", nil)
	const want = "help is not used with the Skills extension. Call skills/list and read skill:// resources."
	if got := tools.Explain(err).Error(); got != want {
		t.Errorf("stale help: got %q, want %q", got, want)
	}
	if _, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "nope", nil); !errors.Is(err, tools.ErrUnknownTool) {
		t.Errorf("got %v, want ErrUnknownTool", err)
	}
}
