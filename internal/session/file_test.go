package session_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
	"github.com/kite-mcp/kite-mcp/internal/session"
)

func noon() time.Time { return time.Date(2026, 12, 2, 12, 0, 0, 0, kite.IST) }

func keeperIn(dir string) *session.Keeper {
	return session.New(session.Options{Dir: dir, APISecret: demo.APISecret, Kite: kite.Options{BaseURL: "http://127.0.0.1:1", APIKey: demo.APIKey, Now: noon}})
}

// saved returns a keeper with a login, and the place of its file.
func saved(t *testing.T) (k *session.Keeper, place string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kite-mcp")
	k = keeperIn(dir)
	if err := session.Save(k, "AB1234", "s3cr3ttoken"); err != nil {
		t.Fatal(err)
	}
	return k, filepath.Join(dir, "session.json")
}

// unusable is a way to spoil a token file.
type unusable struct {
	spoil func(t *testing.T, place string)
	want  string // what is said
	mends bool   // a new login mends it
}

func unusableFiles() map[string]unusable {
	replace := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, place string) {
			t.Helper()
			raw, err := os.ReadFile(place) //nolint:gosec // the test's own file
			if err == nil {
				err = os.WriteFile(place, bytes.ReplaceAll(raw, []byte(from), []byte(to)), 0o600) //nolint:gosec // the same
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, place string) {
			t.Helper()
			if err := os.WriteFile(place, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return map[string]unusable{
		"empty":              {write(""), "not the JSON", true},
		"cut":                {write(`{"version":1,"app":"`), "not the JSON", true},
		"no object":          {write(`["s3cr3ttoken"]`), "not the JSON", true},
		"bytes":              {write("\x00\xff\x00s3cr3ttoken"), "not the JSON", true},
		"null":               {write("null"), "version 0", true},
		"large":              {write(strings.Repeat(" ", 20<<10) + "{}"), "larger than 16384 bytes", true},
		"version":            {replace(`"version": 1`, `"version": 2`), "version 2", true},
		"no token":           {replace("s3cr3ttoken", ""), "no usable access token", true},
		"header in token":    {replace("s3cr3ttoken", `s3cr3t\r\nX: y`), "no usable access token", true},
		"long token":         {replace("s3cr3ttoken", strings.Repeat("s", 513)), "no usable access token", true},
		"no user":            {replace("AB1234", ""), "no usable user id", true},
		"control in user":    {replace("AB1234", `AB\u001b[2J`), "no usable user id", true},
		"login time":         {replace("2026-12-02T", "yesterday"), "login time cannot be read", true},
		"year of login time": {replace("2026-12-02T", "9999-12-02T"), "login time cannot be right", true},
		"open to group":      {func(t *testing.T, place string) { t.Helper(); chmod(t, place, 0o640) }, "others can read it (mode 0640", true},
		"open to all":        {func(t *testing.T, place string) { t.Helper(); chmod(t, place, 0o604) }, "others can read it (mode 0604", true},
		"folder": {func(t *testing.T, place string) {
			t.Helper()
			if err := errors.Join(os.Remove(place), os.Mkdir(place, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file", false},
		"link": {func(t *testing.T, place string) {
			t.Helper()
			if err := errors.Join(os.Rename(place, place+".elsewhere"), os.Symlink(place+".elsewhere", place)); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file", true},
	}
}

// TestUnusableFiles are refused with the reason, without their content, and a new login replaces them.
func TestUnusableFiles(t *testing.T) {
	t.Parallel()
	for name, tc := range unusableFiles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && (name == "link" || strings.HasPrefix(name, "open")) {
				t.Skip("not on this system")
			}
			k, place := saved(t)
			tc.spoil(t, place)
			_, err := k.Client(t.Context())
			if !errors.Is(err, kite.ErrNotAuthenticated) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if hint(err) != "log in again with kite-mcp login, which replaces it" {
				t.Errorf("hint %q", hint(err))
			}
			if !tc.mends {
				return
			}
			if err := session.Save(k, "AB1234", "newtoken"); err != nil {
				t.Fatal(err)
			}
			if s := k.Status(); s.Err != nil {
				t.Errorf("after a new login: %v", s.Err)
			}
		})
	}
}

func chmod(t *testing.T, place string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(place, mode); err != nil {
		t.Fatal(err)
	}
}

// TestUnusableFileIsDropped: a logout removes what cannot be read, too.
func TestUnusableFileIsDropped(t *testing.T) {
	t.Parallel()
	k, place := saved(t)
	if err := os.WriteFile(place, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if had, err := k.End(t.Context()); had || err != nil {
		t.Errorf("End() = %v, %v", had, err)
	}
	if _, err := os.Stat(place); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
}

// TestFolder is made private, whatever it was.
func TestFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	dir := filepath.Join(t.TempDir(), "kite-mcp")
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // the point
		t.Fatal(err)
	}
	stale, fresh := filepath.Join(dir, ".session-1"), filepath.Join(dir, ".session-2")
	for _, f := range []string{stale, fresh} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chtimes(stale, noon(), noon().Add(-session.TempAge-time.Second)), os.Chtimes(fresh, noon(), noon())); err != nil {
		t.Fatal(err)
	}
	if err := session.Save(keeperIn(dir), "AB1234", "token"); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{".session-2", "session.json"}, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder has %v, %v", info.Mode(), err)
	}
}

// TestUnwritableFolder: the failure is told, and the end of a session is known to its process all the same.
func TestUnwritableFolder(t *testing.T) {
	t.Parallel()
	place := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(place, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k := keeperIn(filepath.Join(place, "kite-mcp")) // below a file no folder can be
	if err := session.Save(k, "AB1234", "token"); err == nil {
		t.Error("saved below a file")
	}
	if _, err := k.Client(t.Context()); !errors.Is(err, kite.ErrNotAuthenticated) {
		t.Errorf("Client: %v", err)
	}
}

const writerDir = "KITE_MCP_TEST_WRITER"

// TestKilledWriter ends a process that writes logins all the time, without warning, and always finds a whole file.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(writerDir); dir != "" { //nolint:forbidigo // this process is the writer
		k := keeperIn(dir)
		for n := 0; ; n++ {
			if err := session.Save(k, "AB1234", strings.Repeat("ab"[n%2:n%2+1], 400)); err != nil {
				t.Fatal(err)
			}
		}
	}
	k, place := saved(t)
	for n := range 12 {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledWriter$") //nolint:gosec // this test
		c.Env = append(os.Environ(), writerDir+"="+filepath.Dir(place))                   //nolint:forbidigo // for Windows, which needs some
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(place) //nolint:gosec // the test's own file
		if err != nil {
			t.Fatal(err)
		}
		for looks := 0; looks < 50+n; { // the writer is at work for some writes
			s := k.Status()
			if s.Err != nil {
				t.Fatalf("while it is written: %v", s.Err)
			}
			now, err := os.ReadFile(place) //nolint:gosec // the test's own file
			if err == nil && !bytes.Equal(now, before) {
				looks++
			}
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // it was killed
		if s := k.Status(); s.Err != nil || s.UserID != "AB1234" {
			t.Fatalf("after the kill: %+v", s)
		}
	}
}

// FuzzRecord: no file makes the parser panic, and what it accepts survives being written again.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"version":1,"app":"0123456789abcdef","user_id":"AB1234","access_token":"tok","login_time":"2026-12-02T05:45:00Z"}`))
	f.Add([]byte(`{"version":1,"login_time":"2026-12-02T05:45:00.123456789+05:30"}`))
	f.Add([]byte(`{"version":1e400}`))
	f.Add([]byte("\xef\xbb\xbf{}"))
	f.Add([]byte(`{"version":1,"version":2}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		again, err := session.ParseRecord(raw)
		if err != nil {
			return
		}
		third, err := session.ParseRecord(again)
		if err != nil || !bytes.Equal(again, third) {
			t.Errorf("%q was written as %q, then %q: %v", raw, again, third, err)
		}
	})
}

// FuzzReply: no paste makes the parser panic, let through what is no request token, or repeat itself in the error.
func FuzzReply(f *testing.F) {
	f.Add("http://localhost:8080/callback?status=success&request_token=abcdefgh12345678&action=login&state=xyz")
	f.Add("?request_token=abcdefgh#frag")
	f.Add("abcdefgh12345678")
	f.Add("request_token=a&request_token=b")
	f.Add("http://[::1?request_token=%zz")
	f.Fuzz(func(t *testing.T, text string) {
		token, _, err := session.ParseReply(text)
		if err != nil {
			if token != "" {
				t.Errorf("%q: a token beside %v", text, err)
			}
			return
		}
		if len(token) < 6 || len(token) > 256 || strings.Trim(token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			t.Errorf("%q gave %q", text, token)
		}
	})
}

// FuzzState: nobody can make a state without the secret.
func FuzzState(f *testing.F) {
	// A secret of its own for each process: the fuzzer could complete the seeds of another one.
	k := session.New(session.Options{APISecret: rand.Text(), Kite: kite.Options{APIKey: demo.APIKey, Now: noon}})
	own, check := session.State(k)
	f.Add("")
	f.Add(own[:len(own)-1])
	f.Add(strings.ToUpper(own))
	f.Add(own + "=")
	f.Fuzz(func(t *testing.T, text string) {
		if text != own && check(text) == nil {
			t.Errorf("%q was accepted", text)
		}
	})
	if err := check(own); err != nil {
		f.Errorf("our own state: %v", err)
	}
}

// BenchmarkClient is spent on every call. Budget: 60 us; a call of Kite takes a thousand times as long.
func BenchmarkClient(b *testing.B) {
	k := keeperIn(b.TempDir())
	if err := session.Save(k, "AB1234", "token"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := k.Client(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
