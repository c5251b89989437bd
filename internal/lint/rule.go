package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Severity grades a finding, or switches a rule off.
type Severity int

// The grades, mildest first. Never is above all of them: as a limit for failing,
// nothing reaches it.
const (
	Off Severity = iota
	Info
	Warning
	Error
	Never
)

var severityNames = []string{"off", "info", "warning", "error", "never"}

// String returns off, info, warning, error or never.
func (s Severity) String() string { return severityNames[s] }

// MarshalText encodes the severity as its name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSeverity reads what String returns. Anything else is an *OptionError.
func ParseSeverity(text string) (Severity, error) {
	i := slices.Index(severityNames, text)
	if i < 0 {
		return Off, &OptionError{Value: text, Reason: "not a severity; use " + strings.Join(severityNames, ", ")}
	}
	return Severity(i), nil
}

// Profile is a set of severities for one kind of tree.
type Profile string

// The profiles. Auto takes Catalog when index.md lies at the root, else Skills.
const (
	Auto    Profile = "auto"
	Catalog Profile = "catalog" // our own tree: one root page, help keys, embedded
	Skills  Profile = "skills"  // any folder of skills, as strict as hosts are
	Spec    Profile = "spec"    // the same, as strict as the specification's text
)

// ParseProfile reads the name of a profile. Anything else is an *OptionError.
func ParseProfile(text string) (Profile, error) {
	all := []Profile{Auto, Catalog, Skills, Spec}
	if !slices.Contains(all, Profile(text)) {
		return Auto, &OptionError{Value: text, Reason: "not a profile; use auto, catalog, skills or spec"}
	}
	return Profile(text), nil
}

// Severities are the grades of one rule in each profile.
type Severities struct {
	Catalog Severity `json:"catalog"`
	Skills  Severity `json:"skills"`
	Spec    Severity `json:"spec"`
}

// Rule is one check. Its id and slug are permanent.
type Rule struct {
	ID       string     `json:"id"`       // KL and three digits
	Slug     string     `json:"slug"`     // the id in words
	Severity Severities `json:"severity"` // where a rule has two grades, the higher one
	Fixable  bool       `json:"fixable"`  // repairing it takes no decision
	Doc      string     `json:"doc"`      // what it checks and why, one paragraph

	// link checks one link; nil for the rules that package catalog checks while
	// it reads.
	link func(*linkCase) *verdict
}

// In returns the severity of the rule in a profile other than Auto.
func (r Rule) In(p Profile) Severity {
	switch p {
	case Catalog:
		return r.Severity.Catalog
	case Spec:
		return r.Severity.Spec
	default:
		return r.Severity.Skills
	}
}

// FindRule returns the rule with this id or slug, in any letter case.
func FindRule(name string) (Rule, bool) {
	for _, r := range Rules() {
		if strings.EqualFold(r.ID, name) || strings.EqualFold(r.Slug, name) {
			return r, true
		}
	}
	return Rule{}, false
}

// OptionError says which option of a run makes no sense.
type OptionError struct {
	Value  string
	Reason string
}

// Error names the value and what is wrong with it.
func (e *OptionError) Error() string { return fmt.Sprintf("%q: %s", e.Value, e.Reason) }

func unknownRule(name string) error {
	var slugs []string
	for _, r := range Rules() {
		slugs = append(slugs, r.Slug)
	}
	reason := "no such rule"
	if near := catalog.Closest(strings.ToLower(name), slugs); near != "" {
		reason += "; did you mean " + near + "?"
	}
	return &OptionError{Value: name, Reason: reason}
}

// ofCatalog converts the severity of a problem.
func ofCatalog(s catalog.Severity) Severity {
	switch s {
	case catalog.Error:
		return Error
	case catalog.Warning:
		return Warning
	default:
		return Info
	}
}
