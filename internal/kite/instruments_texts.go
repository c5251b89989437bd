package kite

import (
	"hash/maphash"
	"slices"
	"strings"
)

// textList is many short texts in one buffer: a line break, then each text with a line break after it. The collector
// sees two objects instead of thousands.
type textList struct {
	all string
	at  []uint32 // where each begins, and one entry more: where the next would
}

func (l *textList) len() int { return len(l.at) - 1 }

func (l *textList) text(i uint32) string { return l.all[l.at[i] : l.at[i+1]-1] }

// textBuffer is a textList that grows.
type textBuffer struct {
	all []byte
	at  []uint32
}

func newTextBuffer(size, count int) textBuffer {
	b := textBuffer{all: make([]byte, 1, 1+size), at: make([]uint32, 1, 1+count)}
	b.all[0], b.at[0] = '\n', 1
	return b
}

func (b *textBuffer) len() int { return len(b.at) - 1 }

func (b *textBuffer) text(i uint32) []byte { return b.all[b.at[i] : b.at[i+1]-1] }

// add takes a text without line breaks.
func (b *textBuffer) add(text []byte) {
	if cap(b.all)-len(b.all) <= len(text) {
		b.all = slices.Grow(b.all, len(b.all)+len(text)+1)
	}
	b.all = append(append(b.all, text...), '\n')
	b.at = append(doubled(b.at), uint32(len(b.all))) //nolint:gosec // the loader ends before 4 GiB
}

func (b *textBuffer) list() textList { return textList{all: string(b.all), at: b.at} }

const textPadding = 16

// textBuilder makes a textList whose size is known, without a second copy.
type textBuilder struct {
	all strings.Builder
	at  []uint32
}

func newTextBuilder(size, count int) *textBuilder {
	b := &textBuilder{at: make([]uint32, 1, 1+count)}
	b.all.Grow(1 + size + textPadding)
	b.all.WriteByte('\n')
	b.at[0] = 1
	return b
}

// add takes a text without line breaks.
func (b *textBuilder) add(text []byte) {
	b.all.Write(text)
	b.all.WriteByte('\n')
	b.at = append(b.at, uint32(b.all.Len())) //nolint:gosec // the loader ends before 4 GiB
}

// list ends the texts with line breaks, so that a search may look some bytes beyond the last one.
func (b *textBuilder) list() textList {
	for range textPadding {
		b.all.WriteByte('\n')
	}
	return textList{all: b.all.String(), at: b.at}
}

// foldASCII returns s in upper case, byte for byte, or s itself when nothing changes. Symbols and names are ASCII; a
// stray other letter matches only itself.
func foldASCII(s string) string {
	first := firstLower(s)
	if first == len(s) {
		return s
	}
	up := []byte(s)
	for i, c := range up[first:] {
		if 'a' <= c && c <= 'z' {
			up[first+i] = c - ('a' - 'A')
		}
	}
	return string(up)
}

// firstLower returns where the first small letter stands, or the length. It looks at eight bytes at a time: there is
// none in megabytes of symbols.
func firstLower(s string) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		low := w &^ highs
		if (low+ones*(0x80-'a'))&^(low+ones*(0x7f-'z'))&^w&highs != 0 {
			break
		}
	}
	for i < len(s) && (s[i] < 'a' || s[i] > 'z') {
		i++
	}
	return i
}

// interner gives equal texts one number and one place. Number 0 is always the empty text.
type interner struct {
	textBuffer
	seed    maphash.Seed
	slots   []uint32 // number plus one; 0 is free
	last    uint32   // the number given out last
	follows []uint32 // what came after each number the last time: the strikes of a chain, a put after its call
}

func newInterner(seed maphash.Seed) interner {
	in := interner{textBuffer: newTextBuffer(64, 8), seed: seed, slots: make([]uint32, 16)}
	in.insert(nil)
	return in
}

// known returns the number of a text that was seen before.
func (in *interner) known(text []byte) (uint32, bool) {
	if guess := in.follows[in.last]; string(text) == string(in.text(guess)) {
		in.last = guess
		return guess, true
	}
	for at := in.slot(text); in.slots[at] != 0; at = (at + 1) & (len(in.slots) - 1) {
		if id := in.slots[at] - 1; string(text) == string(in.text(id)) {
			in.remember(id)
			return id, true
		}
	}
	return 0, false
}

func (in *interner) remember(id uint32) {
	in.follows[in.last] = id
	in.last = id
}

func (in *interner) id(text []byte) uint32 {
	if id, ok := in.known(text); ok {
		return id
	}
	return in.insert(text)
}

// insert takes a text that is not known.
func (in *interner) insert(text []byte) uint32 {
	if 2*in.len() >= len(in.slots) {
		in.slots = make([]uint32, 2*len(in.slots))
		for id := range uint32(in.len()) { //nolint:gosec // numbers of texts fit, see add
			in.place(id)
		}
	}
	id := uint32(in.len()) //nolint:gosec // as above
	in.add(text)
	in.follows = append(in.follows, id)
	in.place(id)
	in.remember(id)
	return id
}

// slot is where to look for a text first; the number of slots is a power of two.
func (in *interner) slot(text []byte) int {
	return int(maphash.Bytes(in.seed, text)>>1) & (len(in.slots) - 1)
}

func (in *interner) place(id uint32) {
	at := in.slot(in.text(id))
	for in.slots[at] != 0 {
		at = (at + 1) & (len(in.slots) - 1)
	}
	in.slots[at] = id + 1
}

// strings returns the texts one by one, for the short lists.
func (in *interner) strings() []string {
	all := in.list()
	out := make([]string, all.len())
	for i := range out {
		out[i] = all.text(uint32(i))
	}
	return out
}

// numbering gives numbers out anew in the order in which they are asked for. What is numbered by its first mention in
// the sorted rows no longer depends on the order of the source.
type numbering struct {
	fresh []uint32 // new number plus one, by old number
	order []uint32 // old number, by new
}

// newNumbering keeps number 0, the empty text, in its place.
func newNumbering(count int) numbering {
	n := numbering{fresh: make([]uint32, count), order: make([]uint32, 0, count)}
	n.of(0)
	return n
}

func (n *numbering) of(old uint32) uint32 {
	if n.fresh[old] == 0 {
		n.order = append(n.order, old)
		n.fresh[old] = uint32(len(n.order)) //nolint:gosec // at most as many as the old numbers
	}
	return n.fresh[old] - 1
}

// reordered returns the texts under their new numbers; those that nobody asked for are gone.
func (n *numbering) reordered(b *textBuffer) textList {
	out := newTextBuilder(len(b.all), len(n.order))
	for _, old := range n.order {
		out.add(b.text(old))
	}
	return out.list()
}
