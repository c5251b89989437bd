package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kite-mcp/kite-mcp/catalog"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                                "/",
		"/":                               "/",
		"/orders":                         "/orders",
		"/orders/":                        "/orders",
		"/orders/prepare/":                "/orders/prepare",
		"/Orders":                         "/Orders", // well formed; whether it exists is another question
		"/a.b":                            "/a.b",
		"/" + strings.Repeat("a", 1023):   "/" + strings.Repeat("a", 1023),
		"/" + strings.Repeat("é", 511):    "/" + strings.Repeat("é", 511),
		"/" + strings.Repeat("ab/", 341):  "/" + strings.TrimSuffix(strings.Repeat("ab/", 341), "/"),
		"/orders prepare":                 "/orders prepare",
		"/\u0434\u0430\u043d\u043d\u044b": "/\u0434\u0430\u043d\u043d\u044b",
	} {
		k, err := catalog.ParseKey(s)
		if err != nil || k.String() != want {
			t.Errorf("ParseKey(%.40q) = %.40s, %v; want %.40s", s, k, err, want)
		}
	}
}

func TestParseKeyRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"orders":                        "does not start with /",
		"\u0020/orders":                 "does not start with /",
		"skill://orders/SKILL.md":       "does not start with /",
		"//":                            "empty segment",
		"/orders//":                     "empty segment",
		"//orders":                      "empty segment",
		"/orders//prepare":              "empty segment",
		"/..":                           "path traversal",
		"/orders/../holdings":           "path traversal",
		"/orders/./prepare":             "path traversal",
		"/orders/..":                    "path traversal",
		"/orders%2fprepare":             "URL encoding",
		"/%2e%2e":                       "URL encoding",
		"/orders/*":                     "wildcards",
		"/orders/prepar?":               "wildcards",
		`/orders\prepare`:               "backslash",
		`C:\orders`:                     "backslash",
		"/orders\x00":                   "control character",
		"/orders\n":                     "control character",
		"/orders\x7f":                   "control character",
		"/orders\u0085":                 "control character",
		"/orders\xff":                   "not valid UTF-8",
		"/orders/prepare.md":            "file extension",
		"/orders/SKILL.MD":              "file extension",
		"/" + strings.Repeat("a", 1024): "1025 bytes long, the limit is 1024 bytes",
		"/" + strings.Repeat("é", 512):  "1025 bytes long",
		strings.Repeat("\xff", 5000):    "5000 bytes long",
	}
	for s, want := range tests {
		k, err := catalog.ParseKey(s)
		refused, ok := errors.AsType[*catalog.KeyError](err)
		if !ok || !strings.Contains(err.Error(), want) || refused.Input != s || !k.IsRoot() {
			t.Errorf("ParseKey(%.40q) = %s, %v; want a *KeyError with %q", s, k, err, want)
			continue
		}
		if refused.TooLong != (len(s) > catalog.MaxKeyBytes) {
			t.Errorf("ParseKey(%.40q): too long is %t", s, refused.TooLong)
		}
		if msg := err.Error(); len(msg) > 600 || !utf8.ValidString(msg) || strings.ContainsAny(msg, "\x00\n\x7f") {
			t.Errorf("ParseKey(%.40q): message %q is not fit to print", s, msg)
		}
	}
}

func TestKeyParts(t *testing.T) {
	t.Parallel()
	type parts struct {
		parent, name string
		depth        int
	}
	for s, want := range map[string]parts{
		"/":               {"/", "", 0},
		"/orders":         {"/", "orders", 1},
		"/orders/prepare": {"/orders", "prepare", 2},
	} {
		k := key(t, s)
		if got := (parts{k.Parent().String(), k.Name(), k.Depth()}); got != want || k.IsRoot() != (s == "/") {
			t.Errorf("%s: %+v, want %+v", s, got, want)
		}
	}
	if (catalog.Key{}) != key(t, "/") {
		t.Error("the zero key is not the root")
	}
}

// Any text gives a page, or an error that names the nearest page.
func FuzzKey(f *testing.F) {
	for _, s := range []string{"", "/", "/orders", "/orders/", "/orders/unknown", "/../etc/passwd", "/%2e%2e/", "/*", "/Orders", "/\x00", "/\xff", "//", "/orders/prepare.md", "/\u202e", strings.Repeat("/a", 600), "/" + strings.Repeat("é", 512)} {
		f.Add(s)
	}
	c := load(f, catalog.Embedded())
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2<<10 {
			return
		}
		k, err := catalog.ParseKey(s)
		if err != nil {
			if _, ok := errors.AsType[*catalog.KeyError](err); !ok || err.Error() == "" {
				t.Fatalf("ParseKey(%q): %v", s, err)
			}
			return
		}
		if again, err := catalog.ParseKey(k.String()); err != nil || again != k {
			t.Fatalf("ParseKey(%q) = %s, which parses to %s, %v", s, k, again, err)
		}
		text, err := c.Text(k)
		if err == nil {
			if text == "" {
				t.Fatalf("%s has no text", k)
			}
			return
		}
		missing, ok := errors.AsType[*catalog.NotFoundError](err)
		if !ok || missing.Nearest == nil || missing.Text() == "" {
			t.Fatalf("Text(%s): %v", k, err)
		}
		if _, err := c.Page(missing.Nearest.Key); err != nil {
			t.Fatalf("nearest page of %s: %v", k, err)
		}
	})
}
