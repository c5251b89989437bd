package server

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The SDK (v1.8.0) answers params of a wrong type with the caller's own bytes and
// the names of its Go types, and some refusals with the code 0, which JSON-RPC
// does not know. No hook of its sees those answers, so both transports pass
// through plainly what they write.

const (
	handling   = "handling '"          // how the SDK's texts about params begin
	malformed  = "malformed payload: " // and those about HTTP bodies
	notMessage = "not a JSON-RPC 2.0 message"
)

// plainly returns one written message, an event around it included, with the
// SDK's wording of a refusal replaced by ours. Other messages stay as they are.
func plainly(written []byte) []byte {
	if !bytes.Contains(written, []byte(`"message":"`+handling)) && !bytes.Contains(written, []byte(`"error":{"code":0,`)) {
		return written
	}
	from, to := bytes.IndexByte(written, '{'), bytes.LastIndexByte(written, '}')+1
	if from < 0 || from > to {
		return written
	}
	msg, err := jsonrpc.DecodeMessage(written[from:to])
	if err != nil {
		return written
	}
	response, ok := msg.(*jsonrpc.Response)
	var refused *jsonrpc.Error
	if !ok || !errors.As(response.Error, &refused) { // a result may hold the same words
		return written
	}
	response.Error = reworded(*refused)
	text, err := jsonrpc.EncodeMessage(response)
	if err != nil {
		return written
	}
	return slices.Concat(written[:from], text, written[to:])
}

func reworded(e jsonrpc.Error) *jsonrpc.Error {
	if rest, ok := strings.CutPrefix(e.Message, handling); ok {
		method, _, _ := strings.Cut(rest, "'")
		return invalidParams("params of " + method + " have a member of a wrong type; the MCP specification names the types")
	}
	if e.Code == 0 {
		e.Code = jsonrpc.CodeInvalidRequest
	}
	return &e
}

// plainWriter rewords what the SDK's HTTP handlers answer. They write each
// message by a single call.
type plainWriter struct{ http.ResponseWriter }

// Unwrap lets http.ResponseController reach the connection.
func (w plainWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements http.ResponseWriter.
func (w plainWriter) Write(p []byte) (int, error) {
	plain := plainly(p)
	if bytes.HasPrefix(p, []byte(malformed)) {
		plain = []byte("body is " + notMessage + "\n")
	}
	if _, err := w.ResponseWriter.Write(plain); err != nil {
		return 0, err
	}
	return len(p), nil
}
