package ui_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/ui"
)

// The size of the app, raw and compressed, in bytes.
const (
	rawBudget  = 400 << 10
	gzipBudget = 110 << 10
)

func TestHTML(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{"app.html": ui.HTML(), "preview.html": ui.Preview()} {
		if !strings.HasPrefix(page, "<!doctype html>") {
			t.Errorf("%s begins with %.40q", name, page)
		}
		if n := strings.Count(page, "<script"); n != 1 {
			t.Errorf("%s has %d scripts, want one", name, n)
		}
		if n := strings.Count(page, "</script"); n != 1 {
			t.Errorf("%s closes %d scripts: text in the bundle would end the first", name, n)
		}
		// What a browser would fetch. Addresses in the script's text are only names.
		head, _, _ := strings.Cut(page, "<script")
		for _, fetches := range []string{`<link`, `<img`, `<iframe`, `src=`, `href=`, `@import`} {
			if strings.Contains(head, fetches) {
				t.Errorf("%s refers to something outside: %s", name, fetches)
			}
		}
		for _, style := range regexp.MustCompile(`(?s)<style.*?</style>`).FindAllString(page, -1) {
			if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
				t.Errorf("a style of %s fetches something", name)
			}
		}
		if strings.Contains(page, "console.debug") {
			t.Errorf("%s logs, and the bridge would log account data: keep dropConsole in its vite config", name)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(ui.HTML())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if raw := len(ui.HTML()); raw > rawBudget || packed.Len() > gzipBudget {
		t.Errorf("app.html has %d bytes, %d compressed; at most %d and %d", raw, packed.Len(), rawBudget, gzipBudget)
	}
}

// The app shows its digest itself, so that a host's older copy can be told from
// the server's.
func TestDigest(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("app.html")
	if err != nil {
		t.Fatal(err)
	}
	stamps := regexp.MustCompile(`<meta name="digest" content="([0-9a-f]{12})" />`).FindAllSubmatchIndex(file, -1)
	if len(stamps) != 1 {
		t.Fatalf("app.html has %d digests, want one", len(stamps))
	}
	from, to := stamps[0][2], stamps[0][3]
	shown := string(file[from:to])
	copy(file[from:to], "000000000000")
	sum := sha256.Sum256(file)
	if want := hex.EncodeToString(sum[:6]); ui.Digest() != want || shown != want {
		t.Errorf("digest %s, in the app %s, want %s", ui.Digest(), shown, want)
	}
}

func TestViews(t *testing.T) {
	t.Parallel()
	all, err := ui.Views()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range all {
		names = append(names, v.Name)
		if v.Title == "" || v.Description == "" || v.Tool == "" || v.Mode == "" {
			t.Errorf("ui/views.json: %s needs title, description, tool and mode", v.Name)
		}
	}
	if diff := cmp.Diff([]string{"holdings", "positions", "funds", "orders", "gtt", "option_chain", "quote", "historical", "search"}, names); diff != "" {
		t.Errorf("views (-want +got):\n%s", diff)
	}
}
