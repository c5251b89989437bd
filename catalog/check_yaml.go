package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// checkSection finds and parses the frontmatter. The YAML is parsed only if the
// bytes are clean and no line of the block could pass for a delimiter.
func (r *report) checkSection(clean bool) {
	f := r.file
	switch {
	case !f.Section.HasBlock:
		r.checkOpening()
	case !f.Section.Closed:
		r.checkUnclosed()
	case !r.checkDelimiters(f.Section.Start, f.Section.End) && clean:
		r.parseBlock()
	}
}

// checkOpening reports a SKILL.md that does not begin with frontmatter, and any
// file whose first line was meant to open it.
func (r *report) checkOpening() {
	raw := r.file.Raw
	mark := len(raw) - len(bytes.TrimPrefix(raw, byteOrderMark))
	line := firstLine(raw[mark:])
	at := span{mark, mark + len(line)}
	switch kind := nearDelimiter(line); {
	case kind == blanksBehind || kind == commentBehind || kind == moreHyphens && r.file.IsSkill():
		r.nearMiss(at, kind)
		return
	case !r.file.IsSkill():
		return
	}
	message, help := "SKILL.md does not begin with frontmatter", "begin the file with a line of three hyphens"
	trimmed := bytes.TrimLeft(raw[mark:], " \t\r\n")
	comment := bytes.HasPrefix(trimmed, []byte("<!--"))
	if comment {
		_, rest, _ := bytes.Cut(trimmed, []byte("-->"))
		trimmed = bytes.TrimLeft(rest, " \t\r\n")
	}
	if bytes.HasPrefix(trimmed, []byte("---")) {
		opener := len(raw) - len(trimmed)
		at = span{opener, opener + 3}
		message = "blank lines stand before the frontmatter; it must be the first bytes of the file"
		if comment {
			message = "a comment stands before the frontmatter; it must be the first bytes of the file"
		}
		help = "move the frontmatter up"
	}
	r.add("KL100", Error, at, message, help)
}

func (r *report) checkUnclosed() {
	s := r.file.Section
	if r.checkDelimiters(s.Start, s.End) {
		return
	}
	last, _ := Position(r.file.Raw, len(bytes.TrimRight(r.file.Raw, "\r\n")))
	open := s.Start - len(bytes.TrimLeft(r.file.Raw[:s.Start], "\uFEFF"))
	r.add("KL101", Error, span{open, open + 3}, fmt.Sprintf("frontmatter that opens here is never closed (searched to line %d)", last), "add a line of three hyphens below the last key")
}

// checkDelimiters looks for lines in raw[from:to] that a reader takes for a
// delimiter or YAML takes for the end of a document.
func (r *report) checkDelimiters(from, to int) (found bool) {
	for at := from; at < to; {
		line := r.file.Raw[at:to]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n+1]
		}
		text := bytes.TrimRight(line, "\r\n")
		here := span{at, at + len(text)}
		switch kind := nearDelimiter(text); {
		case kind == documentStart, isDocumentEnd(text):
			r.add("KL106", Error, here, "a second YAML document begins here; frontmatter is one document", "remove the line")
			return true
		case kind != noDelimiter:
			r.nearMiss(here, kind)
			return true
		}
		at += len(line)
	}
	return false
}

// near tells how a line resembles a delimiter without being one.
type near int

const (
	noDelimiter   near = iota
	blanksBehind       // "---  "
	moreHyphens        // "-----"
	commentBehind      // "--- # x"
	documentStart      // "--- x"
)

func nearDelimiter(line []byte) near {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	if !ok || len(rest) == 0 {
		return noDelimiter
	}
	trimmed := bytes.Trim(rest, " \t")
	switch {
	case len(trimmed) == 0:
		return blanksBehind
	case len(bytes.Trim(trimmed, "-")) == 0 && rest[0] == '-':
		return moreHyphens
	case trimmed[0] == '#':
		return commentBehind
	case rest[0] == ' ' || rest[0] == '\t':
		return documentStart
	}
	return noDelimiter
}

func isDocumentEnd(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("..."))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t')
}

