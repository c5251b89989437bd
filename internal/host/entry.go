package host

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Limits that every host must support and none must exceed, per skill.
const (
	maxFiles      = 512
	maxSkillBytes = 16 << 20
	maxURIBytes   = 2048
)

// isDigest reports whether s is sha256: and 64 lowercase hex digits.
func isDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 2*sha256.Size && strings.Trim(hex, "0123456789abcdef") == ""
}

// isName reports whether s is a-z, 0-9 and single hyphens between them.
func isName(s string) bool {
	for word := range strings.SplitSeq(s, "-") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

// isScheme reports whether s can stand before :// in a URI.
func isScheme(s string) bool {
	letter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
	for i := range len(s) {
		if c := s[i]; !letter(c) && (i == 0 || strings.IndexByte("0123456789+.-", c) < 0) {
			return false
		}
	}
	return s != ""
}

// Skill is one entry of skills/list or skills/get.
type Skill struct {
	URI         string
	Name        string
	Description string
	Frontmatter json.RawMessage
	Resources   catalog.Manifest
	Dynamic     bool            // the server publishes no digests: nothing can be verified
	Raw         json.RawMessage // the entry as it was sent
}

// root is what every file of the skill begins with.
func (s *Skill) root() string { return strings.TrimSuffix(s.URI, catalog.SkillFile) }

// wellPlaced reports whether the URI is one of a SKILL.md at all.
func (s *Skill) wellPlaced() bool {
	return badURI(s.URI) == "" && strings.HasSuffix(s.URI, "/"+catalog.SkillFile)
}

// parseEntry reads an entry and checks all that can be checked without reading
// files. The skill is nil when the entry does not even have a URI.
func parseEntry(raw json.RawMessage) (*Skill, []Fault) {
	members, err := object(raw)
	if err != nil {
		return nil, []Fault{fault("", ReasonEntry, "an entry is not an object")}
	}
	s := &Skill{Raw: raw, Resources: catalog.Manifest{}}
	if s.URI, err = text(members["uri"]); err != nil {
		return nil, []Fault{fault("", ReasonEntry, "the uri of an entry is %v", err)}
	}
	faults := s.readFrontmatter(members["frontmatter"])
	faults = append(faults, s.checkURI()...)
	return s, append(faults, s.readResources(members["resources"])...)
}

// readFrontmatter takes the name and description out of the frontmatter.
func (s *Skill) readFrontmatter(raw json.RawMessage) []Fault {
	members, err := object(raw)
	if err != nil {
		return []Fault{fault(s.URI, ReasonEntry, "frontmatter is %v", err)}
	}
	s.Frontmatter = raw
	var faults []Fault
	if s.Name, err = text(members["name"]); err != nil {
		faults = append(faults, fault(s.URI, ReasonName, "the frontmatter's name is %v", err))
	} else if utf8.RuneCountInString(s.Name) > catalog.MaxNameLength || !isName(s.Name) {
		faults = append(faults, fault(s.URI, ReasonName, "%q is no name of a skill: a-z, 0-9 and single hyphens between them, at most %d", clip(s.Name), catalog.MaxNameLength))
	}
	if s.Description, err = text(members["description"]); err != nil {
		faults = append(faults, fault(s.URI, ReasonEntry, "the frontmatter's description is %v", err))
	} else if n := utf8.RuneCountInString(s.Description); strings.TrimSpace(s.Description) == "" || n > catalog.MaxDescriptionLength {
		faults = append(faults, fault(s.URI, ReasonEntry, "the description has %d characters; 1 to %d are allowed", n, catalog.MaxDescriptionLength))
	}
	return faults
}

// checkURI compares the place of the skill with its name.
func (s *Skill) checkURI() []Fault {
	if reason := badURI(s.URI); reason != "" {
		return []Fault{fault(s.URI, ReasonURI, "not the URI of a skill: %s", reason)}
	}
	folder, ok := strings.CutSuffix(s.URI, "/"+catalog.SkillFile)
	last := folder[strings.LastIndexByte(folder, '/')+1:]
	switch {
	case !ok || last == "":
		return []Fault{fault(s.URI, ReasonURI, "the URI of a skill ends in FOLDER/%s", catalog.SkillFile)}
	case last != s.Name:
		return []Fault{fault(s.URI, ReasonName, "the folder is %q and the name is %q; they must be equal", clip(last), clip(s.Name))}
	}
	return nil
}

// badURI says what is wrong with the URI of a file, "" when nothing is. URIs are
// compared as they are written, so every form but the plain one is refused.
func badURI(uri string) string {
	if len(uri) > maxURIBytes {
		return fmt.Sprintf("it has more than %d bytes", maxURIBytes)
	}
	scheme, path, ok := strings.Cut(uri, "://")
	if !ok || !isScheme(scheme) {
		return "it does not begin with a scheme and ://"
	}
	if strings.ContainsAny(path, `?#\`) {
		return "it has a query, a fragment or a backslash"
	}
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "it has a blank or a control character"
	}
	if _, err := url.Parse(uri); err != nil {
		return "it cannot be parsed"
	}
	segments := strings.Split(path, "/")
	if len(segments) < 2 {
		return "it names no file"
	}
	for i, segment := range segments {
		if segment == "." || segment == ".." || segment == "" && i > 0 {
			return "it has an empty segment, . or .."
		}
	}
	return ""
}

// readResources reads the manifest and checks that it can be one.
func (s *Skill) readResources(raw json.RawMessage) []Fault {
	if word, err := text(raw); err == nil && word == "dynamic" {
		s.Dynamic = true
		return nil
	}
	list, ok := items(raw)
	if !ok {
		return []Fault{fault(s.URI, ReasonEntry, `resources is neither a list nor "dynamic"`)}
	}
	var faults []Fault
	seen := map[string]bool{}
	total := int64(0)
	for _, item := range list {
		e, itemFaults := s.readResource(item)
		faults = append(faults, itemFaults...)
		if e.URI == "" {
			continue
		}
		if seen[e.URI] {
			faults = append(faults, fault(e.URI, ReasonManifest, "the manifest lists it twice"))
			continue
		}
		seen[e.URI] = true
		total += e.Size
		s.Resources = append(s.Resources, e)
	}
	if !seen[s.URI] {
		faults = append(faults, fault(s.URI, ReasonManifest, "the manifest leaves out %s itself", catalog.SkillFile))
	}
	switch {
	case len(list) > maxFiles:
		faults = append(faults, fault(s.URI, ReasonLimit, "the manifest lists %d files; hosts need not read more than %d", len(list), maxFiles))
	case total > maxSkillBytes:
		faults = append(faults, fault(s.URI, ReasonLimit, "the files have %d bytes; hosts need not read more than %d", total, maxSkillBytes))
	}
	return faults
}

func (s *Skill) readResource(raw json.RawMessage) (catalog.ManifestEntry, []Fault) {
	var e catalog.ManifestEntry
	members, err := object(raw)
	if err != nil {
		return e, []Fault{fault(s.URI, ReasonEntry, "an item of resources is %v", err)}
	}
	if e.URI, err = text(members["uri"]); err != nil {
		return e, []Fault{fault(s.URI, ReasonEntry, "the uri of a listed file is %v", err)}
	}
	var faults []Fault
	if reason := badURI(e.URI); reason != "" {
		faults = append(faults, fault(e.URI, ReasonURI, "not the URI of a file: %s", reason))
	} else if !strings.HasPrefix(e.URI, s.root()) {
		faults = append(faults, fault(e.URI, ReasonURI, "it is outside of the skill %s", clip(s.URI)))
	}
	if e.Digest, err = text(members["digest"]); err != nil {
		faults = append(faults, fault(e.URI, ReasonDigest, "its digest is %v", err))
	} else if !isDigest(e.Digest) {
		faults = append(faults, fault(e.URI, ReasonDigest, "its digest %q is not sha256: and 64 lowercase hex digits", clip(e.Digest)))
	}
	if e.Size, err = size(members["size"]); err != nil {
		faults = append(faults, fault(e.URI, ReasonSize, "its size is %v", err))
	}
	return e, faults
}

// object reads the members of a JSON object. Unlike a struct, a map does not
// take "URI" for "uri".
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, kindError{raw, "an object"}
	}
	return members, nil
}

func items(raw json.RawMessage) (list []json.RawMessage, ok bool) {
	err := json.Unmarshal(raw, &list)
	return list, err == nil && list != nil
}

func text(raw json.RawMessage) (string, error) {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		return "", kindError{raw, "a string"}
	}
	return *s, nil
}

func size(raw json.RawMessage) (int64, error) {
	const exact = 1 << 53 // beyond it, readers disagree about the number
	var n *float64
	if err := json.Unmarshal(raw, &n); err != nil || n == nil || *n < 0 || *n > exact || *n != math.Trunc(*n) {
		return 0, kindError{raw, "a number of bytes"}
	}
	return int64(*n), nil
}

// kindError says that a JSON value is of another kind than it must be.
type kindError struct {
	raw  json.RawMessage
	want string
}

func (e kindError) Error() string {
	if len(e.raw) == 0 {
		return "missing"
	}
	return "not " + e.want
}

// equalJSON compares two JSON values by content: the order of members and the
// way a number is written do not count.
func equalJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// checkFrontmatter compares an entry with the SKILL.md that was read for it.
func (s *Skill) checkFrontmatter(raw []byte) *Fault {
	front, err := catalog.ReadFrontmatter(raw)
	if err != nil {
		f := fault(s.URI, ReasonFrontmatter, "the file's frontmatter cannot be read: %v", err)
		return &f
	}
	fields, err := front.JSON()
	if err != nil {
		f := fault(s.URI, ReasonFrontmatter, "the file's frontmatter cannot be compared: %v", err)
		return &f
	}
	if !equalJSON(fields, s.Frontmatter) {
		f := fault(s.URI, ReasonFrontmatter, "the entry's frontmatter differs from the file's")
		return &f
	}
	return nil
}

// checkFile compares what was read with what the manifest promised.
func checkFile(e catalog.ManifestEntry, length int64, digest string) *Fault {
	var f Fault
	switch {
	case length != e.Size:
		f = fault(e.URI, ReasonSize, "it has %d bytes and the manifest says %d", length, e.Size)
	case digest != e.Digest:
		f = fault(e.URI, ReasonDigest, "its digest is %s and the manifest says another", digest)
	default:
		return nil
	}
	return &f
}
