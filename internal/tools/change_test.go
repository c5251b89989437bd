package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type ledgerPlan struct{ count int }

func (ledgerPlan) Summary() string { return "write to the ledger" }

func (ledgerPlan) Intent(string) kite.Intent { return kite.Intent{Account: "DM0001"} }

// changing is a tool with one reading and one changing mode; steps records what
// its change did.
func changing(steps *[]string) tools.Tool {
	note := func(s string) {
		if steps != nil {
			*steps = append(*steps, s)
		}
	}
	writeSpec := modeSpec(`ledger {"mode":"write","count":1}`)
	writeSpec.Effect, writeSpec.Ask = tools.Destroy, "Write"
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
	steps    *[]string
	silent   bool  // nobody answers
	refuse   error // of Approve
	asked    error
	create   error
	sending  error
	review   error
	intent   kite.Intent // as created
	warnings []string
}

func (b *book) note(s string) { *b.steps = append(*b.steps, s) }

func (b *book) Approve(ctx context.Context, p tools.Proposal) (tools.Approval, error) {
	message, err := p.Message(ctx)
	if err != nil {
		return tools.Approval{}, err
	}
	b.note("approve " + message)
	if b.silent {
		return tools.Approval{}, b.refuse
	}
	return tools.Approval{IntentID: "i1"}, b.refuse
}

func (b *book) Reconcile(context.Context, string, kite.Books) (int, error) {
	b.note("reconcile")
	return 0, nil
}

func (b *book) Review(context.Context, kite.Intent) (kite.Review, error) {
	return kite.Review{Warnings: b.warnings}, b.review
}

func (b *book) Asked(_ context.Context, in kite.Intent) error {
	b.note("asked " + in.ID)
	return b.asked
}

func (b *book) Create(_ context.Context, in kite.Intent) error {
	b.note("create " + string(in.State))
	b.intent = in
	return b.create
}

func (b *book) Sending(context.Context, string, string) error {
	b.note("sending")
	return b.sending
}

func (b *book) Settle(context.Context, string, string, string, error) error {
	b.note("settle")
	return nil
}

func (b *book) List(context.Context, string) ([]kite.Intent, error) { return nil, nil }

func TestChangeRunsItsStepsInOrder(t *testing.T) {
	t.Parallel()
	const asked = "approve write to the ledger"
	declined := &tools.Failure{Code: tools.CodeApprovalDeclined, Message: "declined"}
	for name, tc := range map[string]struct {
		book book
		want []string
		code tools.Code
	}{
		"approved":          {book{}, []string{"plan", asked, "create approved", "sending", "apply", "settle"}, ""},
		"warned":            {book{warnings: []string{"Look!"}}, []string{"plan", "approve Look! write to the ledger", "create approved", "sending", "apply", "settle"}, ""},
		"declined":          {book{refuse: declined}, []string{"plan", asked, "create declined"}, tools.CodeApprovalDeclined},
		"not confirmed":     {book{refuse: &tools.Failure{Code: tools.CodeApprovalCancelled}}, []string{"plan", asked, "create cancelled"}, tools.CodeApprovalCancelled},
		"declined too late": {book{refuse: declined, create: kite.ErrIntentUsed}, []string{"plan", asked, "create declined"}, tools.CodeApprovalInvalid},
		"nobody answered":   {book{silent: true, refuse: context.Canceled}, []string{"plan", asked}, tools.CodeTimeout},
		"asked first":       {book{silent: true, refuse: &tools.Question{Intent: "i1"}}, []string{"plan", asked, "asked i1"}, tools.CodeInternal},
		"cannot be asked":   {book{silent: true, refuse: &tools.Question{Intent: "i1"}, asked: fmt.Errorf("x: %w", kite.ErrAudit)}, []string{"plan", asked, "asked i1"}, tools.CodeInternal},
		"audit log broken":  {book{create: fmt.Errorf("x: %w", kite.ErrAudit)}, []string{"plan", asked, "create approved"}, tools.CodeInternal},
		"already used":      {book{create: kite.ErrIntentUsed}, []string{"plan", asked, "create approved"}, tools.CodeApprovalInvalid},
		"log broken":        {book{create: errors.New("disk full")}, []string{"plan", asked, "create approved"}, tools.CodeInternal},
		"given up":          {book{sending: kite.ErrIntentUsed}, []string{"plan", asked, "create approved", "sending"}, tools.CodeApprovalInvalid},
		"sending broken":    {book{sending: errors.New("disk full")}, []string{"plan", asked, "create approved", "sending"}, tools.CodeInternal},
		"same one pending":  {book{review: kite.ErrIntentPending}, []string{"plan"}, tools.CodeRejected},
		"log unreadable":    {book{review: errors.New("no disk")}, []string{"plan"}, tools.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []string
			r := registry(t, tools.Options{}, changing(&steps))
			env := loggedOut(t)
			b := tc.book
			b.steps = &steps
			env.Approver, env.Intents = &b, &b
			_, err := r.Call(t.Context(), env, tools.Profile{}, "ledger", json.RawMessage(`{"mode":"write","count":2}`))
			if diff := cmp.Diff(tc.want, steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if tc.code == "" && err != nil || tc.code != "" && tools.Explain(err).Code != tc.code {
				t.Errorf("error %v, want code %q", err, tc.code)
			}
			if _, question := errors.AsType[*tools.Question](err); question {
				return
			}
			if tc.code == tools.CodeInternal && !strings.Contains(tools.Explain(err).Message, "nothing was sent") {
				t.Errorf("the caller is not told that nothing was sent: %v", tools.Explain(err))
			}
		})
	}
}

// TestIntentSaysWhatWasAsked: equal arguments have equal digests, whatever their order.
func TestIntentSaysWhatWasAsked(t *testing.T) {
	t.Parallel()
	var digests []string
	for _, args := range []string{`{"mode":"write","count":2}`, `{ "count": 2, "mode": "write" }`, `{"mode":"write","count":3}`} {
		var steps []string
		b := &book{steps: &steps}
		env := loggedOut(t)
		env.Approver, env.Intents = b, b
		if _, err := registry(t, tools.Options{}, changing(nil)).Call(t.Context(), env, tools.Profile{}, "ledger", json.RawMessage(args)); err != nil {
			t.Fatal(err)
		}
		if b.intent.ID != "i1" || b.intent.Tool != "ledger" || b.intent.Mode != "write" || b.intent.Account != "DM0001" {
			t.Errorf("intent %+v", b.intent)
		}
		digests = append(digests, b.intent.Args)
	}
	if digests[0] != digests[1] || digests[0] == digests[2] {
		t.Errorf("digests %v", digests)
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
