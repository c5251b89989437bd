package tools

import (
	"fmt"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// form is the shape of a text that becomes part of a request to Kite.
type form struct {
	says    string // completes "must be"
	pattern string // the same for schemas
	fits    func(string) bool
}

// formOf returns the form that a check tag names.
func formOf(name string) (*form, error) {
	switch name {
	case "order_id":
		return &form{"1 to 32 letters or digits", "^[0-9A-Za-z]{1,32}$", kite.ValidOrderID}, nil
	case "tag":
		return &form{"1 to 20 letters or digits", "^[0-9A-Za-z]{1,20}$", func(s string) bool { return len(s) <= 20 && kite.ValidOrderID(s) }}, nil
	case "symbol": // printable: a person reads it before anybody has looked it up
		return &form{"1 to 60 letters, digits or signs", "^[ -~]{1,60}$", func(s string) bool {
			return s != "" && len(s) <= 60 && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
		}}, nil
	case "uuid":
		return &form{"a UUID", "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", kite.ValidUUID}, nil
	case "time":
		return &form{"a date YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS", `^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$`, func(s string) bool {
			_, ok := istTime(s, false)
			return ok
		}}, nil
	default:
		return nil, fmt.Errorf("unknown form %q", name)
	}
}

// istTime reads a time of India. A date alone is its first second, or its last.
func istTime(s string, end bool) (time.Time, bool) {
	if t, err := time.ParseInLocation(time.DateTime, s, kite.IST); err == nil {
		return t, true
	}
	t, err := time.ParseInLocation(time.DateOnly, s, kite.IST)
	if end {
		t = t.Add(24*time.Hour - time.Second)
	}
	return t, err == nil
}