func (r *report) nearMiss(at span, kind near) {
	what := map[near]string{blanksBehind: "blanks behind it", moreHyphens: "more than three hyphens", commentBehind: "a comment behind it"}
	r.add("KL102", Error, at, "not a delimiter: "+what[kind]+"; a delimiter is a whole line of exactly three hyphens", "make the line ---")
}

func firstLine(raw []byte) []byte {
	if n := bytes.IndexByte(raw, '\n'); n >= 0 {
		raw = raw[:n]
	}
	return bytes.TrimSuffix(raw, []byte("\r"))
}

// parseBlock parses the YAML and checks its shape. The limit on bytes comes
// first: it bounds what a hostile block can cost the parser (40 ms measured).
func (r *report) parseBlock() {
	front := r.file.Front
	if n := len(front.Block); n > MaxFrontmatterBytes {
		r.add("KL108", Error, span{front.Start, front.Start + 1}, fmt.Sprintf("frontmatter has %d bytes, the limit is %d", n, MaxFrontmatterBytes), "move text into the body")
		return
	}
	if bytes.HasPrefix(front.Block, []byte("%")) {
		r.add("KL103", Error, span{front.Start, front.Start + 1}, "YAML directives are not allowed", "remove the line")
		return
	}
	root, err := parseFrontmatter(front.Block)
	if err != nil {
		r.yamlError(err)
		return
	}
	if root == nil { // nothing but comments
		front.Node = &yaml.Node{Kind: yaml.MappingNode, Line: 1, Column: 1}
		return
	}
	if r.checkNodes(root, 1, false) && root.Kind != yaml.MappingNode {
		r.add("KL104", Error, r.span(root), "frontmatter is not a mapping", "write one \"key: value\" per line")
		return
	}
	if !r.hasYAMLError() {
		front.Node = root
	}
}

func (r *report) hasYAMLError() bool {
	for _, p := range r.problems {
		if "KL103" <= p.Rule && p.Rule <= "KL108" {
			return true
		}
	}
	return false
}

// checkNodes reports what YAML allows and frontmatter does not. It returns false
// when it stopped because of the depth. inFlow: brackets around n were reported.
func (r *report) checkNodes(n *yaml.Node, depth int, inFlow bool) bool {
	if depth > MaxFrontmatterDepth && len(n.Content) > 0 {
		r.add("KL108", Error, r.span(n), fmt.Sprintf("nested more than %d levels deep", MaxFrontmatterDepth), "")
		return false
	}
	switch {
	case n.Kind == yaml.AliasNode:
		r.add("KL107", Error, r.span(n), "alias; references are not resolved", valueHelp('*'))
		return true
	case n.Anchor != "":
		r.add("KL107", Error, r.span(n), "anchor; references are not resolved", valueHelp('&'))
	case n.Style&yaml.TaggedStyle != 0:
		r.add("KL107", Error, r.span(n), "tag; types are not declared", valueHelp('!'))
	}
	if n.Style&yaml.FlowStyle != 0 && n.Kind != yaml.ScalarNode && !inFlow {
		inFlow = true
		r.add("KL109", Warning, r.span(n), "list or mapping in brackets; some readers of skills cannot parse it", "write one item per line")
	}
	if n.Kind == yaml.MappingNode {
		r.checkKeys(n)
	}
	for _, c := range n.Content {
		if !r.checkNodes(c, depth+1, inFlow) {
			return false
		}
	}
	return true
}

// checkKeys compares the keys of one mapping: the parser accepts duplicates when
// it loads a node tree.
func (r *report) checkKeys(n *yaml.Node) {
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.ShortTag() == "!!merge" {
			r.add("KL107", Error, r.span(key), "merge key; references are not resolved", "write the keys out")
		}
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if earlier, ok := first[key.Value]; ok {
			p := r.add("KL105", Error, r.span(key), fmt.Sprintf("key %s is set twice", quote(key.Value)), "keep one")
			p.Related = []Related{r.related(r.span(earlier), "first set here")}
			continue
		}
		first[key.Value] = key
	}
}

