package server_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/server"
	"github.com/kite-mcp/kite-mcp/ui"
)

func withApps(tb testing.TB, a server.Apps) *web {
	tb.Helper()
	s, _, _ := trading(tb, func(o *server.Options) { o.Apps = a })
	return newWeb(tb, s)
}

// TestAppResource: what hosts read is the committed file, with the same promises
// in the list and in what is read.
func TestAppResource(t *testing.T) {
	t.Parallel()
	w := withApps(t, server.AppsAuto)
	type resource struct {
		URI, MIMEType, Text string
		Meta                map[string]any `json:"_meta"`
	}
	wantMeta := map[string]any{
		"ui": map[string]any{
			"csp":           map[string]any{"connectDomains": []any{}, "resourceDomains": []any{}, "frameDomains": []any{}, "baseUriDomains": []any{}},
			"prefersBorder": true,
		},
		"openai/ui": map[string]any{"availableDisplayModes": []any{"inline", "fullscreen"}, "preferredDisplayMode": "inline"},
	}
	for name, caps := range map[string]string{"bare": `{}`, "apps": apps} {
		for era, ask := range map[string]func(method, params string) reply{
			"modern": func(method, members string) reply {
				return w.call(method, uriOf(method), params(caps, split(members)...))
			},
			"legacy": func(method, members string) reply { return w.legacyCall(method, "{"+members+"}", w.session(caps)) },
		} {
			var list struct{ Resources []resource }
			ask("resources/list", "").decode(t, &list)
			var listed *resource
			for i := range list.Resources {
				if list.Resources[i].URI == ui.URI {
					listed = &list.Resources[i]
				}
			}
			var read struct{ Contents []resource }
			ask("resources/read", `"uri":"`+ui.URI+`"`).decode(t, &read)
			if listed == nil || len(read.Contents) != 1 {
				t.Fatalf("%s %s: listed %v, read %d", name, era, listed, len(read.Contents))
			}
			got := read.Contents[0]
			if got.Text != ui.HTML() || got.MIMEType != ui.MIMEType || listed.MIMEType != ui.MIMEType {
				t.Errorf("%s %s: other bytes or type %s, %s", name, era, got.MIMEType, listed.MIMEType)
			}
			for place, meta := range map[string]map[string]any{"list": listed.Meta, "read": got.Meta} {
				if diff := cmp.Diff(wantMeta, meta); diff != "" {
					t.Errorf("%s %s: %s (-want +got):\n%s", name, era, place, diff)
				}
			}
		}
	}
}

func uriOf(method string) string {
	if method == "resources/read" {
		return ui.URI
	}
	return ""
}

func split(members string) []string {
	if members == "" {
		return nil
	}
	return []string{members}
}

// TestAppsSetting: always gives the app to a client that declares nothing, never
// to nobody.
func TestAppsSetting(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		setting   server.Apps
		bare, app bool
	}{"auto": {server.AppsAuto, false, true}, "always": {server.AppsAlways, true, true}, "never": {server.AppsNever, false, false}} {
		w := withApps(t, tc.setting)
		for caps, want := range map[string]bool{`{}`: tc.bare, skills: tc.bare, apps: tc.app} {
			list := string(w.call("tools/list", "", params(caps)).Result)
			if got := strings.Contains(list, "open_kite_view") && strings.Contains(list, "ui://"); got != want {
				t.Errorf("%s, %s: app %t, want %t", name, caps, got, want)
			}
			result := string(w.call("tools/call", "portfolio", params(caps, `"name":"portfolio","arguments":{"mode":"margins"}`)).Result)
			if got := strings.Contains(result, "trade.kite/app"); got != want {
				t.Errorf("%s, %s: result names its source %t, want %t", name, caps, got, want)
			}
		}
		resources := string(w.call("resources/list", "", params(`{}`)).Result)
		if got := strings.Contains(resources, ui.URI); got != (tc.setting != server.AppsNever) {
			t.Errorf("%s: resource %t", name, got)
		}
	}
}

