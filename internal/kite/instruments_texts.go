package kite

import (
	"bytes"
	"hash/maphash"
	"math/bits"
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

// foldASCII returns s in upper case, byte for byte, or s itself when nothing changes. Symbols and names are ASCII; a
// stray other letter matches only itself.
func foldASCII(s string) string {
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	first := 0
	for first < len(s) && !lower(s[first]) {
		first++
	}
	if first == len(s) {
		return s
	}
	up := []byte(s)
	for i, c := range up[first:] {
		if lower(c) {
			up[first+i] = c - ('a' - 'A')
		}
	}
	return string(up)
}

// interner gives equal texts one number and one place. Number 0 is always the empty text.
type interner struct {
	textBuffer
	seed  maphash.Seed
	slots []uint32 // number plus one; 0 is free
	last  uint32   // neighbours in a list mostly agree,
	prior uint32   // or take turns
}

func newInterner(seed maphash.Seed) interner {
	in := interner{textBuffer: newTextBuffer(64, 8), seed: seed, slots: make([]uint32, 16)}
	in.id(nil)
	return in
}

// known returns the number of a text that was seen before.
func (in *interner) known(text []byte) (uint32, bool) {
	if in.len() > 0 {
		if string(text) == string(in.text(in.last)) {
			return in.last, true
		}
		if string(text) == string(in.text(in.prior)) {
			in.last, in.prior = in.prior, in.last
			return in.last, true
		}
	}
	for at := in.slot(text); in.slots[at] != 0; at = (at + 1) & (len(in.slots) - 1) {
		if id := in.slots[at] - 1; bytes.Equal(text, in.text(id)) {
			in.last, in.prior = id, in.last
			return id, true
		}
	}
	return 0, false
}

func (in *interner) id(text []byte) uint32 {
	if id, ok := in.known(text); ok {
		return id
	}
	if 2*in.len() >= len(in.slots) {
		in.slots = make([]uint32, 2*len(in.slots))
		for id := range uint32(in.len()) { //nolint:gosec // numbers of texts fit, see add
			in.place(id)
		}
	}
	id := uint32(in.len()) //nolint:gosec // as above
	in.add(text)
	in.place(id)
	in.last, in.prior = id, in.last
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
func (n *numbering) reordered(b *textBuffer) textBuffer {
	out := newTextBuffer(len(b.all), len(n.order))
	for _, old := range n.order {
		out.add(b.text(old))
	}
	return out
}

// blockTexts is how many texts one bit of a pair's bitmap stands for.
const blockTexts = 16

// textIndex finds pieces of text in a list without regard to case. For every pair of neighbouring bytes it knows the
// blocks of texts that hold the pair; only blocks that hold all pairs of a query are looked at.
type textIndex struct {
	textList
	folded string                          // the same in upper case; the same memory when nothing differs
	pairs  [classCount * classCount]uint16 // which bitmap a pair has, plus one; 0 when it does not occur
	bitmap []uint64                        // one after another
	words  int                             // of one bitmap
}

// The classes of bytes that are told apart. What does not occur in real symbols shares class 0; that costs a look at
// more blocks, never a match.
const (
	classOther  = 0
	classLetter = 1                 // A to Z
	classDigit  = classLetter + 26  // 0 to 9
	classMark   = classDigit + 10   // the marks of classOf
	classCount  = classMark + 5 + 1 // and the line break
)

func classOf(b byte) int {
	switch {
	case 'A' <= b && b <= 'Z':
		return classLetter + int(b-'A')
	case '0' <= b && b <= '9':
		return classDigit + int(b-'0')
	}
	switch b {
	case '&':
		return classMark
	case '-':
		return classMark + 1
	case ' ':
		return classMark + 2
	case '.':
		return classMark + 3
	case '%':
		return classMark + 4
	case '\n':
		return classMark + 5
	}
	return classOther
}

func newTextIndex(b textBuffer) textIndex {
	x := textIndex{textList: b.list()}
	x.folded = foldASCII(x.all)
	blocks := (x.len() + blockTexts - 1) / blockTexts
	x.words = (blocks + 63) / 64
	var classes [256]uint8
	for b := range classes {
		classes[b] = uint8(classOf(byte(b))) //nolint:gosec // fewer than 256 classes
	}
	used := 0
	for block := range blocks {
		text := x.folded[x.at[block*blockTexts]-1 : x.at[min((block+1)*blockTexts, x.len())]]
		word, bit := block/64, uint64(1)<<(block%64)
		before := int(classes['\n'])
		for i := 1; i < len(text); i++ {
			class := int(classes[text[i]])
			pair := &x.pairs[before*classCount+class]
			if *pair == 0 {
				used++
				*pair = uint16(used)
				x.bitmap = append(x.bitmap, make([]uint64, x.words)...)
			}
			x.bitmap[(int(*pair)-1)*x.words+word] |= bit
			before = class
		}
	}
	return x
}

// shortPiece is up to which length pieces are so frequent that texts are searched one by one, not a block at once.
const shortPiece = 3

// place says where in a text a piece has to stand.
type place int

const (
	anywhere place = iota
	atStart
	whole
)

// mark sets the bits of the texts that hold the piece, and in starts those that begin with it. The piece is in upper
// case. The sets have a bit for every text and are only added to; blocks is room for one bitmap.
func (x *textIndex) mark(piece string, where place, blocks, found, starts []uint64) {
	if len(piece) == 0 || strings.IndexByte(piece, '\n') >= 0 || !x.candidates(piece, where, blocks[:x.words]) {
		return
	}
	for word, set := range blocks[:x.words] {
		for ; set != 0; set &= set - 1 {
			first := (word*64 + bits.TrailingZeros64(set)) * blockTexts
			last := min(first+blockTexts, x.len())
			if where == anywhere {
				x.markAnywhere(piece, first, last, found, starts)
				continue
			}
			for i := first; i < last; i++ {
				if at := int(x.at[i]); strings.HasPrefix(x.folded[at:], piece) && (where == atStart || int(x.at[i+1])-1-at == len(piece)) {
					found[i/64] |= 1 << (i % 64)
				}
			}
		}
	}
}

func (x *textIndex) markAnywhere(piece string, first, last int, found, starts []uint64) {
	if len(piece) <= shortPiece {
		x.markEach(piece, first, last, found, starts)
		return
	}
	at := x.at[first : last+1]
	text, pos := x.folded[:at[last-first]], int(at[0])
	for i := 0; ; i++ {
		hit := strings.Index(text[pos:], piece)
		if hit < 0 {
			return
		}
		pos += hit
		for int(at[i+1]) <= pos {
			i++
		}
		row := first + i
		found[row/64] |= 1 << (row % 64)
		if int(at[i]) == pos {
			starts[row/64] |= 1 << (row % 64)
		}
		if pos = int(at[i+1]); pos >= len(text) {
			return
		}
	}
}

// markEach is markAnywhere for short pieces, which so many texts hold that searching from hit to hit takes longer.
func (x *textIndex) markEach(piece string, first, last int, found, starts []uint64) {
	at := x.at[first : last+1]
	hits, prefixes := uint64(0), uint64(0)
	for i, from := range at[:len(at)-1] {
		p := strings.Index(x.folded[from:at[i+1]-1], piece)
		hits |= b2u(p >= 0) << i
		prefixes |= b2u(p == 0) << i
	}
	found[first/64] |= hits << (first % 64)
	starts[first/64] |= prefixes << (first % 64)
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// candidates sets the bits of the blocks that hold every pair of the piece and reports whether there is any.
func (x *textIndex) candidates(piece string, where place, blocks []uint64) bool {
	for i := range blocks {
		blocks[i] = ^uint64(0)
	}
	if extra := uint(x.len()+blockTexts-1) / blockTexts % 64; extra != 0 {
		blocks[len(blocks)-1] = 1<<extra - 1
	}
	before := classOf(piece[0])
	left := x.len() > 0
	if where != anywhere {
		left = x.and(classOf('\n'), before, blocks)
	}
	for i := 1; i < len(piece) && left; i++ {
		class := classOf(piece[i])
		left = x.and(before, class, blocks)
		before = class
	}
	if where == whole && left {
		left = x.and(before, classOf('\n'), blocks)
	}
	return left
}

// and keeps the blocks that hold a pair of classes.
func (x *textIndex) and(a, b int, blocks []uint64) bool {
	number := int(x.pairs[a*classCount+b])
	if number == 0 {
		return false
	}
	any := uint64(0)
	for i, w := range x.bitmap[(number-1)*x.words : number*x.words] {
		blocks[i] &= w
		any |= blocks[i]
	}
	return any != 0
}

// find returns the number of an exact text, 0 (the empty text's) when there is none.
func (x *textIndex) find(text string) uint32 {
	piece := foldASCII(text)
	if len(piece) == 0 || strings.IndexByte(piece, '\n') >= 0 {
		return 0
	}
	blocks := make([]uint64, x.words)
	if !x.candidates(piece, whole, blocks) {
		return 0
	}
	for word, set := range blocks {
		for ; set != 0; set &= set - 1 {
			first := (word*64 + bits.TrailingZeros64(set)) * blockTexts
			for i := first; i < min(first+blockTexts, x.len()); i++ {
				if x.text(uint32(i)) == text { //nolint:gosec // numbers of texts fit
					return uint32(i) //nolint:gosec // as above
				}
			}
		}
	}
	return 0
}
