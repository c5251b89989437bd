package server

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// approvalTime is how long a question may stay unanswered.
const approvalTime = 5 * time.Minute

// statePrefix names the format of a request state.
const statePrefix = "v1."

// localPrincipal is whose consent it is where one account is behind the server.
const localPrincipal = "local"

// SpentApprovals remembers which questions were answered. Spend reports whether this
// is the first use of id; of any number of parallel calls exactly one gets true.
// An id need not be kept after its expiry.
type SpentApprovals interface {
	Spend(ctx context.Context, id string, expiry time.Time) (first bool, err error)
}

// approvals asks people about plans. One code path serves both eras: the call
// ends with a question, and is made again with the answer.
type approvals struct {
	seal  cipher.AEAD
	spent SpentApprovals
	now   func() time.Time
}

func newApprovals(opts Options) (*approvals, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("make approval key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make approval cipher: %w", err)
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make approval cipher: %w", err)
	}
	spent := opts.Spent
	if spent == nil {
		spent = &spentInMemory{now: opts.Clock, until: map[string]time.Time{}}
	}
	return &approvals{seal: seal, spent: spent, now: opts.Clock}, nil
}

// of returns the approver of one request.
func (a *approvals) of(req *mcp.CallToolRequest) tools.Approver { return &approver{a, req} }

type approver struct {
	*approvals
	req *mcp.CallToolRequest
}

// state is what a question is bound to. It is sealed: clients carry it, but can
// neither read nor change it.
type state struct {
	Principal string    `json:"p"`
	Tool      string    `json:"t"`
	Mode      string    `json:"m"`
	Args      string    `json:"a"` // digest, whatever the order of the members
	Plan      string    `json:"s"` // digest of the plan and of its summary, which the person was shown
	Expiry    time.Time `json:"e"`
	ID        string    `json:"i"` // spent once
}

// Approve implements tools.Approver.
func (a *approver) Approve(ctx context.Context, p tools.Proposal) (tools.Approval, error) {
	if !showsForms(a.req.ClientCapabilities()) {
		return tools.Approval{}, &tools.Failure{
			Code: tools.CodeApprovalUnavailable, Message: "this client cannot show an approval form; nothing was sent to Kite",
			Hint: "Use a client with elicitation, or the command line on a terminal",
		}
	}
	want, err := a.bind(p)
	if err != nil {
		return tools.Approval{}, err
	}
	if a.req.Params.RequestState == "" { // answers without a state are nobody's consent
		return tools.Approval{}, a.question(p, want)
	}
	got, err := a.open(a.req.Params.RequestState)
	if err != nil {
		return tools.Approval{}, err
	}
	if got.Principal != want.Principal || got.Tool != want.Tool || got.Mode != want.Mode || got.Args != want.Args || got.Plan != want.Plan {
		return tools.Approval{}, notApproved("the approval is not for this request")
	}
	response, ok := a.req.Params.InputResponses[tools.Answer].(*mcp.ElicitResult)
	if !ok {
		return tools.Approval{}, a.question(p, want)
	}
	first, err := a.spent.Spend(ctx, got.ID, got.Expiry) // by a no, too: it is final
	if err != nil {
		return tools.Approval{}, fmt.Errorf("spend approval: %w", err)
	}
	if !first {
		return tools.Approval{}, notApproved("the approval was already used")
	}
	if err := consent(response); err != nil {
		return tools.Approval{}, err
	}
	return tools.Approval{IntentID: got.ID}, nil
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
func (a *approver) question(p tools.Proposal, s state) error {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return fmt.Errorf("make approval id: %w", err)
	}
	s.ID, s.Expiry = hex.EncodeToString(id), a.now().Add(approvalTime)
	plain, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode approval state: %w", err)
	}
	nonce := make([]byte, a.seal.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return fmt.Errorf("seal approval state: %w", err)
	}
	sealed := a.seal.Seal(nonce, nonce, plain, []byte(statePrefix))
	return &tools.Question{Message: p.Plan.Summary(), Title: "Approve this change", State: statePrefix + base64.RawURLEncoding.EncodeToString(sealed)}
}

// open reads a state. It says no more than that it is bad or too old.
func (a *approver) open(text string) (state, error) {
	encoded, ok := strings.CutPrefix(text, statePrefix)
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(sealed) < a.seal.NonceSize() {
		return state{}, notApproved("the approval is not for this request")
	}
	nonce, body := sealed[:a.seal.NonceSize()], sealed[a.seal.NonceSize():]
	plain, err := a.seal.Open(nil, nonce, body, []byte(statePrefix))
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
func (a *approver) bind(p tools.Proposal) (state, error) {
	args, err := canonical(p.Args)
	if err != nil {
		return state{}, fmt.Errorf("bind approval: %w", err)
	}
	plan, err := json.Marshal([]any{p.Plan.Summary(), p.Plan})
	if err != nil {
		return state{}, fmt.Errorf("bind approval: %w", err)
	}
	return state{Principal: localPrincipal, Tool: p.Tool, Mode: p.Mode, Args: digest(args), Plan: digest(plan)}, nil
}

// canonical makes equal objects equal bytes: members sorted, numbers as written.
func canonical(raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errors.New("arguments are not JSON")
	}
	return json.Marshal(v)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// spentInMemory keeps ids until they expire.
type spentInMemory struct {
	now   func() time.Time
	mu    sync.Mutex
	until map[string]time.Time
}

// Spend implements SpentApprovals.
func (s *spentInMemory) Spend(_ context.Context, id string, expiry time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for old, until := range s.until {
		if !now.Before(until) {
			delete(s.until, old)
		}
	}
	if _, used := s.until[id]; used {
		return false, nil
	}
	s.until[id] = expiry
	return true, nil
}
