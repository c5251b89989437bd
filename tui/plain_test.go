package tui_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/golden"
	"github.com/kite-mcp/kite-mcp/tui"
)

func plain(t *testing.T, lib tui.Library, start, input string) string {
	t.Helper()
	var out bytes.Buffer
	if err := tui.RunPlain(t.Context(), strings.NewReader(input), &out, lib, key(t, start)); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r") {
		t.Errorf("output has control characters: %q", out.String())
	}
	return out.String()
}

func TestPlain(t *testing.T) {
	t.Parallel()
	got := plain(t, library(t), "/orders", "1\n?\nb\nb\n/fill\n2\n99\nl\nq\nnever read\n")
	golden.Equal(t, filepath.Join("testdata", "plain.txt"), []byte(got))
}

func TestPlainFaults(t *testing.T) {
	t.Parallel()
	lib := altered{
		Library: library(t),
		bodies:  map[string]string{"/orders/prepare": "[a](nope.md) <https://kite.trade>\x1b[31m"},
		errs:    map[string]error{"/orders/reconcile": errors.New("disk fell off")},
	}
	got := plain(t, lib, "/orders/prepare", "1\n2\n/zzz\n/\n")
	for _, want := range []string{"Broken link: orders/nope.md is not in the catalog", "This link leaves kite-mcp: https://kite.trade", "Nothing found.", "search text is empty"} {
		if !strings.Contains(got, want) {
			t.Errorf("output lacks %q:\n%s", want, got)
		}
	}
	if got := plain(t, lib, "/orders/reconcile", ""); !strings.Contains(got, "disk fell off") {
		t.Errorf("got %q", got)
	}
	if got := plain(t, lib, "/orders/nope", ""); !strings.Contains(got, "Nearest page") {
		t.Errorf("got %q", got)
	}
}

// TestEmbeddedPages reads every page of the real catalog.
func TestEmbeddedPages(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load(catalog.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range c.Keys() {
		got := plain(t, tui.NewCatalogLibrary(c), k.String(), "q\n")
		if strings.Contains(got, "broken link") || !strings.Contains(got, "Page "+k.String()+",") {
			t.Errorf("%s:\n%s", k, got)
		}
	}
}

// TestGeneratedPage opens a directory that has no page of its own.
func TestGeneratedPage(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load(fstest.MapFS{
		"index.md":              {Data: []byte("`/orders`\n")},
		"orders/SKILL.md":       {Data: []byte("---\nname: orders\ndescription: Orders.\n---\n# Orders\n")},
		"orders/tables/fees.md": {Data: []byte("---\ndescription: Fees.\n---\n# All fees\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := plain(t, tui.NewCatalogLibrary(c), "/orders/tables", "1\n")
	for _, want := range []string{"Page /orders/tables, category", "no page of its own", "Page /orders/tables/fees, recipe\n\nAll fees"} {
		if !strings.Contains(got, want) {
			t.Errorf("output lacks %q:\n%s", want, got)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestPlainEnds(t *testing.T) {
	t.Parallel()
	if err := tui.RunPlain(t.Context(), strings.NewReader("l\n"), broken{}, library(t), key(t, "/")); err == nil {
		t.Error("a closed output is no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := tui.RunPlain(ctx, strings.NewReader("l\nl\n"), &out, library(t), key(t, "/")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	// An interrupt is not kept waiting for the enter key.
	silent, _ := io.Pipe()
	ctx, cancel = context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tui.RunPlain(ctx, silent, io.Discard, library(t), key(t, "/")) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if strings.Count(out.String(), "Entries:") != 1 {
		t.Errorf("read on after the end: %s", out.String())
	}
}

// TestPlainLeavesNobodyReading: lines typed after q are read by nobody.
func TestPlainLeavesNobodyReading(t *testing.T) {
	t.Parallel()
	lib, start := library(t), key(t, "/orders")
	synctest.Test(t, func(t *testing.T) { // fails when a goroutine stays
		var out strings.Builder
		if err := tui.RunPlain(context.WithoutCancel(t.Context()), strings.NewReader("l\nq\nl\nl\n"), &out, lib, start); err != nil {
			t.Error(err)
		}
	})
}
