package tools

import (
	"context"
	"encoding/json"
)

// Plan is a change that has been worked out in full and not made. Its JSON form
// and its summary are what an approval is bound to.
type Plan interface {
	// Summary is the text the person reads before approving, one paragraph of
	// plain text that names account, action, instrument and quantity.
	Summary() string
}

// Proposal is what an Approver shows and binds its answer to.
type Proposal struct {
	Tool string
	Mode string
	Args json.RawMessage // the caller's arguments
	Plan Plan
}

// Approval is a person's consent to one Proposal.
type Approval struct {
	IntentID string // names the change in the intent log; usable once
}

// Approver asks the person. It returns an Approval, or an error that says why
// there is none: declined, cancelled, or not asked yet.
type Approver interface {
	Approve(ctx context.Context, p Proposal) (Approval, error)
}

// Question is the error of an Approver that has to ask first. The call ends with
// it and is made again with the person's answer.
type Question struct {
	Message string // what the person reads: the plan
	Title   string // of the one box to tick
	State   string // opaque; the repeated call must carry it
}

// Error says that the call is not finished.
func (q *Question) Error() string { return "approval is needed: " + q.Message }

// Intent is one approved change and what became of it.
type Intent struct {
	ID    string `json:"id"`
	Tool  string `json:"tool"`
	Mode  string `json:"mode"`
	State string `json:"state"` // approved, sending, placed, rejected, unknown
}

// Intents is the write-ahead log of changes. Create has exactly one winner for
// an id, which is what makes an approval single-use.
type Intents interface {
	Create(ctx context.Context, a Approval, p Proposal) error
	Sending(ctx context.Context, id string) error
	Settle(ctx context.Context, id string, outcome error) error
	List(ctx context.Context, from, limit int) ([]Intent, error)
}

// change joins the two halves of a changing mode: plan, which only reads and may
// run twice, and apply, which runs exactly once after approval.
type change struct {
	plan  func(ctx context.Context, env *Env, in any) (Plan, error)
	apply func(ctx context.Context, env *Env, p Plan) (any, error)
}

// run is the only path to apply: plan, ask, record, send, settle.
func (c *change) run(ctx context.Context, env *Env, p Proposal, in any) (any, error) {
	if env.Approver == nil || env.Intents == nil {
		return nil, &Failure{Code: CodeApprovalUnavailable, Message: "this connection cannot ask a person for approval; nothing was sent to Kite", Hint: "use a client with elicitation, or the command line on a terminal"}
	}
	plan, err := c.plan(ctx, env, in)
	if err != nil {
		return nil, err
	}
	p.Plan = plan
	approval, err := env.Approver.Approve(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := env.Intents.Create(ctx, approval, p); err != nil {
		return nil, err
	}
	if err := env.Intents.Sending(ctx, approval.IntentID); err != nil {
		return nil, err
	}
	out, applyErr := c.apply(ctx, env, plan)
	// The change may have happened: the record is written even when the caller
	// is gone.
	if err := env.Intents.Settle(context.WithoutCancel(ctx), approval.IntentID, applyErr); err != nil {
		env.Log.ErrorContext(ctx, "settle intent", "intent", approval.IntentID, "error", err)
	}
	return out, applyErr
}
