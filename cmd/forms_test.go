package cmd_test

import (
	"encoding/json"
	"io"
	"testing"
)

const (
	formCaps = `{"elicitation":{"form":{}}}`
	buyTwo   = `{"mode":"place","tradingsymbol":"INFY","transaction_type":"BUY","quantity":2,"product":"CNC","order_type":"LIMIT","price":1800}`
	saidYes  = `,"inputResponses":{"approve":{"action":"accept","content":{"confirm":true}}},"requestState":`
)

// formLine is a call of the tool orders by a client that can show forms.
func formLine(arguments, members string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"orders","arguments":` + arguments + members +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modernEra + `","io.modelcontextprotocol/clientCapabilities":` + formCaps + `,"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`
}

// stateOf reads the question out of an answer.
func stateOf(t *testing.T, raw []byte) string {
	t.Helper()
	var q struct {
		Result struct {
			ResultType, RequestState string
		}
	}
	if err := json.Unmarshal(raw, &q); err != nil || q.Result.ResultType != "input_required" {
		t.Fatalf("no question: %v in %s", err, raw)
	}
	return q.Result.RequestState
}

// line sends one message and returns the answer.
func (s *stdio) line(message string) string {
	s.t.Helper()
	if _, err := io.WriteString(s.in, message+"\n"); err != nil || !s.answers.Scan() {
		s.t.Fatalf("%v, %v", err, s.answers.Err())
	}
	return s.answers.Text()
}
