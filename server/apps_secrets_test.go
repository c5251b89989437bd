package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// leaky is an exchange that puts credentials into whatever it answers: into every object under names of several
// spellings, as texts, lists, objects and numbers, and its caller's own access token into texts.
type leaky struct{ to http.RoundTripper }

// RoundTrip answers with what the exchange says, and more.
func (l leaky) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.to.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet {
		return resp, err
	}
	dec := json.NewDecoder(resp.Body)
	dec.UseNumber()
	var body any
	if err := errors.Join(dec.Decode(&body), resp.Body.Close()); err != nil {
		return nil, err
	}
	text, err := json.Marshal(leaking(body))
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(`"refresh_token"`), []byte(`"refresh_to\u006ben"`))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return resp, nil
}

func leaking(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = leaking(member)
		}
		maps.Copy(v, map[string]any{
			"access_token": "sekrit-1", "API_SECRET": "sekrit-2", "encToken": []any{"sekrit-3", map[string]any{"x": "sekrit-4"}}, "public-token": map[string]any{"x": "sekrit-5"},
			"refresh_token": "sekrit-6", "Request_Token": 7777777, "memo": "of " + demo.AccessToken + ".", "memos": []any{demo.AccessToken},
		})
	case []any:
		for i := range v {
			v[i] = leaking(v[i])
		}
	}
	return v
}

// TestNoTokenReachesTheApp: what Kite's answers hold beside the data, a credential in an odd place, reaches neither
// the model nor the app, by any of the tools that hand Kite's own objects on, in either era.
func TestNoTokenReachesTheApp(t *testing.T) {
	t.Parallel()
	s, x, _ := trading(t, asIs)
	x.to = leaky{x.to}
	w := newWeb(t, s)
	session := w.session(apps)
	const candles = `"instrument_token":408065,"interval":"day","from_date":"2026-11-01","to_date":"2026-12-01"`
	for _, c := range []struct{ tool, arguments string }{
		{"portfolio", `{"mode":"profile"}`},
		{"portfolio", `{"mode":"margins"}`},
		{"portfolio", `{"mode":"holdings"}`},
		{"portfolio", `{"mode":"holdings","type":"compact"}`},
		{"portfolio", `{"mode":"holdings","type":"summary"}`},
		{"portfolio", `{"mode":"positions","position_view":"all"}`},
		{"market", `{"mode":"quote","instruments":["NSE:INFY"]}`},
		{"market", `{"mode":"ltp","instruments":["NSE:INFY"]}`},
		{"market", `{"mode":"ohlc","instruments":["NSE:INFY"]}`},
		{"market", `{"mode":"historical",` + candles + `}`},
		{"orders_read", `{"mode":"list"}`},
		{"orders_read", `{"mode":"history","order_id":"2044000000000000001"}`},
		{"orders_read", `{"mode":"trades","order_id":"2044000000000000001"}`},
		{"orders_read", `{"mode":"all_trades"}`},
		{"gtt_read", `{"mode":"list"}`},
		{"gtt_read", `{"mode":"get","trigger_id":900003}`},
		{"open_kite_view", `{"view":"holdings"}`},
		{"open_kite_view", `{"view":"positions"}`},
		{"open_kite_view", `{"view":"funds"}`},
		{"open_kite_view", `{"view":"quote","instruments":["NSE:INFY"]}`},
		{"open_kite_view", `{"view":"historical",` + candles + `}`},
		{"kite_explorer", `{}`},
	} {
		members := fmt.Sprintf(`"name":%q,"arguments":%s`, c.tool, c.arguments)
		for era, r := range map[string]reply{
			"modern": w.call("tools/call", c.tool, params(apps, members)),
			"legacy": w.legacyCall("tools/call", "{"+members+"}", session),
		} {
			var got struct{ IsError bool }
			r.decode(t, &got)
			text := string(r.body)
			if got.IsError || strings.Contains(text, "sekrit") || strings.Contains(text, "7777777") || strings.Contains(text, demo.AccessToken) {
				t.Errorf("%s, %s %s: %s", era, c.tool, c.arguments, text)
			}
			// It was there: the names are, but not in what is taken from Kite number by number.
			if planted := strings.Contains(text, `"access_token":"[removed]"`); planted == strings.Contains(c.arguments, candles) {
				t.Errorf("%s, %s %s: planted %t", era, c.tool, c.arguments, planted)
			}
		}
	}
}