// yamlError places a parser's error in the file and says how to mend the usual
// causes.
func (r *report) yamlError(err error) {
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		r.add("KL103", Error, span{r.file.Front.Start, r.file.Front.Start}, "cannot be parsed as YAML", "")
		return
	}
	mark := load.Mark
	message := load.Message
	if strings.Contains(load.ContextMsg, "quoted scalar") && strings.Contains(message, "end of stream") {
		mark, message = load.ContextMark, "the quote that opens here is never closed"
	}
	at := r.file.Front.offset(mark.Line, mark.Column)
	rule := "KL103"
	if strings.Contains(message, "unknown anchor") {
		rule, message = "KL107", "alias; references are not resolved"
	}
	help, better := r.yamlHelp(at, message)
	if better != "" {
		message = better
	}
	r.add(rule, Error, span{at, min(at+1, r.file.Section.End)}, message, help)
}

// yamlHelp explains the mistakes people make, judged by the line that the parser
// stopped in.
func (r *report) yamlHelp(at int, message string) (help, better string) {
	raw := r.file.Raw
	start := bytes.LastIndexByte(raw[:at], '\n') + 1
	line := firstLine(raw[start:r.file.Section.End])
	key, value, isPair := strings.Cut(string(line), ":")
	value = strings.TrimSpace(value)
	switch {
	case bytes.IndexByte(line[:len(line)-len(bytes.TrimLeft(line, " \t"))], '\t') >= 0:
		return "indent with spaces", "a tab cannot indent YAML"
	case isPair && value != "" && strings.IndexByte("@%`", value[0]) >= 0:
		return valueHelp(value[0]), fmt.Sprintf("an unquoted value cannot begin with %c", value[0])
	case isPair && value != "" && strings.IndexByte("*&!", value[0]) >= 0:
		return valueHelp(value[0]), ""
	case isPair && value != "" && (value[0] == '"' || value[0] == '\'') && !strings.Contains(message, "never closed"):
		return "double the quote inside the value, or use the other kind around it", "text follows a quoted value"
	case strings.Contains(message, "mapping values are not allowed"):
		if strings.TrimLeft(key, " ") != key && !strings.Contains(value, ": ") {
			return "give all keys of a mapping the same indentation", "a key is indented where no mapping can begin"
		}
		return "put the whole value in quotes", "an unquoted value cannot hold \": \""
	case strings.Contains(message, "could not find expected ':'"):
		return "write \"key: value\", and indent the lines that go on with a value", ""
	}
	return "", ""
}

func valueHelp(c byte) string {
	return fmt.Sprintf("put a value that begins with %c in quotes", c)
}

// span returns where a node is written. The tree has no ends: a plain or quoted
// scalar of one line is measured, anything else ends with its first line.
func (r *report) span(n *yaml.Node) span {
	front := r.file.Front
	at := front.offset(n.Line, n.Column)
	rest := firstLine(r.file.Raw[at : front.Start+len(front.Block)])
	end := at + len(bytes.TrimRight(rest, " \t"))
	switch {
	case n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
	case bytes.HasPrefix(rest, []byte(n.Value)):
		end = at + len(n.Value)
	case len(rest) > 1 && (rest[0] == '"' || rest[0] == '\''):
		if i := bytes.IndexByte(rest[1:], rest[0]); i >= 0 {
			end = at + i + 2
		}
	}
	return span{at, end}
}

// offset converts the parser's line and column, which count from the block, to
// an offset in the file. YAML also breaks lines at U+2028 and U+2029.
func (f *Frontmatter) offset(line, column int) int {
	at := 0
	for ; line > 1 && at < len(f.Block); line-- {
		n := bytes.IndexAny(f.Block[at:], "\n\u2028\u2029")
		if n < 0 {
			at = len(f.Block)
			break
		}
		_, size := utf8.DecodeRune(f.Block[at+n:])
		at += n + size
	}
	for ; column > 1 && at < len(f.Block) && f.Block[at] != '\n'; column-- {
		_, size := utf8.DecodeRune(f.Block[at:])
		at += size
	}
	return f.Start + at
}
