package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Limits of a frontmatter block, tested before it is parsed.
const (
	MaxFrontmatterBytes = 16 << 10
	MaxFrontmatterDepth = 8
)

// Frontmatter is the YAML block that opens a file.
type Frontmatter struct {
	Block []byte     // the YAML between the delimiter lines
	Start int        // byte offset of Block in the file
	Node  *yaml.Node // the mapping, nil when the block is not one
}

// ReadFrontmatter parses the frontmatter of a SKILL.md that no tree holds, under
// the limits and rules of Scan. The error says what is wrong with it.
func ReadFrontmatter(raw []byte) (*Frontmatter, error) {
	r := &report{file: &File{Path: SkillFile, Raw: raw}, skills: true}
	r.file.split()
	valid := r.checkUTF8()
	if bytes.HasPrefix(raw, byteOrderMark) {
		return nil, errors.New("a byte order mark hides the frontmatter")
	}
	r.checkSection(valid)
	for _, p := range r.problems {
		if p.Severity == Error {
			return nil, fmt.Errorf("line %d: %s", p.Line, p.Message)
		}
	}
	return r.file.Front, nil
}

// Section is where a file's frontmatter and body lie.
type Section struct {
	HasBlock bool // the first line is a delimiter
	Closed   bool // and a second one follows
	Start    int  // offset of the YAML
	End      int  // offset just behind the YAML
	Body     int  // offset of the body
}

// Split finds the frontmatter of a file. A delimiter is a whole line of exactly
// three hyphens ended by LF, CRLF or the end of the file; the first must be the
// file's first bytes.
func Split(raw []byte) Section {
	first, ok := delimiter(raw, 0)
	if !ok {
		return Section{}
	}
	s := Section{HasBlock: true, Start: first, End: len(raw), Body: len(raw)}
	for at := first; at < len(raw); {
		if next, ok := delimiter(raw, at); ok {
			s.Closed, s.End, s.Body = true, at, next
			return s
		}
		n := bytes.IndexByte(raw[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return s
}

// delimiter reports whether a delimiter line starts at offset at, and where the
// next line begins.
func delimiter(raw []byte, at int) (next int, ok bool) {
	rest, found := bytes.CutPrefix(raw[at:], []byte("---"))
	if !found {
		return 0, false
	}
	switch {
	case len(rest) == 0:
		return at + 3, true
	case rest[0] == '\n':
		return at + 4, true
	case bytes.HasPrefix(rest, []byte("\r\n")):
		return at + 5, true
	}
	return 0, false
}

// normalize returns the YAML with LF line endings. Offsets stay valid per line,
// not per byte, which is why problems are placed by line and column.
func normalize(block []byte) []byte {
	if !bytes.Contains(block, []byte("\r\n")) {
		return block
	}
	return bytes.ReplaceAll(block, []byte("\r\n"), []byte("\n"))
}

// parseFrontmatter loads the block as a node tree, nil when it holds nothing but
// comments. The tree keeps scalars as they were written; an untyped decode would
// turn 2026-01-01 into a time.
func parseFrontmatter(block []byte) (*yaml.Node, error) {
	block = normalize(block)
	if isBlank(block) {
		return nil, nil
	}
	var doc yaml.Node
	if err := yaml.Load(block, &doc); err != nil {
		return nil, fmt.Errorf("parse frontmatter: %w", err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("frontmatter is not one document")
	}
	return doc.Content[0], nil
}

func isBlank(block []byte) bool {
	for line := range bytes.Lines(block) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// Field returns the value node of a top-level key, nil when it is absent.
func (f *Frontmatter) Field(name string) *yaml.Node {
	if f == nil || f.Node == nil {
		return nil
	}
	for i := 0; i+1 < len(f.Node.Content); i += 2 {
		if f.Node.Content[i].Value == name {
			return f.Node.Content[i+1]
		}
	}
	return nil
}

// Text returns the string value of a top-level key, "" when it is absent or not
// a string.
func (f *Frontmatter) Text(name string) string {
	n := f.Field(name)
	if n == nil || n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		return ""
	}
	return n.Value
}

// JSON renders the whole mapping as a JSON object in the file's key order. It is
// an error if a value cannot be carried faithfully: NaN, a number that readers
// would round, a key that is not a string.
func (f *Frontmatter) JSON() (json.RawMessage, error) {
	if f == nil || f.Node == nil {
		return nil, errors.New("no frontmatter")
	}
	var b bytes.Buffer
	if err := writeJSON(&b, f.Node); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.Content[i].ShortTag() != "!!str" {
				return &valueError{n.Content[i], "key is not a string"}
			}
			writeString(b, n.Content[i].Value)
			b.WriteByte(':')
			if err := writeJSON(b, n.Content[i+1]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case yaml.ScalarNode:
		return writeScalar(b, n)
	default:
		return &valueError{n, "references are not resolved"}
	}
	return nil
}

// valueError is a YAML value that has no faithful form in JSON.
type valueError struct {
	node   *yaml.Node
	reason string
}

func (e *valueError) Error() string {
	return fmt.Sprintf("%s has no form in JSON: %s", quote(e.node.Value), e.reason)
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null":
		b.WriteString("null")
	case "!!bool":
		var v bool
		if err := n.Decode(&v); err != nil {
			return &valueError{n, "not a boolean"}
		}
		b.WriteString(strconv.FormatBool(v))
	case "!!int", "!!float":
		if !json.Valid([]byte(n.Value)) {
			return &valueError{n, "not a decimal number"}
		}
		if rounds(n) {
			return &valueError{n, "readers would round the number"}
		}
		b.WriteString(n.Value)
	default: // strings, and plain timestamps as the text that was written
		writeString(b, n.Value)
	}
	return nil
}

// rounds reports whether a number changes in a reader that keeps 64-bit floats.
func rounds(n *yaml.Node) bool {
	const exact = 1 << 53
	if !strings.ContainsAny(n.Value, ".eE") { // the parser calls a huge integer a float
		v, err := strconv.ParseInt(n.Value, 10, 64)
		return err != nil || v > exact || v < -exact
	}
	_, err := strconv.ParseFloat(n.Value, 64)
	return err != nil
}

// writeString encodes without HTML escapes, so that readers compare the text
// they see in the file.
func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	b.Truncate(b.Len() - 1)
}
