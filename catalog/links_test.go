package catalog_test

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/catalog"
)

func TestResolveLink(t *testing.T) {
	t.Parallel()
	const from = "orders/deep/page.md"
	tests := map[string]struct {
		dest string
		want catalog.Target
	}{
		"sibling":               {"other.md", catalog.Target{Path: "orders/deep/other.md"}},
		"parent":                {"../prepare.md", catalog.Target{Path: "orders/prepare.md"}},
		"up to the root":        {"../../index.md", catalog.Target{Path: "index.md"}},
		"dot segments":          {"./x/../other.md", catalog.Target{Path: "orders/deep/other.md"}},
		"fragment":              {"other.md#when-to-stop", catalog.Target{Path: "orders/deep/other.md", Fragment: "when-to-stop"}},
		"own fragment":          {"#top", catalog.Target{Path: from, Fragment: "top"}},
		"encoded fragment":      {"#%C3%A9t%C3%A9", catalog.Target{Path: from, Fragment: "été"}},
		"hash in fragment":      {"other.md#a#b", catalog.Target{Path: "orders/deep/other.md", Fragment: "a#b"}},
		"empty":                 {"", catalog.Target{Path: from}},
		"query":                 {"other.md?x=1#y", catalog.Target{Path: "orders/deep/other.md", Query: "x=1", Fragment: "y"}},
		"decoded once":          {"a%2520b.md", catalog.Target{Path: "orders/deep/a%20b.md"}},
		"space":                 {"my%20page.md", catalog.Target{Path: "orders/deep/my page.md"}},
		"directory":             {"../", catalog.Target{Path: "orders"}},
		"tree root":             {"../..", catalog.Target{Path: "."}},
		"colon after a slash":   {"x/a:b.md", catalog.Target{Path: "orders/deep/x/a:b.md"}},
		"three dots are a name": {".../a.md", catalog.Target{Path: "orders/deep/.../a.md"}},
		"web":                   {"HTTPS://example.com/a#b", catalog.Target{External: true, Scheme: "https", Fragment: "b"}},
		"mail":                  {"mailto:a@example.com", catalog.Target{External: true, Scheme: "mailto"}},
		"skill":                 {"skill://orders/prepare.md", catalog.Target{External: true, Scheme: "skill"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := catalog.ResolveLink(from, tt.dest)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ResolveLink(%q) (-want +got):\n%s", tt.dest, diff)
			}
		})
	}
}

func TestResolveLinkRefuses(t *testing.T) {
	t.Parallel()
	for dest, want := range map[string]catalog.LinkFault{
		"/orders/prepare.md": catalog.LinkAbsolute,
		"//example.com/x":    catalog.LinkAbsolute,
		`C:\x.md`:            catalog.LinkAbsolute,
		"c:/x.md":            catalog.LinkAbsolute,
		"file:///etc/passwd": catalog.LinkAbsolute,
		`dir\page.md`:        catalog.LinkBackslash,
		`\\host\share`:       catalog.LinkBackslash,
		"../../x.md":         catalog.LinkEscapes,
		"a/../../../x.md":    catalog.LinkEscapes,
		"../..":              catalog.LinkEscapes,
		"%zz.md":             catalog.LinkEncoding,
		"%2e%2e/x.md":        catalog.LinkEncoding,
		"a%2Fb.md":           catalog.LinkEncoding,
		"a%5Cb.md":           catalog.LinkEncoding,
		"a%00.md":            catalog.LinkEncoding,
		"a\x00.md":           catalog.LinkEncoding,
		"other.md#%":         catalog.LinkEncoding,
	} {
		_, err := catalog.ResolveLink("orders/page.md", dest)
		var refused *catalog.LinkError
		if !errors.As(err, &refused) {
			t.Errorf("ResolveLink(%q) = %v, want a *LinkError", dest, err)
			continue
		}
		if refused.Fault != want || refused.Dest != dest || refused.Error() == "" {
			t.Errorf("ResolveLink(%q) = %+v, want fault %d", dest, refused, want)
		}
	}
}

func FuzzResolveLink(f *testing.F) {
	for _, dest := range []string{"", "#", "a.md", "../a.md", "../../..", "%2e%2e/", "%", "a%2fb", "C:\\x", "javascript:1", "a?b#c", ".", "./.", "\x00", "//", "a//b/../..", "..\x2f.."} {
		f.Add("orders/page.md", dest)
	}
	f.Add("index.md", "orders/SKILL.md")
	f.Fuzz(func(t *testing.T, from, dest string) {
		if from == "" || path.Clean(from) != from || strings.HasPrefix(from, "../") || from == ".." || from[0] == '/' {
			return
		}
		got, err := catalog.ResolveLink(from, dest)
		if err != nil || got.External {
			if got.Path != "" {
				t.Fatalf("ResolveLink(%q, %q) = %+v: a path that must not be followed", from, dest, got)
			}
			return
		}
		if got.Path == "" || path.Clean(got.Path) != got.Path || got.Path[0] == '/' || got.Path == ".." || strings.HasPrefix(got.Path, "../") {
			t.Fatalf("ResolveLink(%q, %q) leaves the tree: %q", from, dest, got.Path)
		}
	})
}
