package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/config"
	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// TestExitTable lists every error code with its exit status. A new code needs a
// row here.
func TestExitTable(t *testing.T) {
	t.Parallel()
	pages, err := catalog.Load(catalog.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	_, notFound := pages.Text(mustKey(t, "/orders/unknown"))
	_, tooLong := catalog.ParseKey("/" + string(make([]byte, catalog.MaxKeyBytes)))
	_, badKey := catalog.ParseKey("/a/../b")
	tests := []struct {
		name   string
		err    error
		code   string
		status int
	}{
		{"unknown key", notFound, "unknown_key", 1},
		{"bad key", badKey, "invalid_argument", 1},
		{"long key", tooLong, "invalid_argument", 2},
		{"broken catalog", &catalog.ProblemsError{}, "lint_failed", 1},
		{"bad settings", &config.Error{Problems: []string{"x"}}, "usage", 2},
		{"bad exclusion", &tools.ExclusionError{Unknown: []string{"x"}}, "usage", 2},
		{"unreadable file", fmt.Errorf("read: %w", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}), "usage", 2},
		{"full disk", fmt.Errorf("print: %w", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}), "internal", 1},
		{"arguments no object", tools.ErrNotObject, "usage", 2},
		{"unknown tool", tools.ErrUnknownTool, "not_found", 1},
		{"anything else", errors.New("odd"), "internal", 1},
		{"server wants a login", fmt.Errorf("list: %w", &host.AuthError{Target: "t", Metadata: "m"}), "not_authenticated", 4},
		{"server too slow", fmt.Errorf("list: %w", &host.TimeoutError{After: time.Second}), "timeout", 1},
		{"server sends too much", &host.LimitError{What: "bytes", Most: 1}, "upstream_unavailable", 1},
		{"server refuses", &host.RefusedError{Doing: "read", Code: -32602, Message: "m"}, "upstream_unavailable", 1},
		{"server not reached", &host.ConnectionError{Target: "t", Doing: "connect", Err: errors.New("refused")}, "upstream_unavailable", 1},
		{"server without Skills", host.ErrNoSkills, "not_found", 1},
		{"unknown skill of a server", &host.NotFoundError{Word: "w"}, "not_found", 1},
		{"file in no manifest", &host.UnlistedError{URI: "u"}, "verify_failed", 1},
		{"file differs", &host.Fault{URI: "u", Reason: host.ReasonDigest, Detail: "d"}, "verify_failed", 1},
	}
	for _, kind := range []kite.ErrorKind{
		kite.KindPermissionDenied, kite.KindRateLimited, kite.KindRejected, kite.KindUpstreamUnavailable, kite.KindOutcomeUnknown,
		kite.KindNotFound, kite.KindInvalidArgument, kite.KindCatalogUnavailable, kite.KindCatalogChanged, kite.KindTimeout, kite.KindInternal,
	} {
		tests = append(tests, row(string(kind), &kite.Error{Kind: kind, Message: "m"}, 1))
	}
	for _, code := range []tools.Code{
		tools.CodeExcluded, tools.CodeApprovalDeclined, tools.CodeApprovalCancelled, tools.CodeApprovalUnavailable, tools.CodeApprovalInvalid,
		tools.CodeInvalidArgument, tools.CodeNotFound, tools.CodeTimeout, tools.CodeInternal,
	} {
		tests = append(tests, row(string(code), &tools.Failure{Code: code, Message: "m"}, 1))
	}
	tests = append(tests,
		row("not_authenticated", &kite.Error{Kind: kite.KindNotAuthenticated, Message: "m"}, 4),
		row("session_expired", fmt.Errorf("read: %w", &kite.Error{Kind: kite.KindSessionExpired, Message: "m"}), 4),
	)
	for _, tt := range tests {
		code, status := cmd.Exit(t.Context(), tt.err)
		if code != tt.code || status != tt.status {
			t.Errorf("%s: code %s, status %d; want %s, %d", tt.name, code, status, tt.code, tt.status)
		}
		if !slices.Contains(cmd.ExitStatuses(), status) {
			t.Errorf("%s: kite-mcp help exit-codes does not list %d", tt.name, status)
		}
	}
}

