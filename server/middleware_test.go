package server_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// exploding is a tool whose handler panics with a value that must not leak.
func exploding() tools.Tool {
	return tools.Define(tools.Spec{
		Name: "exploding", Title: "Exploding", Category: tools.Market, Description: "Panics.",
		Tags: []string{"test"}, Examples: []string{"exploding {}"},
	}, tools.Read("", tools.ModeSpec{}, func(context.Context, *tools.Env, struct{}) (struct{}, error) {
		panic("secret account value")
	}))
}

func TestPanicCostsOneCall(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, append(tools.All(), exploding())...)
	w := newWeb(t, s)
	for era, r := range map[string]reply{
		"modern": w.call("tools/call", "exploding", params(`{}`, `"name":"exploding"`)),
		"legacy": w.legacyCall("tools/call", `{"name":"exploding"}`, w.session(`{}`)),
		"stdio":  byID(t, runStdio(t, s, request(4, "tools/call", params(`{}`, `"name":"exploding"`))), "4"),
	} {
		if r.Error == nil || r.Error.Code != -32603 || r.Error.Message != "internal error" {
			t.Errorf("%s: got %+v, want a plain -32603", era, r.Error)
		}
	}
	want := slices.Sorted(slices.Values(append(allTools(), "exploding")))
	if diff := cmp.Diff(want, toolNames(t, w.call("tools/list", "", params(`{}`)))); diff != "" {
		t.Errorf("the server did not survive (-want +got):\n%s", diff)
	}
}
