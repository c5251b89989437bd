package host

import (
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// AuthError says that a server wants a login, which this client does not have.
type AuthError struct {
	Target   string
	Metadata string // URL of the server's OAuth metadata
}

func (e *AuthError) Error() string {
	return e.Target + " wants a login; its authorization metadata is at " + e.Metadata
}

// TimeoutError says that the time for a whole connection was used up.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the server took longer than %s", e.After)
}

// LimitError says that a server went beyond what is looked at.
type LimitError struct {
	What string
	Most int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the server sent more than %d %s", e.Most, e.What)
}

// RefusedError is a JSON-RPC error that a server answered with.
type RefusedError struct {
	Doing   string
	Code    int64
	Message string // the server's words
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: the server refused it: %s (%d)", e.Doing, clip(e.Message), e.Code)
}

// ConnectionError is a failure to reach a server or to understand it.
type ConnectionError struct {
	Target string
	Doing  string
	Err    error
}

func (e *ConnectionError) Error() string { return e.Doing + ": " + e.Target + ": " + e.Err.Error() }

func (e *ConnectionError) Unwrap() error { return e.Err }

// ErrNoSkills says that a server does not declare the Skills extension.
var ErrNoSkills = errors.New("the server does not declare the Skills extension")

// NotFoundError says that a server has no such skill.
type NotFoundError struct {
	Word  string   // as asked for
	Known []string // names and URIs that the server lists
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("the server has no skill %q", clip(e.Word))
}

// UnlistedError says that no manifest lists a file, so that nothing could verify
// it; or, without Skills, that resources/list does not. It was not read.
type UnlistedError struct {
	URI   string
	Known []string // what may be read
	Plain bool     // the server has no manifests
}

func (e *UnlistedError) Error() string {
	if e.Plain {
		return fmt.Sprintf("the server has no resource %q", clip(e.URI))
	}
	return fmt.Sprintf("%q is in no manifest of the server and was not read", clip(e.URI))
}

// Reason classifies a fault.
type Reason string

// The reasons. Each is one promise of the Skills extension or of MCP that a
// server broke, or a limit of ours that kept us from checking.
const (
	ReasonServer      Reason = "server"      // capabilities that do not fit together
	ReasonResult      Reason = "result"      // an answer without its required members
	ReasonEntry       Reason = "entry"       // an entry of the wrong form
	ReasonURI         Reason = "uri"         // not the URI of a skill, or outside of it
	ReasonName        Reason = "name"        // not a name, or not the last segment of the path
	ReasonManifest    Reason = "manifest"    // incomplete, or a file twice
	ReasonGet         Reason = "get"         // skills/get differs from skills/list
	ReasonRead        Reason = "read"        // a listed file that cannot be read
	ReasonSize        Reason = "size"        // not as many bytes as listed
	ReasonDigest      Reason = "digest"      // malformed, or not that of the bytes
	ReasonFrontmatter Reason = "frontmatter" // differs from the YAML of the file
	ReasonLimit       Reason = "limit"       // more than is looked at
)

// Fault is one promise that a server broke.
type Fault struct {
	URI    string // of the skill or file, "" for the server as a whole
	Reason Reason
	Detail string // may quote the server
}

// Error returns the whole fault in one line.
func (f *Fault) Error() string {
	if f.URI == "" {
		return f.Detail
	}
	return clip(f.URI) + ": " + f.Detail
}

func fault(uri string, reason Reason, format string, args ...any) Fault {
	return Fault{URI: uri, Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// fatal reports whether an error leaves nothing to go on with. Any other failed
// call is a fault of the server.
func fatal(err error) bool {
	var (
		auth    *AuthError
		limit   *LimitError
		refused *RefusedError
		lost    *ConnectionError
	)
	switch {
	case errors.As(err, &auth), errors.As(err, &limit):
		return true
	case errors.As(err, &refused):
		return false
	case errors.As(err, &lost):
		return errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, errNetwork)
	}
	return true // the time is up, or the caller went away
}

// clip cuts a server's text for a message.
func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
