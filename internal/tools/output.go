package tools

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// outputSchema derives the schema of a result from its type.
func outputSchema[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil // New reports a missing schema through TestRegistry
	}
	loosen(s)
	return s
}

// loosen allows unknown members at every level, so that a result can gain one
// without breaking strict readers, and says that our lists are never null.
func loosen(s *jsonschema.Schema) {
	s.AdditionalProperties = nil
	if slices.Contains(s.Types, "array") {
		s.Type, s.Types = "array", nil
		loosen(s.Items)
	}
	for _, p := range s.Properties {
		loosen(p)
	}
}
