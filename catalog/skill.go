package catalog

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// SkillFile is the file name that makes a directory a skill.
const SkillFile = "SKILL.md"

// Skill is one SKILL.md with its files. Its JSON form is an entry of
// skills/list.
type Skill struct {
	URI         string          `json:"uri"`
	Frontmatter json.RawMessage `json:"frontmatter"` // the complete YAML as a JSON object
	Resources   Manifest        `json:"resources"`
	Name        string          `json:"-"`
	Description string          `json:"-"`
	Key         Key             `json:"-"`
}

// newSkills makes the entries of all SKILL.md files, sorted by URI. A file below
// a nested skill belongs to that skill and to every one that encloses it.
func newSkills(resources []*Resource, fronts map[string]*Frontmatter) ([]*Skill, error) {
	var skills []*Skill
	for _, r := range resources {
		dir, file := path.Split(r.Path)
		if file != SkillFile {
			continue
		}
		front := fronts[r.Path]
		fields, err := front.JSON()
		if err != nil {
			return nil, err
		}
		s := &Skill{
			URI: r.URI, Frontmatter: fields, Resources: Manifest{},
			Name: front.Text("name"), Description: front.Text("description"),
			Key: Key{path: strings.TrimSuffix(dir, "/")},
		}
		for _, other := range resources {
			if strings.HasPrefix(other.Path, dir) {
				s.Resources = append(s.Resources, ManifestEntry{URI: other.URI, Digest: other.Digest, Size: other.Size})
			}
		}
		skills = append(skills, s)
	}
	slices.SortFunc(skills, func(a, b *Skill) int { return strings.Compare(a.URI, b.URI) })
	return skills, nil
}
