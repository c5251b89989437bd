package kite

import (
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
)

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
	common *pairTexts
}

// pairTexts remembers which texts hold a pair. Two bytes can stand in half of all texts; they are looked up again and
// again, page by page, and finding them takes longer than anything else.
type pairTexts struct {
	kept  atomic.Int32
	texts [classCount * classCount]atomic.Pointer[[]uint64]
}

const pairTextsKept = 64 // 30 KiB each for a list of real size

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
	x := textIndex{textList: list, folded: foldASCII(list.all), common: &pairTexts{}}
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
		for _, b := range []byte(text[1:]) {
			class := int(classes[b])
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
	x.bitmap = slices.Clone(x.bitmap) // without the room for more
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
	switch {
	case len(piece) == 0 || strings.IndexByte(piece, '\n') >= 0:
	case len(piece) == 2 && where == anywhere && classOf(piece[0]) != classOther && classOf(piece[1]) != classOther:
		sets := x.withPair(piece, blocks)
		for i, w := range sets[:len(sets)/2] {
			found[i] |= w
			starts[i] |= sets[len(sets)/2+i]
		}
	default:
		x.markBlocks(piece, where, blocks, found, starts)
	}
}

// withPair returns two sets, one after the other: the texts that hold two bytes, and those that begin with them. The
// bytes have classes of their own.
func (x *textIndex) withPair(pair string, blocks []uint64) []uint64 {
	kept := &x.common.texts[classOf(pair[0])*classCount+classOf(pair[1])]
	if sets := kept.Load(); sets != nil {
		return *sets
	}
	sets := make([]uint64, 2*((x.len()+63)/64))
	x.markBlocks(pair, anywhere, blocks, sets[:len(sets)/2], sets[len(sets)/2:])
	if x.common.kept.Add(1) <= pairTextsKept {
		kept.Store(&sets)
	}
	return sets
}

func (x *textIndex) markBlocks(piece string, where place, blocks, found, starts []uint64) {
	if !x.candidates(piece, where, blocks[:x.words]) {
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
