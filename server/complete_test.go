package server_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	w := newWeb(t, s)
	ask := func(ref, argument string) reply {
		return w.call("completion/complete", "", params(`{}`, `"ref":`+ref, `"argument":`+argument))
	}
	const ours = `{"type":"ref/resource","uri":"skill://{+path}"}`
	for value, want := range map[string][]string{
		"ord":       {"orders/SKILL.md", "orders/margin-check.md", "orders/prepare.md", "orders/reconcile.md"},
		"orders/re": {"orders/reconcile.md"},
		"ORD":       {},
		"../":       {},
		"%6frders":  {},
	} {
		var got struct {
			Completion struct {
				Values  []string
				Total   int
				HasMore bool
			}
		}
		ask(ours, `{"name":"path","value":"`+value+`"}`).decode(t, &got)
		if diff := cmp.Diff(want, got.Completion.Values); diff != "" {
			t.Errorf("%q (-want +got):\n%s", value, diff)
		}
		if got.Completion.Total != len(want) || got.Completion.HasMore {
			t.Errorf("%q: %+v", value, got.Completion)
		}
	}
	for name, r := range map[string]reply{
		"unknown template": ask(`{"type":"ref/resource","uri":"skill://orders"}`, `{"name":"path","value":""}`),
		"unknown argument": ask(ours, `{"name":"x","value":""}`),
		"no prompts":       ask(`{"type":"ref/prompt","name":"x"}`, `{"name":"path","value":""}`),
		"tools":            ask(`{"type":"ref/tool","name":"help"}`, `{"name":"key","value":"/"}`),
		"no reference":     w.call("completion/complete", "", params(`{}`)),
	} {
		if r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("%s: got %+v, want -32602", name, r.Error)
		}
	}
}