func row(code string, err error, status int) struct {
	name   string
	err    error
	code   string
	status int
} {
	return struct {
		name   string
		err    error
		code   string
		status int
	}{code, err, code, status}
}

func TestInterruptWins(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, status := cmd.Exit(ctx, fmt.Errorf("read holdings: %w", &kite.Error{Kind: kite.KindTimeout, Message: "m", Err: context.Canceled}))
	if code != "interrupted" || status != 130 {
		t.Errorf("code %s, status %d; want interrupted, 130", code, status)
	}
}

// TestAFailureSaysWhatItMeansAndWhy: whoever is at the terminal reads that nothing was sent, what to do, and the cause
// that remote callers are not told.
func TestAFailureSaysWhatItMeansAndWhy(t *testing.T) {
	t.Parallel()
	failure := &tools.Failure{Code: tools.CodeInternal, Message: "nothing was sent", Hint: "make it writable"}
	err := fmt.Errorf("%w: %w", failure, &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist})
	if code, status := cmd.Exit(t.Context(), err); code != "internal" || status != 1 {
		t.Errorf("code %s, status %d; a missing file of ours is no wrong usage", code, status)
	}
	message, hint := cmd.Explained(t.Context(), err)
	if !strings.HasPrefix(message, "nothing was sent (") || !strings.Contains(message, fs.ErrNotExist.Error()) || hint != "make it writable" {
		t.Errorf("%q, hint %q", message, hint)
	}
	if message, hint := cmd.Explained(t.Context(), failure); message != "nothing was sent" || hint != "make it writable" {
		t.Errorf("%q, hint %q", message, hint)
	}
}

func mustKey(t *testing.T, s string) catalog.Key {
	t.Helper()
	k, err := catalog.ParseKey(s)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// full is a stream that takes nothing, as a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "answer", Err: syscall.ENOSPC}
}

// TestFullDisk: an answer that cannot be written is a failure of the run, not
// wrong usage.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]int{"tree": 1, "--help": 1, "help": 1, "help tree": 1, "version -o json": 1, "holdings --demo": 1, "completion bash": 1, "lint": 3} {
		var errs bytes.Buffer
		p := &cmd.Process{Args: strings.Fields(args), In: strings.NewReader(""), Out: full{}, Err: &errs, Now: stopped}
		if got := cmd.Run(t.Context(), p); got != want || !strings.Contains(errs.String(), syscall.ENOSPC.Error()) {
			t.Errorf("%s: status %d, want %d; %s", args, got, want, errs.String())
		}
	}
}

// TestFailureIsOneLineOfJSON: no log line stands beside it.
func TestFailureIsOneLineOfJSON(t *testing.T) {
	t.Parallel()
	out, errs, status := run(t, "", []string{"KITE_DEMO_FAULTS=instruments:500*0"}, "instruments", "infy", "--demo", "-o", "json")
	var got struct{ Error struct{ Code string } }
	if err := json.Unmarshal([]byte(errs), &got); err != nil || out != "" || status != 1 || got.Error.Code != "catalog_unavailable" {
		t.Errorf("status %d, %v, %s%s", status, err, out, errs)
	}
}

// TestInputIsBounded names the input that is too large.
func TestInputIsBounded(t *testing.T) {
	t.Parallel()
	large := strings.Repeat(" ", 1<<20+1)
	file := filepath.Join(t.TempDir(), "large.json")
	if err := os.WriteFile(file, []byte(large), 0o600); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{"@" + file: "large.json holds more than", "-": "stdin holds more than"} {
		if _, errs, status := run(t, large, nil, "tools", "call", "market", "--args", source, "--demo"); status != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s", source, status, errs)
		}
	}
}
