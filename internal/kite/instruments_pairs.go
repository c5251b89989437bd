package kite

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"strings"
	"sync/atomic"
)

// blockTexts is how many texts one bit of a pair's bitmap stands for.
const blockTexts = 16

// textIndex finds pieces of text in a list without regard to case. For every pair of neighbouring bytes it knows the
// blocks of texts that hold the pair; only blocks that hold all pairs of a query are looked at.
type textIndex struct {
	textList
	folded string   // the same in upper case; the same memory when nothing differs
	bitmap []uint64 // of all pairs of classes, one after another
	words  int      // of one bitmap
	dear   *dearPieces
}

// dearPieces remembers in which texts a piece was found for which most blocks had to be looked at: two or three bytes can
// stand in half of all texts, and are looked up again and again, page by page. A piece has one place, by its hash, and
// stays there until another one takes it.
type dearPieces struct {
	seed   maphash.Seed
	places [dearPlaces]atomic.Pointer[dearPiece]
}

// dearPiece never changes.
type dearPiece struct {
	piece         string
	found, starts []uint64 // the texts that hold it, and those that begin with it
}

const dearPlaces = 64 // 30 KiB each for a list of real size

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

func newTextIndex(list textList) textIndex {
	x := textIndex{textList: list, folded: foldASCII(list.all), dear: &dearPieces{seed: maphash.MakeSeed()}}
	x.words = (x.blocks() + 63) / 64
	var classes [256]uint8
	for b := range classes {
		classes[b] = uint8(classOf(byte(b))) //nolint:gosec // fewer than 256 classes
	}
	x.bitmap = make([]uint64, classCount*classCount*x.words)
	after := new([64][64]uint64)
	for word := range x.words {
		// Which class follows which, block by block; then turned about, since the bitmaps are kept pair by pair.
		clear(after[:])
		for i := range min(64, x.blocks()-64*word) {
			first := (64*word + i) * blockTexts
			before := classes['\n']
			for _, b := range []byte(x.folded[x.at[first]:x.at[min(first+blockTexts, x.len())]]) {
				class := classes[b]
				after[before%64][i] |= 1 << (class % 64)
				before = class
			}
		}
		for before := range classCount {
			transpose(&after[before])
			for class, set := range after[before][:classCount] {
				x.bitmap[(before*classCount+class)*x.words+word] = set
			}
		}
	}
	return x
}

// transpose turns a square of bits about its diagonal: bit j of row i becomes bit i of row j.
func transpose(square *[64]uint64) {
	mask := uint64(1<<32 - 1)
	for size := 32; size > 0; size /= 2 {
		for i := 0; i < 64; i = (i + size + 1) &^ size {
			swap := (square[i]>>size ^ square[i|size]) & mask
			square[i] ^= swap << size
			square[i|size] ^= swap
		}
		mask ^= mask << (size / 2)
	}
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
	if len(piece) == 0 || strings.IndexByte(piece, '\n') >= 0 {
		return
	}
	blocks = blocks[:x.words]
	if where != anywhere {
		if x.candidates(piece, where, blocks) {
			x.markStarts(piece, where, blocks, found)
		}
		return
	}
	place := &x.dear.places[maphash.String(x.dear.seed, piece)%dearPlaces]
	dear := place.Load()
	if dear == nil || dear.piece != piece {
		if !x.candidates(piece, where, blocks) {
			return
		}
		if 2*count(blocks) < x.blocks() {
			x.markHolding(piece, blocks, found, starts)
			return
		}
		sets := make([]uint64, 2*((x.len()+63)/64))
		dear = &dearPiece{piece: strings.Clone(piece), found: sets[:len(sets)/2], starts: sets[len(sets)/2:]}
		x.markHolding(piece, blocks, dear.found, dear.starts)
		place.Store(dear)
	}
	for i, w := range dear.found {
		found[i] |= w
		starts[i] |= dear.starts[i]
	}
}

func (x *textIndex) blocks() int { return (x.len() + blockTexts - 1) / blockTexts }

func count(set []uint64) (n int) {
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// markStarts looks for texts that begin with the piece or are the piece.
func (x *textIndex) markStarts(piece string, where place, blocks, found []uint64) {
	for word, set := range blocks {
		for ; set != 0; set &= set - 1 {
			first := (word*64 + bits.TrailingZeros64(set)) * blockTexts
			for i := first; i < min(first+blockTexts, x.len()); i++ {
				if at := int(x.at[i]); strings.HasPrefix(x.folded[at:], piece) && (where == atStart || int(x.at[i+1])-1-at == len(piece)) {
					found[i/64] |= 1 << (i % 64)
				}
			}
		}
	}
}

// markHolding looks for texts that hold the piece.
func (x *textIndex) markHolding(piece string, blocks, found, starts []uint64) {
	for word, set := range blocks {
		for ; set != 0; set &= set - 1 {
			first := (word*64 + bits.TrailingZeros64(set)) * blockTexts
			last := min(first+blockTexts, x.len())
			if len(piece) <= shortPiece {
				x.markEach(piece, first, last, found, starts)
			} else {
				x.markAnywhere(piece, first, last, found, starts)
			}
		}
	}
}

func (x *textIndex) markAnywhere(piece string, first, last int, found, starts []uint64) {
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

// markEach is markAnywhere for short pieces, which so many texts hold that going from hit to hit takes longer. It looks at
// eight places at a time.
func (x *textIndex) markEach(piece string, first, last int, found, starts []uint64) {
	const ones = 0x0101010101010101
	var want, care [shortPiece]uint64 // what a place and those behind it have to hold
	for i, b := range []byte(piece) {
		want[i], care[i] = ones*uint64(b), ^uint64(0)
	}
	text, at := []byte(x.folded), x.at[first:last+1]
	hits, prefixes := uint64(0), uint64(0)
	for i, from := range at[:len(at)-1] {
		end, any, start := int(at[i+1])-1, uint64(0), uint64(0)
		for pos := int(from); pos < end; pos += 8 {
			eight := text[pos : pos+8+shortPiece]
			set := bytesEqual(binary.LittleEndian.Uint64(eight)^want[0]|
				(binary.LittleEndian.Uint64(eight[1:])^want[1])&care[1]|
				(binary.LittleEndian.Uint64(eight[2:])^want[2])&care[2], 0)
			if left := end - pos; left < 8 {
				set &= 1<<(8*left) - 1
			}
			if pos == int(from) {
				start = set >> 7 & 1
			}
			any |= set
		}
		hits |= b2u(any != 0) << i
		prefixes |= start << i
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
	if extra := uint(x.blocks()) % 64; extra != 0 {
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
	any := uint64(0)
	for i, w := range x.bitmap[(a*classCount+b)*x.words : (a*classCount+b+1)*x.words] {
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
