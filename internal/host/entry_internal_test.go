package host

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestBadURI(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"skill://orders/SKILL.md", "skill://acme/billing/refunds/SKILL.md", "github://owner/repo/skills/x/SKILL.md",
		"file:///srv/skills/x/SKILL.md", "skill://a/b%20c.md",
	} {
		if reason := badURI(uri); reason != "" {
			t.Errorf("%s: %s", uri, reason)
		}
	}
	for _, uri := range []string{
		"", "orders/SKILL.md", "/orders", "skill:orders/SKILL.md", "skill://SKILL.md", "1skill://a/b", "skill://a//b", "skill://a/../b",
		"skill://a/./b", "skill://a/b/", "skill://a/b?c", "skill://a/b#c", `skill://a\b`, "skill://a/b c", "skill://a/\x1b[m", "skill://a/\xff",
		"skill://a/%zz", "skill://a/" + strings.Repeat("x", maxURIBytes),
	} {
		if badURI(uri) == "" {
			t.Errorf("%q was accepted", uri)
		}
	}
}

func TestEqualJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, `{ "b":[true, null], "a":1.0 }`, true},
		{`{"a":"\u20b9"}`, `{"a":"₹"}`, true},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":null}`, `{}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":1}`, `{"A":1}`, false},
		{`{"a":1}`, `{"a":1`, false},
	}
	for _, tt := range tests {
		if got := equalJSON(json.RawMessage(tt.a), json.RawMessage(tt.b)); got != tt.want {
			t.Errorf("%s and %s: equal %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}

// FuzzEntry: an entry without a fault keeps every promise that can be kept
// without reading a file.
func FuzzEntry(f *testing.F) {
	const digest = `"digest":"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	for _, seed := range []string{
		`{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"d"},"resources":[{"uri":"skill://a/SKILL.md","size":4,` + digest + `}]}`,
		`{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"d"},"resources":"dynamic"}`,
		`{"uri":"skill://a/SKILL.md","URI":"x","frontmatter":[],"resources":{}}`,
		`{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"d"},"resources":[{"uri":"skill://b/c","size":1e300,` + digest + `},null,7]}`,
		`[]`, `null`, `{"uri":7}`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, faults := parseEntry(raw)
		if len(faults) > 0 {
			for _, bad := range faults {
				if bad.Reason == "" || bad.Detail == "" {
					t.Errorf("a fault without reason or detail: %+v", bad)
				}
			}
			return
		}
		if s == nil {
			t.Fatal("neither a skill nor a fault")
		}
		if !strings.HasSuffix(s.URI, "/"+s.Name+"/SKILL.md") && s.URI != "skill://"+s.Name+"/SKILL.md" && !strings.HasSuffix(s.URI, "://"+s.Name+"/SKILL.md") {
			t.Errorf("%q is not the place of %q", s.URI, s.Name)
		}
		own, total := s.Dynamic, int64(0)
		for _, e := range s.Resources {
			own = own || e.URI == s.URI
			total += e.Size
			if !strings.HasPrefix(e.URI, s.root()) || !isDigest(e.Digest) || e.Size < 0 {
				t.Errorf("accepted %+v in %s", e, s.URI)
			}
		}
		if !own || total > maxSkillBytes || len(s.Resources) > maxFiles {
			t.Errorf("accepted the manifest %+v", s.Resources)
		}
	})
}

// TestForms: the checks of names say the same as the patterns of the standard.
func TestForms(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0123456789abcdef", 4)
	for name, tc := range map[string]struct {
		is        func(string) bool
		yes, nope []string
	}{
		"digest": {isDigest, []string{"sha256:" + hex}, []string{"", hex, "sha256:", "sha256:" + hex[1:], "sha256:" + hex + "0", "sha256:" + strings.ToUpper(hex), "sha512:" + hex, "sha256:" + hex[1:] + "g", "sha256:" + hex[:32] + "g" + hex[33:]}},
		"name":   {isName, []string{"a", "0", "a-b", "a1-b2-c3"}, []string{"", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "é", "aéb"}},
		"scheme": {isScheme, []string{"http", "H", "a+b.c-1"}, []string{"", "1a", "+a", "a_b", "a b", "é", "a@", "[", "a`", "a{"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range tc.yes {
				if !tc.is(s) {
					t.Errorf("%q is refused", s)
				}
			}
			for _, s := range tc.nope {
				if tc.is(s) {
					t.Errorf("%q is taken", s)
				}
			}
		})
	}
}
