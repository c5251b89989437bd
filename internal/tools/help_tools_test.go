package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// kinds are the callers that see different tools.
func kinds() map[string]tools.Profile {
	return map[string]tools.Profile{"ordinary": {}, "skills": {Skills: true}, "apps": {Apps: true}, "apps_skills": {Apps: true, Skills: true}}
}

// exclusionSets are what operators may take away.
func exclusionSets() [][]string {
	return [][]string{nil, {"help"}, {"market"}, {"portfolio:margins", "market:search"}, {"kite_help"}, {"portfolio", "market"}, {"kite_search_tools", "help"}}
}

func ask[T any](tb testing.TB, r *tools.Registry, p tools.Profile, tool, args string) T {
	tb.Helper()
	env := loggedOut(tb)
	env.Server = tools.Identity{Name: "kite-mcp", Version: "1.2.3"}
	res, err := r.Call(tb.Context(), env, p, tool, json.RawMessage(args))
	if err != nil {
		tb.Fatalf("%s %s: %v", tool, args, err)
	}
	var out T
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

type found struct {
	ResultsCount int `json:"results_count"`
	Tools        []struct {
		tools.ToolMetadata
		MatchedIn []string `json:"matched_in"`
	}
	Suggestions []string
	Categories  []string `json:"available_categories"`
	Usage       string
}

func (f found) names() []string {
	names := []string{}
	for _, t := range f.Tools {
		names = append(names, t.Name)
	}
	return names
}

type categoryAnswer struct {
	Available  []string `json:"available_categories"`
	Usage      string
	Categories []tools.CategorySummary
	Category   string
	ToolCount  int `json:"tool_count"`
	Tools      []tools.ToolMetadata
}

// TestHelpToolsShowExactlyTheSurface: for each caller and exclusion set the three
// tools show what tools/list would, and nothing else.
func TestHelpToolsShowExactlyTheSurface(t *testing.T) {
	t.Parallel()
	for kind, profile := range kinds() {
		for _, exclude := range exclusionSets() {
			r := registry(t, tools.Options{Exclude: exclude})
			var listed []string
			for _, tool := range r.For(profile).Tools() {
				listed = append(listed, tool.Name)
			}
			if slices.Contains(listed, "kite_search_tools") {
				got := ask[found](t, r, profile, "kite_search_tools", `{"query":""}`)
				if diff := cmp.Diff(listed, got.names()); diff != "" {
					t.Errorf("%s without %v: search (-listed +found):\n%s", kind, exclude, diff)
				}
			}
			var byCategory []string
			for _, c := range ask[categoryAnswer](t, r, profile, "kite_list_tools_by_category", `{}`).Categories {
				answer := ask[categoryAnswer](t, r, profile, "kite_list_tools_by_category", `{"category":"`+string(c.Category)+`"}`)
				if answer.ToolCount != c.ToolCount || len(answer.Tools) != c.ToolCount {
					t.Errorf("%s: category %s counts %d, has %d", kind, c.Category, c.ToolCount, len(answer.Tools))
				}
				for _, tool := range answer.Tools {
					byCategory = append(byCategory, tool.Name)
				}
			}
			slices.Sort(listed)
			slices.Sort(byCategory)
			if diff := cmp.Diff(listed, byCategory); diff != "" {
				t.Errorf("%s without %v: categories (-listed +shown):\n%s", kind, exclude, diff)
			}
		}
	}
}

func TestToolMetadataIsComplete(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{Exclude: []string{"portfolio:margins"}})
	for _, tool := range ask[found](t, r, tools.Profile{}, "kite_search_tools", `{"query":""}`).Tools {
		if tool.Name == "" || tool.Category == "" || tool.Description == "" || tool.Title == "" || len(tool.Tags) == 0 || len(tool.Examples) == 0 || tool.Parameters == nil || tool.Modes == nil || tool.HelpKeys == nil {
			t.Errorf("%s: %+v", tool.Name, tool.ToolMetadata)
		}
		for _, e := range tool.Examples {
			if strings.Contains(e, "margins") {
				t.Errorf("example of an excluded mode: %s", e)
			}
		}
		if tool.Name == "market" && tool.Parameters[0] != "mode" {
			t.Errorf("required parameters come first: %v", tool.Parameters)
		}
	}
	raw, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "kite_search_tools", json.RawMessage(`{"query":""}`))
	if err != nil || strings.Contains(string(raw.Structured), "null") {
		t.Errorf("metadata has a null: %v %s", err, raw.Structured)
	}
}

