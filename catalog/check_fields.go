package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"
)

// Limits of the Agent Skills specification, in code points.
const (
	MaxNameLength          = 64
	MaxDescriptionLength   = 1024
	MaxCompatibilityLength = 500
)

// skillKeys are the keys the specification knows.
var skillKeys = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

// reservedWords are refused inside skill names by some hosts.
var reservedWords = []string{"anthropic", "claude"}

// reservedPrefix opens the metadata keys that belong to the protocol.
const reservedPrefix = "io.modelcontextprotocol/"

// markupTag is what reads as a tag when a host puts a description into XML.
var markupTag = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)

// checkFields runs the rules about the keys and values of the frontmatter.
// parent is the name of the directory that holds the file, "" if unknown.
func (r *report) checkFields(parent string) {
	front := r.file.Front
	if front == nil || front.Node == nil {
		return
	}
	r.checkDescription()
	if !r.file.IsSkill() {
		r.checkRecipeKeys()
		return
	}
	r.checkName(parent)
	r.checkCompatibility()
	if n := front.Field("license"); n != nil && !isText(n) {
		r.add("KL132", Warning, r.span(n), "license is not a string but "+typeOf(n), quoteHelp(n))
	}
	r.checkMetadata()
	r.checkAllowedTools()
	r.checkUnknownKeys()
	r.checkJSON()
}

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// typeOf names the type of a node with its article.
func typeOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
	}
	switch n.ShortTag() {
	case "!!str":
		return "a string"
	case "!!null":
		return "empty"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	case "!!timestamp":
		return "a date"
	}
	return "of another type"
}

// quoteHelp says how to make a string of a scalar that YAML reads otherwise.
func quoteHelp(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return ""
	}
	return fmt.Sprintf("write it in quotes: %q", n.Value)
}

// top returns a place for problems about a key that is not there.
func (r *report) top() span {
	return span{r.file.Front.Start, r.file.Front.Start}
}

func (r *report) checkName(parent string) {
	n := r.file.Front.Field("name")
	if n == nil {
		r.add("KL110", Error, r.top(), "name is missing", "add \"name: "+parent+"\"")
		return
	}
	at := r.span(n)
	if !isText(n) {
		r.add("KL111", Error, at, "name is not a string but "+typeOf(n), quoteHelp(n))
		return
	}
	r.file.name = r.related(at, n.Value)
	if length := utf8.RuneCountInString(n.Value); length == 0 || length > MaxNameLength {
		r.add("KL113", Error, at, fmt.Sprintf("name has %d characters; 1 to %d are allowed", length, MaxNameLength), "")
		if length == 0 {
			return
		}
	}
	if !r.checkNameCharacters(norm.NFKC.String(n.Value), at) {
		return
	}
	if r.skills {
		for _, word := range reservedWords {
			if strings.Contains(n.Value, word) {
				r.add("KL117", Info, at, fmt.Sprintf("name contains %q, which some hosts reserve", word), "")
			}
		}
	}
	if parent != "" && norm.NFKC.String(n.Value) != norm.NFKC.String(parent) {
		r.add("KL115", Error, at, fmt.Sprintf("name %s differs from its directory %s", quote(n.Value), quote(parent)), "make them equal")
	}
}

// checkNameCharacters returns false when the directory need not be compared: the
// repair of the characters decides what the name is.
func (r *report) checkNameCharacters(name string, at span) bool {
	help := ""
	if suggestion := kebab(name); suggestion != "" && suggestion != name {
		help = "use " + suggestion
	}
	if bad := strings.IndexFunc(name, func(c rune) bool { return !isNameRune(c) }); bad >= 0 {
		c, _ := utf8.DecodeRuneInString(name[bad:])
		r.add("KL112", Error, at, fmt.Sprintf("name holds %s; allowed are a-z, 0-9 and -", quote(string(c))), help)
		return false
	}
	if wide := strings.IndexFunc(name, func(c rune) bool { return c >= utf8.RuneSelf }); wide >= 0 {
		c, _ := utf8.DecodeRuneInString(name[wide:])
		r.add("KL116", Error, at, fmt.Sprintf("name holds %c (U+%04X), which is not one of a-z, 0-9 and -", c, c), "")
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		r.add("KL114", Error, at, "name has a hyphen at an end, or two in a row", help)
	}
	return true
}

// isNameRune accepts what the reference validator accepts: any letter that is
// not upper case, and digits. Those outside ASCII have their own rule.
func isNameRune(c rune) bool {
	if c < utf8.RuneSelf {
		return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-'
	}
	return (unicode.IsLetter(c) || unicode.IsNumber(c)) && unicode.ToLower(c) == c
}

// kebab turns a text into a name: lower case, accents away, other characters to
// hyphens.
func kebab(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsMark(c) {
			return -1
		}
		return c
	}, norm.NFKD.String(s))
	words := strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	return strings.Join(words, "-")
}

