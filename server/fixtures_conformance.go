//go:build conformance

package server

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// addFixtures adds the approval fixtures of the official conformance suite. They
// run on our own sealed states and router; nothing else differs from a release.
func (s *Server) addFixtures(a *approvals) {
	fixtures := map[string]mcp.ToolHandler{
		"test_input_required_result_elicitation":    a.askName,
		"test_input_required_result_request_state":  a.confirmState,
		"test_input_required_result_tampered_state": a.confirmState,
		"test_input_required_result_multi_round":    a.twoRounds,
		"test_input_required_result_capabilities":   askWhatIsSupported,
		"test_missing_capability":                   needsForms,
	}
	for name, handle := range fixtures {
		s.mcp.AddTool(&mcp.Tool{Name: name, Description: "Conformance fixture.", InputSchema: json.RawMessage(`{"type":"object"}`)}, handle)
	}
}

// form asks for one value.
func form(message, field, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{field: map[string]any{"type": kind}}, "required": []string{field},
	}}
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// answered returns the accepted text answer of a form.
func answered(req *mcp.CallToolRequest, form, field string) (string, bool) {
	r, ok := req.Params.InputResponses[form].(*mcp.ElicitResult)
	if !ok || r.Action != "accept" {
		return "", false
	}
	text, ok := r.Content[field].(string)
	return text, ok
}

// sealed asks with a state that names the fixture and its round.
func (a *approvals) sealed(ctx context.Context, req *mcp.CallToolRequest, round string, requests mcp.InputRequestMap) (*mcp.CallToolResult, error) {
	who := &approver{a, req}
	q := who.question(ctx, tools.Proposal{Tool: req.Params.Name, Account: fixtureAccount, Plan: fixturePlan{}}, state{Tool: req.Params.Name, Mode: round})
	asked, ok := q.(*tools.Question)
	if !ok {
		return nil, q
	}
	return &mcp.CallToolResult{RequestState: asked.State, InputRequests: requests}, nil
}

const fixtureAccount = "FIXTURE"

type fixturePlan struct{}

// Intent implements tools.Plan; the fixtures change nothing.
func (fixturePlan) Intent(string) kite.Intent { return kite.Intent{Account: fixtureAccount} }

// Summary implements tools.Plan.
func (fixturePlan) Summary() string { return "fixture" }

// round opens the state of a repeated call.
func (a *approvals) round(req *mcp.CallToolRequest) (string, error) {
	s, err := (&approver{a, req}).open(fixtureAccount, req.Params.RequestState)
	if err != nil || s.Tool != req.Params.Name {
		return "", invalidParams("the request state is not for this request")
	}
	return s.Mode, nil
}

func (a *approvals) askName(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if name, ok := answered(req, "user_name", "name"); ok {
		return textResult("Hello, " + name + "!"), nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"user_name": form("What is your name?", "name", "string")}}, nil
}

func (a *approvals) confirmState(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return a.sealed(ctx, req, "1", mcp.InputRequestMap{"confirm": form("Please confirm", "ok", "boolean")})
	}
	if _, err := a.round(req); err != nil {
		return nil, err
	}
	return textResult("state-ok"), nil
}

func (a *approvals) twoRounds(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return a.sealed(ctx, req, "1", mcp.InputRequestMap{"step1": form("Step 1: What is your name?", "name", "string")})
	}
	round, err := a.round(req)
	if err != nil {
		return nil, err
	}
	if round == "1" {
		return a.sealed(ctx, req, "2", mcp.InputRequestMap{"step2": form("Step 2: What is your favorite color?", "color", "string")})
	}
	color, _ := answered(req, "step2", "color")
	return textResult("Done: " + color), nil
}

// askWhatIsSupported asks only in ways that this client declared.
func askWhatIsSupported(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return textResult("done"), nil
	}
	requests := mcp.InputRequestMap{}
	caps := req.ClientCapabilities()
	if showsForms(caps) {
		requests["user_name"] = form("What is your name?", "name", "string")
	}
	if caps != nil && caps.Sampling != nil {
		requests["capital"] = &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{
			{Role: "user", Content: &mcp.TextContent{Text: "What is the capital of France?"}},
		}}
	}
	if len(requests) == 0 {
		return textResult("this client can be asked nothing"), nil
	}
	return &mcp.CallToolResult{InputRequests: requests}, nil
}

// needsForms is refused to clients that declared no forms.
func needsForms(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if !showsForms(req.ClientCapabilities()) {
		return nil, &jsonrpc.Error{Code: -32021, Message: "this tool needs a client that shows forms", Data: json.RawMessage(`{"requiredCapabilities":{"elicitation":{"form":{}}}}`)}
	}
	return textResult("done"), nil
}