// TestOthersSeeNoApp: a client without MCP Apps gets the same bytes as from a
// server without the app, tools and results.
func TestOthersSeeNoApp(t *testing.T) {
	t.Parallel()
	auto, never := withApps(t, server.AppsAuto), withApps(t, server.AppsNever)
	calls := []struct{ method, name, members string }{
		{"tools/list", "", ``},
		{"tools/call", "portfolio", `"name":"portfolio","arguments":{"mode":"holdings","limit":2,"_app_request_id":"x"}`},
		{"tools/call", "market", `"name":"market","arguments":{"mode":"quote","instruments":["NSE:INFY"]}`},
		{"tools/call", "market", `"name":"market","arguments":{"mode":"nope"}`},
		{"tools/call", "kite_explorer", `"name":"kite_explorer","arguments":{}`},
		{"tools/call", "open_kite_view", `"name":"open_kite_view","arguments":{"view":"holdings"}`},
		{"tools/call", "orders_read", `"name":"orders_read","arguments":{"mode":"list"}`},
		{"tools/call", "kite_help", `"name":"kite_help","arguments":{}`},
	}
	for _, caps := range []string{`{}`, skills} {
		for _, c := range calls {
			want, got := never.call(c.method, c.name, params(caps, split(c.members)...)), auto.call(c.method, c.name, params(caps, split(c.members)...))
			if diff := cmp.Diff(string(want.body), string(got.body)); diff != "" {
				t.Errorf("modern %s %s (-never +auto):\n%s", c.method, c.name, diff)
			}
			want, got = never.legacyCall(c.method, "{"+c.members+"}", never.session(caps)), auto.legacyCall(c.method, "{"+c.members+"}", auto.session(caps))
			if diff := cmp.Diff(string(want.body), string(got.body)); diff != "" {
				t.Errorf("legacy %s %s (-never +auto):\n%s", c.method, c.name, diff)
			}
		}
	}
}

// TestAppInstructions: only clients that can open the app are told how.
func TestAppInstructions(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	for caps, want := range map[string]bool{`{}`: false, skills: false, apps: true, both: true} {
		open := strings.Replace(hello, `"capabilities":{}`, `"capabilities":`+caps, 1)
		for era, r := range map[string]reply{
			"modern": byID(t, runStdio(t, s, request(2, "server/discover", params(caps))), "2"),
			"legacy": byID(t, runStdio(t, s, open), "1"),
		} {
			var got struct{ Instructions string }
			r.decode(t, &got)
			if strings.Contains(got.Instructions, "open_kite_view") != want {
				t.Errorf("%s, %s: instructions %q", era, caps, got.Instructions)
			}
		}
	}
	for _, method := range []string{"server/discover", "tools/list"} {
		var answer struct{ CacheScope string }
		byID(t, runStdio(t, s, request(2, method, params(apps))), "2").decode(t, &answer)
		if answer.CacheScope != "private" {
			t.Errorf("%s of one client may be cached for others: %q", method, answer.CacheScope)
		}
	}
}

// TestViewsOverTheWire opens screens as hosts do, in both eras: the data, the
// call behind it and the link to the app come in one result.
func TestViewsOverTheWire(t *testing.T) {
	t.Parallel()
	w := withApps(t, server.AppsAuto)
	type opened struct {
		IsError bool
		Meta    struct {
			App struct {
				Tool      string
				Arguments map[string]any
				Origin    map[string]any
			} `json:"trade.kite/app"`
			UI    map[string]any `json:"ui"`
			Alias string         `json:"ui/resourceUri"`
		} `json:"_meta"`
		StructuredContent struct {
			Data []map[string]any
		}
		Content []struct{ Type, Text string }
	}
	for name, members := range map[string]string{
		"open_kite_view": `"name":"open_kite_view","arguments":{"view":"holdings","from":0,"limit":100}`,
		"kite_explorer":  `"name":"kite_explorer","arguments":{}`,
	} {
		for era, r := range map[string]reply{
			"modern": w.call("tools/call", name, params(apps, members)),
			"legacy": w.legacyCall("tools/call", "{"+members+"}", w.session(apps)),
		} {
			var got opened
			r.decode(t, &got)
			app := got.Meta.App
			want := map[string]any{"mode": "holdings", "type": "full", "from": 0.0, "limit": 100.0}
			if diff := cmp.Diff(want, app.Arguments); diff != "" || app.Tool != "portfolio" || app.Origin["tool"] != name || got.IsError {
				t.Errorf("%s %s: %+v (-want +got):\n%s", era, name, app, diff)
			}
			if linked := got.Meta.Alias == ui.URI && got.Meta.UI["resourceUri"] == ui.URI; linked != (name == "open_kite_view") {
				t.Errorf("%s %s: link %v, %q", era, name, got.Meta.UI, got.Meta.Alias)
			}
			if len(got.StructuredContent.Data) != 10 || len(got.Content) != 1 || !json.Valid([]byte(got.Content[0].Text)) {
				t.Errorf("%s %s: %d rows, %d contents", era, name, len(got.StructuredContent.Data), len(got.Content))
			}
		}
	}
	var failed opened
	w.call("tools/call", "open_kite_view", params(apps, `"name":"open_kite_view","arguments":{"view":"quote"}`)).decode(t, &failed)
	if !failed.IsError || failed.Meta.Alias != ui.URI || failed.Meta.App.Tool != "open_kite_view" {
		t.Errorf("a failed call: %+v", failed)
	}
}