func TestSearchToolsRanking(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{})
	for query, want := range map[string]struct{ first, matched string }{
		"portfolio":              {"portfolio", "name"},
		"profit and loss":        {"portfolio", "tag:P&L"},
		"holdings":               {"portfolio", "mode:holdings"},
		"HOLDING":                {"portfolio", "mode:holdings"},
		"ltp":                    {"market", "mode:ltp"},
		"find symbol":            {"market", "tag:symbol"},
		"position_view":          {"portfolio", "parameter:position_view"},
		"cash":                   {"portfolio", "tag:cash"},
		"mutual fund":            {"mutual_funds", "name"},
		"order book":             {"orders", "tag:order book"},
		"fills":                  {"orders", "tag:fills"},
		"why rejected":           {"orders", "tag:why rejected"},
		"good till triggered":    {"gtt", "tag:good till triggered"},
		"OCO":                    {"gtt", "tag:OCO"},
		"price alert":            {"alerts", "tag:price alert"},
		"candles":                {"market", "tag:candles"},
		"moving average":         {"market", "tag:moving average"},
		"logged in":              {"session", "tag:logged in"},
		"kite_help":              {"kite_help", "name"},
		"which tool can do this": {"kite_search_tools", "tag:which tool"},
	} {
		got := ask[found](t, r, tools.Profile{}, "kite_search_tools", `{"query":"`+query+`"}`)
		if len(got.Tools) == 0 || got.Tools[0].Name != want.first {
			t.Errorf("%q: got %v, want %s first", query, got.names(), want.first)
			continue
		}
		if !slices.Contains(got.Tools[0].MatchedIn, want.matched) && query != "profit and loss" {
			t.Errorf("%q: matched in %v, want %s", query, got.Tools[0].MatchedIn, want.matched)
		}
	}
}

// TestMatchedIn: each word is reported where it fits best.
func TestMatchedIn(t *testing.T) {
	t.Parallel()
	trade := tools.Define(spec("orders"),
		tools.Read("list", modeSpec(`orders {"mode":"list","count":1}`), echo[otherInput]),
		tools.Read("cancel", modeSpec(`orders {"mode":"cancel","count":1}`), echo[otherInput]))
	others := slices.DeleteFunc(tools.All(), func(t tools.Tool) bool { return t.Name == trade.Name })
	r := registry(t, tools.Options{}, append(others, trade)...)
	got := ask[found](t, r, tools.Profile{}, "kite_search_tools", `{"query":"cancel my order"}`)
	if len(got.Tools) == 0 || got.Tools[0].Name != "orders" {
		t.Fatalf("got %v, want orders first", got.names())
	}
	if diff := cmp.Diff([]string{"mode:cancel", "name"}, got.Tools[0].MatchedIn); diff != "" {
		t.Errorf("matched_in (-want +got):\n%s", diff)
	}
}

func TestSearchToolsWithoutHits(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{})
	got := ask[found](t, r, tools.Profile{}, "kite_search_tools", `{"query":"positons"}`)
	if got.ResultsCount != 0 || got.Tools == nil || !slices.Contains(got.Suggestions, "position") || len(got.Categories) == 0 || got.Usage == "" {
		t.Errorf("%+v", got)
	}
}