func (r *report) checkDescription() {
	n := r.file.Front.Field("description")
	if n == nil {
		if r.file.IsSkill() {
			r.add("KL120", Error, r.top(), "description is missing", "say what the skill does and when to use it")
		}
		return
	}
	at := r.span(n)
	if !isText(n) {
		r.add("KL121", Error, at, "description is not a string but "+typeOf(n), quoteHelp(n))
		return
	}
	if strings.TrimSpace(n.Value) == "" {
		r.add("KL122", Error, at, "description is empty", "say what the page does and when to use it")
		return
	}
	if over := utf8.RuneCountInString(n.Value) - MaxDescriptionLength; over > 0 {
		r.add("KL123", Error, at, fmt.Sprintf("description is %d characters over the limit of %d", over, MaxDescriptionLength), "move detail into the body")
	}
	if tag := markupTag.FindString(n.Value); tag != "" {
		r.add("KL124", Warning, at, fmt.Sprintf("description holds the tag %s; hosts put it into XML", quote(tag)), "write it without angle brackets")
	} else if strings.ContainsFunc(n.Value, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }) {
		r.add("KL124", Warning, at, "description holds a control character; hosts put it into XML", "remove it")
	}
}

func (r *report) checkCompatibility() {
	n := r.file.Front.Field("compatibility")
	if n == nil {
		return
	}
	if !isText(n) {
		r.add("KL130", Error, r.span(n), "compatibility is not a string but "+typeOf(n), quoteHelp(n))
		return
	}
	if length := utf8.RuneCountInString(n.Value); length == 0 || length > MaxCompatibilityLength {
		r.add("KL131", Error, r.span(n), fmt.Sprintf("compatibility has %d characters; 1 to %d are allowed", length, MaxCompatibilityLength), "")
	}
}

func (r *report) checkMetadata() {
	n := r.file.Front.Field("metadata")
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.add("KL133", Error, r.span(n), "metadata is not a mapping but "+typeOf(n), "write one indented \"key: value\" per line")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if !isText(key) {
			r.add("KL134", Error, r.span(key), "metadata key is not a string but "+typeOf(key), quoteHelp(key))
		}
		if !isText(value) {
			r.add("KL134", Error, r.span(value), fmt.Sprintf("metadata value of %s is not a string but %s", quote(key.Value), typeOf(value)), quoteHelp(value))
		}
		if strings.HasPrefix(key.Value, reservedPrefix) {
			r.add("KL137", Warning, r.span(key), "metadata keys under "+reservedPrefix+" belong to the protocol", "use a prefix of your own")
		}
	}
}

func (r *report) checkAllowedTools() {
	n := r.file.Front.Field("allowed-tools")
	if n == nil {
		return
	}
	if !isText(n) {
		help := quoteHelp(n)
		if items := plainItems(n); len(items) > 0 {
			help = "write allowed-tools: " + strings.Join(items, " ")
		}
		r.add("KL135", Error, r.span(n), "allowed-tools is not one string of names but "+typeOf(n), help)
	}
	if !r.skills {
		r.add("KL136", Warning, r.span(n), "allowed-tools has no effect on a served skill unless the user agrees to it", "remove it")
	}
}

// plainItems returns the items of a list if they can stand in one string:
// a space separates names except inside parentheses.
func plainItems(n *yaml.Node) []string {
	var items []string
	for _, c := range n.Content {
		outside, _, _ := strings.Cut(c.Value, "(")
		if n.Kind != yaml.SequenceNode || !isText(c) || strings.Contains(outside, " ") {
			return nil
		}
		items = append(items, c.Value)
	}
	return items
}

func (r *report) checkUnknownKeys() {
	content := r.file.Front.Node.Content
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i]
		if isText(key) && slices.Contains(skillKeys, key.Value) {
			continue
		}
		help := "put it under metadata"
		if near := Closest(strings.ReplaceAll(strings.ToLower(key.Value), "_", "-"), skillKeys); near != "" {
			help = "did you mean " + near + "?"
		}
		r.add("KL140", Error, r.span(key), fmt.Sprintf("unknown key %s; known are %s", quote(key.Value), strings.Join(skillKeys, ", ")), help)
	}
}

func (r *report) checkRecipeKeys() {
	content := r.file.Front.Node.Content
	for i := 0; i+1 < len(content); i += 2 {
		if key := content[i]; key.Value != "description" {
			r.add("KL141", Warning, r.span(key), fmt.Sprintf("key %s has no use in a recipe", quote(key.Value)), "a recipe knows only description")
		}
	}
}

// checkJSON reports what the listing of skills could not carry. It comes last:
// most such values break a rule with a better message.
func (r *report) checkJSON() {
	if r.skills || r.hasError() {
		return
	}
	_, err := r.file.Front.JSON()
	if value, ok := errors.AsType[*valueError](err); ok {
		r.add("KL706", Error, r.span(value.node), value.Error(), quoteHelp(value.node))
	}
}