// appForms is a client that shows apps and forms.
const appForms = `{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`

// TestAppsChangeNoTrading: a client that shows apps sees the changing tools, and
// is asked about a change, as any other.
func TestAppsChangeNoTrading(t *testing.T) {
	t.Parallel()
	s, x, _ := trading(t, asIs)
	w := newWeb(t, s)
	described := func(list reply) map[string]map[string]any {
		var got struct{ Tools []map[string]any }
		list.decode(t, &got)
		byName := map[string]map[string]any{}
		for _, tool := range got.Tools {
			name, _ := tool["name"].(string)
			delete(tool, "_meta")
			byName[name] = tool
		}
		return byName
	}
	for era, list := range map[string]func(caps string) reply{
		"modern": func(caps string) reply { return w.call("tools/list", "", params(caps)) },
		"legacy": func(caps string) reply { return w.legacyCall("tools/list", `{}`, w.session(caps)) },
	} {
		bare, app := described(list(forms)), described(list(appForms))
		for name, tool := range bare {
			if diff := cmp.Diff(tool, app[name]); diff != "" {
				t.Errorf("%s: %s (-bare +apps):\n%s", era, name, diff)
			}
		}
	}
	var plain, withApp asked
	w.order(forms, buyTwo).decode(t, &plain)
	w.order(appForms, buyTwo).decode(t, &withApp)
	if diff := cmp.Diff(plain.InputRequests, withApp.InputRequests); diff != "" || withApp.ResultType != "input_required" {
		t.Errorf("the question (-bare +apps):\n%s", diff)
	}
	if n := x.writes.Load(); n != 0 {
		t.Errorf("%d requests changed the account before anybody said yes", n)
	}
}

// TestNumbersStayHere: the app's own numbers never reach Kite.
func TestNumbersStayHere(t *testing.T) {
	t.Parallel()
	var seen []string
	s, _, _ := trading(t, func(o *server.Options) {
		c := kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: spy(func(r *http.Request) { seen = append(seen, r.URL.String()) })})
		o.Env.Kite = kite.Fixed(c)
	})
	w := newWeb(t, s)
	for _, members := range []string{
		`"name":"portfolio","arguments":{"mode":"holdings","_app_request_id":"marker-1"}`,
		`"name":"market","arguments":{"mode":"quote","instruments":["NSE:INFY"],"_app_request_id":"marker-2"}`,
		`"name":"orders_read","arguments":{"mode":"list","_app_request_id":"marker-3"}`,
		`"name":"gtt_read","arguments":{"mode":"list","_app_request_id":"marker-4"}`,
	} {
		name := strings.Split(members, `"`)[3]
		if r := w.call("tools/call", name, params(apps, members)); !strings.Contains(string(r.Result), "marker-") {
			t.Errorf("%s does not tell its number: %s", name, r.Result)
		}
	}
	if len(seen) < 4 || strings.Contains(strings.Join(seen, " "), "marker") {
		t.Errorf("Kite was asked %q", seen)
	}
}

// spy sees the requests to Kite, and answers none.
type spy func(*http.Request)

func (s spy) RoundTrip(r *http.Request) (*http.Response, error) {
	s(r)
	return nil, errors.New("nobody answers")
}