// TestSearchToolsFindsWhatTheStandardFinds: the standard's filter is a substring
// of the name or of the lower-cased description.
func TestSearchToolsFindsWhatTheStandardFinds(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{})
	all := r.For(tools.Profile{}).Tools()
	check := func(from, length uint16, which uint8) bool {
		tool := all[int(which)%len(all)]
		text := tool.Name + " " + tool.Description
		start := int(from) % len(text)
		query := text[start:min(len(text), start+1+int(length)%20)]
		args, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			return false
		}
		names := ask[found](t, r, tools.Profile{}, "kite_search_tools", string(args)).names()
		for _, o := range all {
			if strings.Contains(o.Name, query) || strings.Contains(strings.ToLower(o.Description), strings.ToLower(query)) {
				if !slices.Contains(names, o.Name) {
					t.Logf("query %q misses %s", query, o.Name)
					return false
				}
			}
		}
		return true
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

func TestCategoryAliases(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{})
	for text, want := range map[string]string{"market": "market", " Market_Data ": "market", "market data": "market", "FUNDS": "portfolio", "docs": "help", "data": "portfolio"} {
		if got := ask[categoryAnswer](t, r, tools.Profile{}, "kite_list_tools_by_category", `{"category":"`+text+`"}`).Category; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := ask[categoryAnswer](t, r, tools.Profile{}, "kite_list_tools_by_category", `{"category":"  "}`); len(got.Available) == 0 || got.Usage == "" {
		t.Errorf("a blank category lists them: %+v", got)
	}
}

func TestKiteHelp(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{Exclude: []string{"portfolio:margins"}})
	type answer struct {
		Topics     []string `json:"available_topics"`
		Server     tools.Identity
		ToolCount  int `json:"tool_count"`
		Topic      string
		Title      string
		Content    string
		Related    []string `json:"related_tools"`
		RelatedT   []string `json:"related_topics"`
		HelpKeys   []string `json:"help_keys"`
		Categories []tools.CategorySummary
		Tool       *tools.ToolMetadata
	}
	root := ask[answer](t, r, tools.Profile{}, "kite_help", `{}`)
	if root.Server.Name != "kite-mcp" || root.ToolCount != len(r.For(tools.Profile{}).Tools()) || len(root.Categories) != len(r.For(tools.Profile{}).Categories()) {
		t.Errorf("overview: %+v", root)
	}
	for kind, profile := range kinds() {
		for _, name := range ask[answer](t, r, profile, "kite_help", `{"topic":" "}`).Topics {
			got := ask[answer](t, r, profile, "kite_help", `{"topic":"`+strings.ToUpper(strings.ReplaceAll(name, "_", "-"))+`"}`)
			if got.Topic != name || got.Title == "" || got.Content == "" || got.Related == nil || got.RelatedT == nil || got.HelpKeys == nil {
				t.Errorf("%s topic %s: %+v", kind, name, got)
			}
			if kind == "skills" && slices.ContainsFunc(got.HelpKeys, func(k string) bool { return !strings.HasPrefix(k, "skill://") }) {
				t.Errorf("a Skills client reads resources: %v", got.HelpKeys)
			}
		}
	}
	if w := ask[answer](t, r, tools.Profile{Skills: true}, "kite_help", `{"topic":"workflows"}`); !strings.Contains(w.Content, "skills/list") {
		t.Errorf("workflows for a Skills client: %s", w.Content)
	}
	if w := ask[answer](t, r, tools.Profile{}, "kite_help", `{"topic":"workflows"}`); !strings.Contains(w.Content, "help {") {
		t.Errorf("workflows for an ordinary client: %s", w.Content)
	}
	mode := ask[answer](t, r, tools.Profile{}, "kite_help", `{"topic":"market:ltp"}`)
	if mode.Topic != "market:ltp" || len(mode.Tool.Modes) != 1 || len(mode.Tool.Examples) != 1 {
		t.Errorf("market:ltp: %+v", mode.Tool)
	}
}

