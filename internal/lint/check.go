package lint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// check reads all files, several at once, and runs the rules that need the whole
// tree when that is done. Results are kept per file, so their order does not
// depend on which goroutine came first.
func (r *run) check(ctx context.Context) ([]Finding, error) {
	tree, problems := r.scanner.List(r.fsys)
	perFile := make([][]Finding, len(tree.Files))
	outlines := make([]outline, len(tree.Files))
	group, groupCtx := errgroup.WithContext(ctx)
	jobs := r.opts.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	group.SetLimit(jobs)
	for i, f := range tree.Files {
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() error {
			perFile[i], outlines[i] = r.checkFile(groupCtx, f)
			return groupCtx.Err()
		})
	}
	err := group.Wait()
	if err == nil {
		err = ctx.Err() // the loop may have ended before any file failed
	}
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	var found []Finding
	for _, p := range append(problems, r.scanner.Check(tree)...) {
		if f, ok := r.ofProblem(p, lineTable{}); ok {
			found = append(found, f)
		}
	}
	for _, fs := range perFile {
		found = append(found, fs...)
	}
	r.index = newIndex(tree, outlines, r.profile)
	found = append(found, r.checkLinks()...)
	sortFindings(found)
	return found, nil
}

// checkFile reads one file and forgets its bytes.
func (r *run) checkFile(ctx context.Context, f *catalog.File) ([]Finding, outline) {
	var found []Finding
	keep := func(f Finding, ok bool) {
		if ok {
			found = append(found, f)
		}
	}
	problems := r.scanner.Read(r.fsys, f)
	lines := newLineTable(f.Raw)
	for _, p := range problems {
		keep(r.ofProblem(p, lines))
	}
	var out outline
	if f.Raw != nil {
		out.read = true
		doc, ok := parse(ctx, f.Body())
		if ok {
			out.add(doc, f.Section.Body, lines)
		} else if ctx.Err() == nil {
			keep(r.timedOut(f.Path))
		}
	}
	f.Forget()
	return found, out
}

// parseLimit is the longest time one page may take. CommonMark has shapes, such
// as deeply nested quotes, whose cost grows with the square of their length.
const parseLimit = 2 * time.Second

// smallBody is parsed without a watch: in no shape does it take a tenth of a
// second.
const smallBody = 8 << 10

// parse reads a page; ok is false when that takes too long or ctx ends.
func parse(ctx context.Context, body []byte) (doc *catalog.Document, ok bool) {
	if len(body) <= smallBody {
		return catalog.ParseDocument(body), true
	}
	return within(ctx, parseLimit, func() *catalog.Document { return catalog.ParseDocument(body) })
}

// within waits for work until the limit. Work cannot be stopped: past the limit
// it ends by itself and its result is dropped.
func within[T any](ctx context.Context, limit time.Duration, work func() T) (result T, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case result = <-done:
		return result, true
	case <-ctx.Done():
		return result, false
	}
}

// quote adds the source lines and the fingerprints to the findings that are
// shown. Files were forgotten after reading; the few with findings are read
// again.
func (r *run) quote(found []Finding) {
	var file string
	var lines lineTable
	seen := map[string]int{}
	for i := range found {
		f := &found[i]
		if i == 0 || f.file != file {
			var raw []byte
			if r.index.files[f.file].read { // opening a pipe would wait for ever
				raw, _ = fs.ReadFile(r.fsys, f.file) // a file that is gone has no lines to show
			}
			file, lines = f.file, newLineTable(raw)
		}
		f.Range.End = lines.end(f.Range.Start, f.Range.End.Offset)
		f.Excerpt = lines.text(f.Range.Start.Line)
		for n := f.Range.Start.Line - 1; n > 0 && f.beforeLine == 0; n-- {
			if text := lines.text(n); strings.TrimSpace(text) != "" {
				f.before, f.beforeLine = text, n
			}
		}
		identity := strings.Join([]string{f.Rule, f.file, strings.TrimSpace(f.Excerpt)}, "\x00")
		seen[identity]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", identity, seen[identity]))
		f.Fingerprint = hex.EncodeToString(sum[:])
	}
}
