package tools

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// Plan is a change that has been worked out in full and not made. Its JSON form
// and its summary are what an approval is bound to.
type Plan interface {
	// Summary is the text the person reads before approving, one paragraph of
	// plain text that names account, action, instrument and quantity.
	Summary() string
	// Intent tells the log whose account changes, what is done in one line, and
	// how the change is recognised at Kite. id is that of the approval, empty
	// before there is one; a generated tag comes from it.
	Intent(id string) kite.Intent
}

// Proposal is what an Approver shows and binds its answer to.
type Proposal struct {
	Tool     string
	Mode     string
	Args     string // digest of the caller's arguments, equal for equal ones
	Plan     Plan
	Account  string   // Kite user id
	Client   string   // the program that asks, as it calls itself
	Epoch    string   // of the intent log; consent given in another one is void
	Title    string   // of the mode, for the box to tick
	Warnings []string // what the person reads before the plan; not part of what is approved
}

// asider is a plan with facts of the moment, such as a last price. The person
// reads them and approves the plan whether or not they change meanwhile.
type asider interface{ aside() string }

// reckoner is a plan with figures of Kite's that are asked for only when
// somebody is going to read them. Like asides they are not approved.
type reckoner interface {
	// reckon returns what the person must read first, if anything, and the rest. An error means that Kite would not take
	// the change either: nobody needs to be asked.
	reckon(ctx context.Context) (alarm, facts string, err error)
}

// Message is all that the person reads. It may ask Kite for figures, for as long
// as Env.Figures says. It fails when the login has ended: then there is nothing to ask.
func (p Proposal) Message(ctx context.Context) (string, error) {
	parts := append(slices.Clone(p.Warnings), p.Plan.Summary())
	if a, ok := p.Plan.(asider); ok {
		parts = append(parts, a.aside())
	}
	if r, ok := p.Plan.(reckoner); ok {
		alarm, facts, err := r.reckon(ctx)
		if err != nil {
			return "", err
		}
		parts = append(append([]string{alarm}, parts...), facts)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " "), nil
}

// Approval is a person's answer to one Proposal.
type Approval struct {
	IntentID string // names the change in the intent log; usable once
}

// Approver asks the person. It returns an Approval, or an error that says why
// there is none: declined, cancelled, or not asked yet. A no comes with its
// Approval too, which it uses up.
type Approver interface {
	Approve(ctx context.Context, p Proposal) (Approval, error)
}

// Question is the error of an Approver that has to ask first. The call ends with
// it and is made again with the person's answer.
type Question struct {
	Message string // what the person reads: the plan
	Title   string // of the one box to tick
	State   string // opaque; the repeated call must carry it
	Intent  string // id that the change will have
}

// Error says that the call is not finished.
func (q *Question) Error() string { return "approval is needed: " + q.Message }

// Intents is the write-ahead log of changes. Create has exactly one winner for
// an id, which is what makes an approval single-use.
type Intents interface {
	// Reconcile settles what is open by reading the books of the account, and
	// returns how much stays open.
	Reconcile(ctx context.Context, account string, books kite.Books) (open int, err error)
	// Review returns what to tell the person about earlier changes. It refuses
	// one that is being sent right now with kite.ErrIntentPending.
	Review(ctx context.Context, in kite.Intent) (kite.Review, error)
	// Asked notes that the person is about to be asked.
	Asked(ctx context.Context, in kite.Intent) error
	// Create writes down the answer, or returns kite.ErrIntentUsed.
	Create(ctx context.Context, in kite.Intent) error
	// Sending is durable before the first byte goes to Kite.
	Sending(ctx context.Context, account, id string) error
	// Settle notes the outcome, nil when Kite took the change; ref then names
	// what it is at Kite.
	Settle(ctx context.Context, account, id, ref string, outcome error) error
	// List returns the changes of an account, newest first.
	List(ctx context.Context, account string) ([]kite.Intent, error)
}

// change joins the two halves of a changing mode: plan, which only reads and may
// run twice, and apply, which runs exactly once after approval.
type change struct {
	plan  func(ctx context.Context, env *Env, in any) (Plan, error)
	apply func(ctx context.Context, env *Env, p Plan) (any, error)
}

// receipted is a result that names the order or trigger it is about, for the log.
type receipted interface{ receipt() string }

// run is the only path to apply: plan, ask, record, send, settle. Reading has a
// deadline; the person has as long as the caller waits, and Kite its own.
func (c *change) run(ctx context.Context, env *Env, p Proposal, in any) (any, error) {
	if env.Approver == nil || env.Intents == nil {
		return nil, &Failure{Code: CodeApprovalUnavailable, Message: "this connection cannot ask a person for approval; nothing was sent to Kite", Hint: "use a client with elicitation, or the command line on a terminal"}
	}
	p, err := c.propose(ctx, env, p, in)
	if err != nil {
		return nil, err
	}
	approval, refusal := env.Approver.Approve(ctx, p)
	if approval.IntentID == "" && refusal != nil { // nobody answered
		return nil, noted(ctx, env, p, refusal)
	}
	intent := p.Intent(approval.IntentID)
	intent.State = answerOf(refusal)
	if err := env.Intents.Create(ctx, intent); err != nil {
		return nil, notRecorded(err)
	}
	if refusal != nil {
		return nil, refusal
	}
	if err := env.Intents.Sending(ctx, intent.Account, intent.ID); err != nil {
		return nil, notRecorded(err)
	}
	own := *env
	own.intent = intent
	return c.send(ctx, &own, p.Plan, intent)
}

