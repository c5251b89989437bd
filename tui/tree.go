package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// tree is the list of help keys with its open and closed branches.
type tree struct {
	window
	index *index
	open  map[catalog.Key]bool
	rows  []int // visible nodes
	h     int
}

func (t *tree) load(ix *index, at catalog.Key) {
	t.index = ix
	if t.open == nil {
		t.open = map[catalog.Key]bool{{}: true}
	}
	t.reveal(at)
}

// reveal opens the branches above a key and moves the cursor there.
func (t *tree) reveal(k catalog.Key) {
	if t.index == nil {
		return
	}
	for up := k; !up.IsRoot(); {
		up = up.Parent()
		t.open[up] = true
	}
	t.build()
	for row, i := range t.rows {
		if t.index.nodes[i].Key == k {
			t.cursor = row
		}
	}
	t.clamp(len(t.rows), t.h)
}

// build lists the nodes whose branches are all open.
func (t *tree) build() {
	t.rows = t.rows[:0]
	hidden := map[catalog.Key]bool{}
	for i, n := range t.index.nodes {
		if !n.Key.IsRoot() && (hidden[n.Key.Parent()] || !t.open[n.Key.Parent()]) {
			hidden[n.Key] = true
			continue
		}
		t.rows = append(t.rows, i)
	}
}

// selected returns the node under the cursor, false before the tree is loaded.
func (t *tree) selected() (Node, bool) {
	if t.cursor >= len(t.rows) {
		return Node{}, false
	}
	return t.index.nodes[t.rows[t.cursor]], true
}

// update handles the keys of the tree. It reports whether the key had an effect;
// right on something that cannot open has none, so the caller changes the pane.
func (t *tree) update(k keyMap, msg tea.KeyPressMsg) bool {
	node, ok := t.selected()
	if !ok {
		return false
	}
	isParent := t.index.hasChildren(t.rows[t.cursor])
	switch {
	case key.Matches(msg, k.left):
		if isParent && t.open[node.Key] {
			t.open[node.Key] = false
			t.build()
		} else {
			t.reveal(node.Key.Parent())
		}
	case key.Matches(msg, k.right):
		if !isParent || t.open[node.Key] {
			return false
		}
		t.open[node.Key] = true
		t.build()
	default:
		return t.move(k, msg, len(t.rows), t.h)
	}
	t.clamp(len(t.rows), t.h)
	return true
}

// draw returns the rows of the tree; current is the page on show.
func (t *tree) draw(w int, focused bool, current catalog.Key, st styles, g glyphs) []string {
	if t.index == nil {
		return []string{st.faint.Render("  loading")}
	}
	var out []string
	for row := t.top; row < min(t.top+t.h, len(t.rows)); row++ {
		n := t.index.nodes[t.rows[row]]
		mark := "  "
		if t.index.hasChildren(t.rows[row]) {
			mark = "> "
			if t.open[n.Key] {
				mark = "v "
			}
		}
		if n.Key == current {
			mark = "* "
		}
		line := " " + strings.Repeat("  ", n.Key.Depth()) + mark + label(n)
		switch {
		case row == t.cursor && focused:
			line = st.cursor.Render(fit(line, w, g.more))
		case row == t.cursor || n.Key == current:
			line = st.unfocused.Render(fit(line, w, g.more))
		}
		out = append(out, line)
	}
	return out
}

// label names a node within its parent.
func label(n Node) string {
	switch {
	case n.Key.IsRoot():
		return "/"
	case n.Kind == catalog.Category && n.Key.Depth() == 1:
		return n.Key.String()
	case n.Kind == catalog.Category:
		return n.Key.Name() + "/"
	}
	return n.Key.Name()
}