func TestHelpToolsGuide(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{Exclude: []string{"market"}})
	for name, tc := range map[string]struct {
		profile    tools.Profile
		tool, args string
		want       []string
		never      string
	}{
		"unknown topic":        {tools.Profile{}, "kite_help", `{"topic":"overveiw"}`, []string{"overview", "limits", "did you mean overview"}, ""},
		"excluded tool":        {tools.Profile{}, "kite_help", `{"topic":"market"}`, []string{"unknown topic", "overview"}, "market_data"},
		"excluded mode":        {tools.Profile{}, "kite_help", `{"topic":"portfolio:nope"}`, []string{"unknown topic"}, ""},
		"unseen tool":          {tools.Profile{Skills: true}, "kite_help", `{"topic":"help"}`, []string{"unknown topic"}, ""},
		"help key":             {tools.Profile{}, "kite_help", `{"topic":"/orders"}`, []string{"help key", "Call help"}, "Inspect orders"},
		"help key with Skills": {tools.Profile{Skills: true}, "kite_help", `{"topic":"/orders"}`, []string{"skill://orders/SKILL.md"}, "Inspect orders"},
		"unknown key, Skills":  {tools.Profile{Skills: true}, "kite_help", `{"topic":"/nope"}`, []string{"skills/list"}, ""},
		"unknown category":     {tools.Profile{}, "kite_list_tools_by_category", `{"category":"portfolo"}`, []string{"unknown category", "did you mean portfolio", "help: "}, ""},
		"hidden category":      {tools.Profile{}, "kite_list_tools_by_category", `{"category":"market"}`, []string{"unknown category"}, "- market"},
		"search category":      {tools.Profile{}, "kite_search_tools", `{"query":"x","category":"nope"}`, []string{"unknown category"}, ""},
		"query missing":        {tools.Profile{}, "kite_search_tools", `{}`, []string{"query: required"}, ""},
		"query null":           {tools.Profile{}, "kite_search_tools", `{"query":null}`, []string{"query: must be a string"}, ""},
		"query too long":       {tools.Profile{}, "kite_search_tools", `{"query":"` + strings.Repeat("x", 1025) + `"}`, []string{"1025 bytes"}, ""},
		"extra argument":       {tools.Profile{}, "kite_search_tools", `{"query":"x","limit":3}`, []string{`"limit": not an argument`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := r.Call(t.Context(), loggedOut(t), tc.profile, tc.tool, json.RawMessage(tc.args))
			f := tools.Explain(err)
			if f.Code != tools.CodeInvalidArgument {
				t.Fatalf("got %s %v", f.Code, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(f.Error(), want) {
					t.Errorf("%q lacks %q", f.Error(), want)
				}
			}
			if tc.never != "" && strings.Contains(f.Error(), tc.never) {
				t.Errorf("%q shows %q", f.Error(), tc.never)
			}
		})
	}
}

func TestHelpToolsAreDeterministic(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{})
	for _, args := range []string{`{"query":"order price"}`, `{"query":"read"}`} {
		var before string
		for range 5 {
			res, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "kite_search_tools", json.RawMessage(args))
			if err != nil {
				t.Fatal(err)
			}
			if before != "" && before != res.Text {
				t.Fatalf("%s: two answers", args)
			}
			before = res.Text
		}
	}
}

// FuzzSearchTools: any query is answered, with tools the caller sees.
func FuzzSearchTools(f *testing.F) {
	for _, seed := range []string{"", "ltp", "cancel my order", "₹", "\x00", "...", "P&L", "a b c d e f g"} {
		f.Add(seed, "")
	}
	f.Add("price", "market")
	f.Add("price", "Quotes ")
	r := registry(f, tools.Options{})
	env := loggedOut(f)
	f.Fuzz(func(t *testing.T, query, category string) {
		found, err := r.Guide(env, tools.Profile{Skills: true}).Search(query, category)
		if err != nil {
			if tools.Explain(err).Code != tools.CodeInvalidArgument {
				t.Errorf("%q in %q: %v", query, category, err)
			}
			return
		}
		for _, hit := range found.Tools {
			if hit.Name == "help" || hit.MatchedIn == nil {
				t.Errorf("%q in %q found %s %v", query, category, hit.Name, hit.MatchedIn)
			}
		}
	})
}
