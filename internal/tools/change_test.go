package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type ledgerPlan struct{ count int }

func (ledgerPlan) Summary() string { return "write to the ledger" }

// changing is a tool with one reading and one changing mode; steps records what
// its change did.
func changing(steps *[]string) tools.Tool {
	note := func(s string) {
		if steps != nil {
			*steps = append(*steps, s)
		}
	}
	writeSpec := modeSpec(`ledger {"mode":"write","count":1}`)
	writeSpec.Effect = tools.Destroy
	return tools.Define(spec("ledger"),
		tools.Read("look", modeSpec(`ledger {"mode":"look","count":1}`), echo[otherInput]),
		tools.Change("write", writeSpec,
			func(_ context.Context, _ *tools.Env, in otherInput) (ledgerPlan, error) {
				note("plan")
				return ledgerPlan{in.Count}, nil
			},
			func(_ context.Context, _ *tools.Env, p ledgerPlan) (map[string]int, error) {
				note("apply")
				return map[string]int{"count": p.count}, nil
			}))
}

// book is an approver and an intent log that record their calls.
type book struct {
	steps   *[]string
	refuse  error
	taken   bool
	settled error
}

func (b *book) Approve(_ context.Context, p tools.Proposal) (tools.Approval, error) {
	*b.steps = append(*b.steps, "approve "+p.Plan.Summary())
	return tools.Approval{IntentID: "i1"}, b.refuse
}

func (b *book) Create(context.Context, tools.Approval, tools.Proposal) error {
	*b.steps = append(*b.steps, "create")
	if b.taken {
		return &tools.Failure{Code: tools.CodeApprovalInvalid, Message: "already used"}
	}
	return nil
}

func (b *book) Sending(context.Context, string) error {
	*b.steps = append(*b.steps, "sending")
	return nil
}

func (b *book) Settle(_ context.Context, _ string, outcome error) error {
	*b.steps = append(*b.steps, "settle")
	b.settled = outcome
	return nil
}

func (b *book) List(context.Context, int, int) ([]tools.Intent, error) { return nil, nil }

func TestChangeRunsItsStepsInOrder(t *testing.T) {
	t.Parallel()
	declined := &tools.Failure{Code: tools.CodeApprovalDeclined, Message: "declined"}
	for name, tc := range map[string]struct {
		refuse error
		taken  bool
		want   []string
		code   tools.Code
	}{
		"approved":     {nil, false, []string{"plan", "approve write to the ledger", "create", "sending", "apply", "settle"}, ""},
		"declined":     {declined, false, []string{"plan", "approve write to the ledger"}, tools.CodeApprovalDeclined},
		"already used": {nil, true, []string{"plan", "approve write to the ledger", "create"}, tools.CodeApprovalInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []string
			r := registry(t, tools.Options{}, changing(&steps))
			env := loggedOut(t)
			b := &book{steps: &steps, refuse: tc.refuse, taken: tc.taken}
			env.Approver, env.Intents = b, b
			_, err := r.Call(t.Context(), env, tools.Profile{}, "ledger", json.RawMessage(`{"mode":"write","count":2}`))
			if diff := cmp.Diff(tc.want, steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if tc.code == "" && err != nil || tc.code != "" && tools.Explain(err).Code != tc.code {
				t.Errorf("error %v, want code %q", err, tc.code)
			}
		})
	}
}

func TestChangeWithoutApproverIsRefused(t *testing.T) {
	t.Parallel()
	var steps []string
	r := registry(t, tools.Options{}, changing(&steps))
	_, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "ledger", json.RawMessage(`{"mode":"write","count":2}`))
	if f := tools.Explain(err); f.Code != tools.CodeApprovalUnavailable {
		t.Errorf("got %s, want approval_unavailable", f.Code)
	}
	if slices.Contains(steps, "apply") {
		t.Error("apply ran without approval")
	}
}

func TestChangeRejectsStrayArguments(t *testing.T) {
	t.Parallel()
	r := registry(t, tools.Options{}, changing(nil))
	_, err := r.Call(t.Context(), loggedOut(t), tools.Profile{}, "ledger", json.RawMessage(`{"mode":"write","count":2,"limit":1}`))
	if f := tools.Explain(err); f.Code != tools.CodeInvalidArgument {
		t.Errorf("got %v, want invalid_argument", err)
	}
}

func TestExplainHidesUnknownErrors(t *testing.T) {
	t.Parallel()
	f := tools.Explain(errors.New("secret token abc"))
	if f.Code != tools.CodeInternal || f.Message != "internal error" {
		t.Errorf("got %+v", f)
	}
	if f := tools.Explain(context.DeadlineExceeded); f.Code != tools.CodeTimeout || !f.Retryable {
		t.Errorf("deadline: got %+v", f)
	}
}
