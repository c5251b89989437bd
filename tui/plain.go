package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/render"
)

// plainWidth suits Braille displays and terminals of unknown width.
const plainWidth = 72

const plainHelp = `  number   open that entry
  /words   search all pages
  b        back
  l        list the entries again
  ?        this help
  q        quit
`

// RunPlain is the browser as a conversation: it prints a page and a numbered
// list, and reads a number, "/words", b, l, ? or q. It writes no escape sequence
// and never redraws, so it works with screen readers, in files and on dumb
// terminals. It returns nil at q and at the end
// of input, and the context's error when ctx ends.
func RunPlain(ctx context.Context, in io.Reader, out io.Writer, lib Library, start catalog.Key) error {
	nodes, err := lib.Tree(ctx)
	if err != nil {
		return fmt.Errorf("load the tree: %w", err)
	}
	p := &plainBrowser{lib: lib, index: newIndex(nodes), out: bufio.NewWriter(out)}
	if err := p.open(ctx, start); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop() // typed ahead is not kept for anybody
	lines := readLines(ctx, in)
	for {
		p.print("> ")
		if err := p.out.Flush(); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		var line typed
		select {
		case <-ctx.Done():
		case line = <-lines:
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if line.end {
			p.print("\n")
			return errors.Join(line.err, p.out.Flush())
		}
		if quit, err := p.command(ctx, strings.TrimSpace(line.text)); err != nil || quit {
			return errors.Join(err, p.out.Flush())
		}
	}
}

// typed is a line of input, or its end.
type typed struct {
	text string
	end  bool
	err  error
}

// readLines reads apart from the conversation, so that an interrupt is not kept
// waiting for the enter key. A read that nothing interrupts ends with the
// process.
func readLines(ctx context.Context, in io.Reader) <-chan typed {
	out := make(chan typed)
	go func() {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			select {
			case out <- typed{text: lines.Text()}:
			case <-ctx.Done():
				return
			}
		}
		select {
		case out <- typed{end: true, err: lines.Err()}:
		case <-ctx.Done():
		}
	}()
	return out
}

// plainEntry is one numbered line.
type plainEntry struct {
	text string
	to   target
}

type plainBrowser struct {
	lib     Library
	index   *index
	out     *bufio.Writer
	entries []plainEntry
	here    catalog.Key
	history []catalog.Key
}

// print writes; a failed write shows at the next flush.
func (p *plainBrowser) print(text string) { _, _ = p.out.WriteString(text) }

func (p *plainBrowser) command(ctx context.Context, line string) (quit bool, err error) {
	switch {
	case line == "q":
		return true, nil
	case line == "?" || line == "":
		p.print(plainHelp)
	case line == "l":
		p.list()
	case line == "b":
		n := len(p.history)
		if n == 0 {
			p.print("No page to go back to.\n")
			return false, nil
		}
		k := p.history[n-1]
		p.history = p.history[:n-1]
		return false, p.open(ctx, k)
	case strings.HasPrefix(line, "/"):
		return false, p.search(ctx, strings.TrimSpace(line[1:]))
	default:
		n, _ := strconv.Atoi(line) // 0 for what is no number
		if n < 1 || n > len(p.entries) {
			p.print(fmt.Sprintf("Type a number from 1 to %d, /words, b, l, ? or q.\n", len(p.entries)))
			return false, nil
		}
		return false, p.choose(ctx, p.entries[n-1].to)
	}
	return false, nil
}

func (p *plainBrowser) choose(ctx context.Context, t target) error {
	switch {
	case t.broken != "":
		p.print("Broken link: " + render.Clean(t.broken) + "\n")
		return nil
	case t.url != "":
		p.print("This link leaves kite-mcp: " + render.Clean(t.url) + "\n")
		return nil
	}
	p.history = append(p.history, p.here)
	return p.open(ctx, t.key)
}

// open prints a page and what can be opened from it.
func (p *plainBrowser) open(ctx context.Context, k catalog.Key) error {
	view, err := layoutPage(ctx, p.lib, p.index, true, request{key: k, width: plainWidth, style: render.None})
	if err != nil {
		p.print(render.Clean(err.Error()) + "\n")
		return ctx.Err()
	}
	p.here, p.entries = k, nil
	for i, l := range view.doc.Links {
		p.entries = append(p.entries, plainEntry{text: l.Label, to: view.targets[i]})
	}
	for _, child := range view.page.Children {
		if !slices.ContainsFunc(p.entries, func(e plainEntry) bool { return e.to.key == child && e.to.broken == "" && e.to.url == "" }) {
			p.entries = append(p.entries, plainEntry{text: p.index.nodes[p.index.byKey[child]].Title, to: target{key: child}})
		}
	}
	kind := view.page.Kind.String()
	if view.gone {
		kind = "gone"
	}
	p.print(fmt.Sprintf("\nPage %s, %s\n\n", k, kind))
	for _, line := range view.doc.Plain() {
		p.print(line + "\n")
	}
	p.list()
	return nil
}

func (p *plainBrowser) list() {
	if len(p.entries) == 0 {
		p.print("\nNothing to open from here. b goes back.\n")
		return
	}
	p.print("\nEntries:\n")
	for i, e := range p.entries {
		where := ""
		switch {
		case e.to.broken != "":
			where = " (broken link)"
		case e.to.url != "" && e.to.url != e.text:
			where = " (" + render.Clean(e.to.url) + ")"
		case e.to.url == "" && e.to.key.String() != e.text:
			where = " (" + e.to.key.String() + ")"
		}
		p.print(fmt.Sprintf("%3d. %s%s\n", i+1, oneLine(e.text), where))
	}
}

func (p *plainBrowser) search(ctx context.Context, text string) error {
	hits, err := p.lib.Search(ctx, text)
	if err != nil {
		p.print("Search: " + render.Clean(err.Error()) + ".\n")
		return ctx.Err()
	}
	if len(hits) == 0 {
		p.print("Nothing found.\n")
		return nil
	}
	p.entries = nil
	for _, h := range hits {
		p.entries = append(p.entries, plainEntry{text: h.Title, to: target{key: h.Key}})
	}
	p.list()
	return nil
}
