package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// approvalTime is how long a question may stay unanswered.
const approvalTime = 5 * time.Minute

const (
	// statePrefix names the format of a request state.
	statePrefix = "v1."
	// statePurpose is what the seal of a state is good for.
	statePurpose = "request-state"
)

// approvals asks people about plans. One code path serves both eras: the call
// ends with a question, and is made again with the answer. That an answer counts
// once is the intent log's business.
type approvals struct {
	keys      *store.Keys
	trustHost bool
	now       func() time.Time
}

func newApprovals(opts Options) *approvals {
	a := &approvals{keys: opts.Keys, trustHost: opts.TrustHost, now: opts.Clock}
	if a.keys == nil {
		a.keys = store.RandomKeys()
	}
	return a
}

// of returns the approver of one request.
func (a *approvals) of(req *mcp.CallToolRequest) tools.Approver {
	if a.trustHost {
		return hostApproves{}
	}
	return &approver{a, req}
}

// hostApproves takes the call itself for consent: the operator says that the host
// asks its person about every call.
type hostApproves struct{}

// Approve implements tools.Approver.
func (hostApproves) Approve(context.Context, tools.Proposal) (tools.Approval, error) {
	return tools.Approval{IntentID: rand.Text()}, nil
}

type approver struct {
	*approvals
	req *mcp.CallToolRequest
}

// state is what a question is bound to. It is sealed for one account: clients
// carry it, but can neither read nor change it, nor use it for another.
type state struct {
	Tool   string    `json:"t"`
	Mode   string    `json:"m"`
	Args   string    `json:"a"` // digest
	Plan   string    `json:"s"` // digest of the plan and of its summary, which the person was shown
	Epoch  string    `json:"l"` // of the intent log, which could not know a used approval of another one
	Expiry time.Time `json:"e"`
	ID     string    `json:"i"` // of the intent
}

// Approve implements tools.Approver.
func (a *approver) Approve(ctx context.Context, p tools.Proposal) (tools.Approval, error) {
	if !showsForms(a.req.ClientCapabilities()) {
		return tools.Approval{}, &tools.Failure{
			Code: tools.CodeApprovalUnavailable, Message: "this client cannot show an approval form; nothing was sent to Kite",
			Hint: "Use a client with elicitation, or kite-mcp tools call on a terminal; whoever runs this server can set TRADE_APPROVAL=host when the client itself asks about every call",
		}
	}
	want, err := bind(p)
	if err != nil {
		return tools.Approval{}, err
	}
	if a.req.Params.RequestState == "" { // answers without a state are nobody's consent
		return tools.Approval{}, a.question(ctx, p, want)
	}
	got, err := a.open(p.Account, a.req.Params.RequestState)
	if err != nil {
		return tools.Approval{}, err
	}
	if got.Tool != want.Tool || got.Mode != want.Mode || got.Args != want.Args || got.Plan != want.Plan || got.Epoch != want.Epoch {
		return tools.Approval{}, notApproved("the approval is not for this request")
	}
	response, ok := a.req.Params.InputResponses[tools.Answer].(*mcp.ElicitResult)
	if !ok {
		return tools.Approval{}, a.question(ctx, p, want)
	}
	return tools.Approval{IntentID: got.ID}, consent(response) // a no uses it up, too: it is final
}

// showsForms is our own check: the SDK would send a form to a modern client that
// never announced any.
func showsForms(caps *mcp.ClientCapabilities) bool {
	if caps == nil || caps.Elicitation == nil {
		return false
	}
	return caps.Elicitation.Form != nil || caps.Elicitation.URL == nil
}

// consent reports why an answer is none.
func consent(r *mcp.ElicitResult) error {
	confirmed, _ := r.Content[tools.Confirm].(bool)
	switch {
	case r.Action == "accept" && confirmed:
		return nil
	case r.Action == "decline":
		return &tools.Failure{Code: tools.CodeApprovalDeclined, Message: "the change was declined; nothing was sent to Kite"}
	default:
		return &tools.Failure{Code: tools.CodeApprovalCancelled, Message: "the change was not confirmed; nothing was sent to Kite"}
	}
}

func notApproved(reason string) *tools.Failure {
	return &tools.Failure{Code: tools.CodeApprovalInvalid, Message: reason + "; nothing was sent to Kite", Hint: "Make the call again without requestState to ask anew"}
}

// question seals a fresh state around what is asked.
func (a *approver) question(ctx context.Context, p tools.Proposal, s state) error {
	message, err := p.Message(ctx)
	if err != nil {
		return err
	}
	s.ID, s.Expiry = rand.Text(), a.now().Add(approvalTime)
	plain, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode approval state: %w", err)
	}
	sealed, err := a.keys.Seal(statePurpose, p.Account, plain)
	if err != nil {
		return fmt.Errorf("seal approval state: %w", err)
	}
	return &tools.Question{Message: message, Title: p.Title, Intent: s.ID, State: statePrefix + base64.RawURLEncoding.EncodeToString(sealed)}
}

// open reads a state. It says no more than that it is bad or too old.
func (a *approver) open(account, text string) (state, error) {
	encoded, ok := strings.CutPrefix(text, statePrefix)
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil {
		return state{}, notApproved("the approval is not for this request")
	}
	plain, err := a.keys.Open(statePurpose, account, sealed)
	if err != nil && !errors.Is(err, store.ErrSealed) {
		return state{}, fmt.Errorf("open approval state: %w", err)
	}
	var s state
	if err != nil || json.Unmarshal(plain, &s) != nil {
		return state{}, notApproved("the approval is not for this request")
	}
	if !a.now().Before(s.Expiry) {
		return state{}, notApproved("the approval has expired")
	}
	return s, nil
}

// bind says what a proposal's approval is good for, and for nothing else.
func bind(p tools.Proposal) (state, error) {
	plan, err := json.Marshal([]any{p.Plan.Summary(), p.Plan})
	if err != nil {
		return state{}, fmt.Errorf("bind approval: %w", err)
	}
	sum := sha256.Sum256(plan)
	return state{Tool: p.Tool, Mode: p.Mode, Args: p.Args, Plan: hex.EncodeToString(sum[:]), Epoch: p.Epoch}, nil
}
