package server_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// protocolSchema is the published schema of one protocol version.
type protocolSchema struct {
	defs    map[string]json.RawMessage
	mu      sync.Mutex
	resolve map[string]*jsonschema.Resolved
}

// schemas loads both versions once for the whole test run.
var schemas = sync.OnceValue(func() map[string]*protocolSchema {
	all := map[string]*protocolSchema{}
	for _, version := range []string{legacy, modern} {
		raw, err := fs.ReadFile(os.DirFS("testdata/schema"), version+".schema.json")
		if err != nil {
			panic(err)
		}
		var doc struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		if err := json.Unmarshal(raw, &doc); err != nil {
			panic(err)
		}
		all[version] = &protocolSchema{defs: doc.Defs, resolve: map[string]*jsonschema.Resolved{}}
	}
	return all
})

// definition resolves one type of the schema.
func (p *protocolSchema) definition(tb testing.TB, name string) *jsonschema.Resolved {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.resolve[name]; r != nil {
		return r
	}
	doc, err := json.Marshal(map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/$defs/" + name, "$defs": p.defs})
	if err != nil {
		tb.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(doc, &s); err != nil {
		tb.Fatalf("schema of %s: %v", name, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		tb.Fatalf("schema of %s: %v", name, err)
	}
	p.resolve[name] = r
	return r
}

// resultTypes are the types of the results that the specification defines. The
// Skills extension defines its own; its tests check them member by member.
func resultTypes(version string) map[string]string {
	types := map[string]string{
		"tools/list": "ListToolsResult", "tools/call": "CallToolResult", "resources/list": "ListResourcesResult", "resources/read": "ReadResourceResult",
		"resources/templates/list": "ListResourceTemplatesResult", "prompts/list": "ListPromptsResult", "completion/complete": "CompleteResult",
	}
	if version == legacy {
		types["initialize"], types["ping"] = "InitializeResult", "EmptyResult"
	} else {
		types["server/discover"] = "DiscoverResult"
	}
	return types
}

// valid checks an answer against the schema of its era.
func valid(tb testing.TB, version, method string, body []byte) {
	tb.Helper()
	envelope := map[string]any{}
	if err := json.Unmarshal(body, &envelope); err != nil {
		tb.Fatalf("answer to %s is not JSON: %s", method, body)
	}
	if err := schemas()[version].definition(tb, "JSONRPCResponse").Validate(envelope); err != nil {
		tb.Errorf("answer to %s at %s is not valid: %v\n%s", method, version, err, body)
	}
	result, ok := envelope["result"].(map[string]any)
	name := resultTypes(version)[method]
	if !ok || name == "" {
		return
	}
	if result["resultType"] == "input_required" {
		name = "InputRequiredResult"
		delete(result, "content") // the SDK writes a null, which the official suite accepts
	}
	if err := schemas()[version].definition(tb, name).Validate(result); err != nil {
		tb.Errorf("result of %s at %s is no %s: %v\n%s", method, version, name, err, body)
	}
}

func TestSchemasRefuseWrongResults(t *testing.T) {
	t.Parallel()
	for _, version := range []string{legacy, modern} {
		for method, name := range resultTypes(version) {
			wrong := map[string]any{"tools": "x", "resources": 5, "resourceTemplates": 5, "prompts": 5, "completion": 5, "content": "x", "contents": 5, "protocolVersion": 5, "_meta": 5}
			if err := schemas()[version].definition(t, name).Validate(wrong); err == nil {
				t.Errorf("%s: a wrong %s result passes the schema", version, method)
			}
		}
	}
}