// noted is why nobody answered. A question is written down before it is asked.
func noted(ctx context.Context, env *Env, p Proposal, refusal error) error {
	if q, ok := errors.AsType[*Question](refusal); ok {
		if err := env.Intents.Asked(ctx, p.Intent(q.Intent)); err != nil {
			return notRecorded(err)
		}
	}
	if errors.Is(refusal, kite.ErrAudit) { // the approver writes its own questions down
		return notRecorded(refusal)
	}
	return refusal
}

// send makes the change and writes down what came of it.
func (c *change) send(ctx context.Context, env *Env, plan Plan, intent kite.Intent) (any, error) {
	out, err := c.apply(ctx, env, plan)
	ref := ""
	if r, ok := out.(receipted); ok && err == nil {
		ref = r.receipt()
	}
	// The change may have happened: the record is written even when the caller
	// is gone.
	if settled := env.Intents.Settle(context.WithoutCancel(ctx), intent.Account, intent.ID, ref, err); settled != nil {
		env.Log.ErrorContext(ctx, "settle intent", "intent", intent.ID, "error", settled)
	}
	if errors.Is(err, kite.ErrOutcomeUnknown) {
		return nil, lostOutcome(err, intent)
	}
	return out, err
}

// propose plans and adds what the log says.
func (c *change) propose(ctx context.Context, env *Env, p Proposal, in any) (Proposal, error) {
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	plan, err := c.plan(ctx, env, in)
	if err != nil {
		return p, err
	}
	p.Plan, p.Client = plan, env.Client
	intent := p.Intent("")
	p.Account = intent.Account
	if client, err := env.Kite.Client(ctx); err == nil {
		if _, err := env.Intents.Reconcile(ctx, p.Account, client.Books()); err != nil {
			env.Log.WarnContext(ctx, "reconcile", "error", err) // the review below tells what stays open
		}
	}
	review, err := env.Intents.Review(ctx, intent)
	switch {
	case errors.Is(err, kite.ErrIntentPending):
		return p, &Failure{Code: CodeRejected, Message: "the same change is being sent right now; nothing more was sent to Kite", Hint: "look at session mode activity in half a minute", Retryable: true}
	case err != nil:
		return p, &unrecorded{Failure{Code: CodeInternal, Message: "the log of changes could not be read; nothing was sent to Kite", Hint: busyHint, Retryable: true}, err}
	}
	p.Epoch, p.Warnings = review.Epoch, review.Warnings
	return p, nil
}

// Intent is the plan's record with what the plan cannot know.
func (p Proposal) Intent(id string) kite.Intent {
	in := p.Plan.Intent(id)
	in.ID, in.Tool, in.Mode, in.Args, in.Client = id, p.Tool, p.Mode, p.Args, p.Client
	return in
}

// digestOf is equal for equal arguments, whatever their order and spelling.
func digestOf(args json.RawMessage) string {
	var v any
	dec := json.NewDecoder(strings.NewReader(string(args)))
	dec.UseNumber()
	if dec.Decode(&v) == nil {
		if sorted, err := json.Marshal(v); err == nil {
			args = sorted
		}
	}
	sum := sha256.Sum256(args)
	return hex.EncodeToString(sum[:])
}

// answerOf is the state that a person's answer begins with.
func answerOf(refusal error) kite.IntentState {
	if refusal == nil {
		return kite.IntentApproved
	}
	if Explain(refusal).Code == CodeApprovalDeclined {
		return kite.IntentDeclined
	}
	return kite.IntentCancelled
}

// notRecorded is a change that was not made because the log did not take it.
func notRecorded(err error) error {
	if errors.Is(err, kite.ErrIntentUsed) {
		return &Failure{Code: CodeApprovalInvalid, Message: "the approval was already used; nothing was sent to Kite", Hint: "make the call again without requestState to ask anew"}
	}
	if errors.Is(err, kite.ErrAudit) {
		return &unrecorded{Failure{Code: CodeInternal, Message: "the audit log could not be written; nothing was sent to Kite", Hint: "whoever runs this program must make AUDIT_LOG writable; reading goes on meanwhile"}, err}
	}
	return &unrecorded{Failure{Code: CodeInternal, Message: "the log of changes could not be written; nothing was sent to Kite", Hint: busyHint, Retryable: true}, err}
}

const busyHint = "try again; another kite-mcp may be busy"

// unrecorded keeps the cause for the server's log.
type unrecorded struct {
	Failure
	cause error
}

// Error returns the cause; Explain returns the Failure.
func (u *unrecorded) Error() string { return u.cause.Error() }

// Unwrap returns the Failure.
func (u *unrecorded) Unwrap() []error { return []error{&u.Failure, u.cause} }

// lostOutcome adds to an unknown outcome how to find the change.
func lostOutcome(err error, intent kite.Intent) *Failure {
	f := Explain(err)
	f.Hint = "Do not repeat it. session mode activity shows what became of intent " + intent.ID
	if intent.Tag != "" {
		f.Hint += "; in orders mode list it has the tag " + intent.Tag
	}
	return f
}

// tagOf is the tag of the order that an approval stands for. Only that approval
// can produce it, so an order that carries it was placed by it.
func tagOf(intentID string) string {
	sum := sha256.Sum256([]byte(intentID))
	return "k" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:15])
}
