package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// TestInstrumentsCache: the day's list is downloaded once, from the JSON lines
// first and from the CSV when there are none; the next process reads the file.
// A demo leaves nothing behind.
func TestInstrumentsCache(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the folder has another name")
	}
	x, err := demo.New(demo.Options{Now: stopped})
	if err != nil {
		t.Fatal(err)
	}
	var lines, csv atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/instruments.json" {
			lines.Add(1)
			if r.Header.Get("Authorization") != "" {
				t.Error("credentials are sent for a list that needs none")
			}
			http.NotFound(w, r)
			return
		}
		csv.Add(1)
		x.Handler().ServeHTTP(w, r)
	}))
	home := t.TempDir()
	env := []string{"HOME=" + home, "KITE_BASE_URL=" + server.URL, "KITE_API_KEY=" + demo.APIKey, "KITE_ACCESS_TOKEN=" + demo.AccessToken}
	for range 2 {
		out, stderr, status := run(t, "", env, "instruments", "INFY", "--limit", "1", "-q")
		if status != 0 || !strings.Contains(out, "\nNSE:INFY\t") {
			t.Errorf("status %d, %s%s", status, out, stderr)
		}
	}
	if lines.Load() != 1 || csv.Load() != 1 {
		t.Errorf("%d and %d downloads, want one of each", lines.Load(), csv.Load())
	}
	server.Close()
	if out, stderr, status := run(t, "", env, "instruments", "INFY", "--limit", "1", "-q"); status != 0 {
		t.Errorf("without a network: status %d, %s%s", status, out, stderr)
	}
	files, err := os.ReadDir(filepath.Join(home, ".cache", "kite-mcp"))
	if err != nil || len(files) != 1 {
		t.Errorf("cache holds %v, %v", files, err)
	}
	other := t.TempDir()
	if _, _, status := run(t, "", []string{"HOME=" + other}, "instruments", "INFY", "--demo"); status != 0 {
		t.Errorf("demo: status %d", status)
	}
	if left, err := os.ReadDir(other); err != nil || len(left) != 0 {
		t.Errorf("the demo left %v", left)
	}
}
