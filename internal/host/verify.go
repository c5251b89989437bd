package host

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Report is what a verification found.
type Report struct {
	Protocol string // the version that was spoken
	Skills   []SkillReport
	Faults   []Fault // of the server as a whole
}

// SkillReport is about one skill.
type SkillReport struct {
	URI     string
	Name    string
	Dynamic bool // no digests are published: nothing was verified but the frontmatter
	Files   []FileReport
	Faults  []Fault // of the entry, and what kept files from being read
}

// FileReport is about one file of a manifest.
type FileReport struct {
	catalog.ManifestEntry
	Fault *Fault // nil when the file is as the manifest says
}

// AllFaults returns every fault of the report in order.
func (r *Report) AllFaults() []Fault {
	all := slices.Clone(r.Faults)
	for _, s := range r.Skills {
		all = append(all, s.Faults...)
		for _, f := range s.Files {
			if f.Fault != nil {
				all = append(all, *f.Fault)
			}
		}
	}
	return all
}

// Verify checks the skills with these names or URIs, all that are listed when
// there are none: every file is read anew and compared with its manifest, every
// entry with its SKILL.md and with what skills/get says. What a server got wrong
// is in the report; an error means that the verification could not go on.
func (h *Host) Verify(ctx context.Context, words ...string) (*Report, error) {
	ctx, done := h.bound(ctx)
	defer done()
	entries, faults, err := h.list(ctx)
	if err != nil {
		return nil, err
	}
	v := &verification{host: h, report: &Report{Protocol: h.server.Protocol, Faults: faults}, read: map[string]reading{}}
	if err := v.listResources(ctx); err != nil {
		return nil, err
	}
	chosen, err := v.choose(ctx, entries, words)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, raw := range chosen {
		s, err := v.skill(ctx, raw)
		if err != nil {
			return nil, err
		}
		if s.URI != "" && seen[s.URI] {
			s.Faults = append(s.Faults, fault(s.URI, ReasonEntry, "the skill is listed twice"))
		}
		seen[s.URI] = true
		v.report.Skills = append(v.report.Skills, s)
	}
	return v.report, nil
}

// verification is the state of one Verify.
type verification struct {
	host   *Host
	report *Report
	served []string           // URIs that resources/list names
	read   map[string]reading // by URI: a file of a nested skill is in several manifests
	bytes  int64              // of all files read
}

// reading is what is kept of a file that was read.
type reading struct {
	size   int64
	digest string
	fault  *Fault
	front  []byte // of a SKILL.md: all of it
}

// listResources notes what the server serves, so that files a manifest leaves
// out are found. A server need not have a list of its resources.
func (v *verification) listResources(ctx context.Context) error {
	list, err := v.host.Resources(ctx)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		return nil
	case err != nil && fatal(err):
		return err
	case err != nil:
		v.report.Faults = append(v.report.Faults, fault("", ReasonResult, "%v", err))
	}
	for _, r := range list {
		if r.MIMEType != "inode/directory" {
			v.served = append(v.served, r.URI)
		}
	}
	return nil
}

// choose returns the entries that words name.
func (v *verification) choose(ctx context.Context, entries []json.RawMessage, words []string) ([]json.RawMessage, error) {
	if len(words) == 0 {
		return entries, nil
	}
	var chosen []json.RawMessage
	taken := make([]bool, len(entries)) // a name and a URI may mean the same entry
	for n, word := range words {
		if slices.Contains(words[:n], word) {
			continue
		}
		var known []string
		found := false
		for i, raw := range entries {
			s, _ := parseEntry(raw)
			if s == nil {
				continue
			}
			known = append(known, s.Name, s.URI)
			if s.Name != word && s.URI != word {
				continue
			}
			if found = true; !taken[i] {
				taken[i], chosen = true, append(chosen, raw)
			}
		}
		if found {
			continue
		}
		if !strings.Contains(word, "://") {
			return nil, &NotFoundError{Word: word, Known: known}
		}
		raw, _, err := v.host.get(ctx, word) // a skill need not be listed
		var refused *RefusedError
		switch {
		case errors.As(err, &refused):
			return nil, &NotFoundError{Word: word, Known: known}
		case err != nil:
			return nil, err
		}
		chosen = append(chosen, raw)
	}
	return chosen, nil
}

// skill verifies one entry.
func (v *verification) skill(ctx context.Context, raw json.RawMessage) (SkillReport, error) {
	s, faults := parseEntry(raw)
	r := SkillReport{Faults: faults}
	if s == nil {
		return r, nil
	}
	r.URI, r.Name, r.Dynamic = s.URI, s.Name, s.Dynamic
	if err := v.compareGet(ctx, s, &r); err != nil {
		return r, err
	}
	v.findUnlisted(s, &r)
	if slices.ContainsFunc(faults, func(f Fault) bool { return f.Reason == ReasonLimit }) {
		return r, nil // more than hosts read, and already said
	}
	return r, v.files(ctx, s, &r)
}

// compareGet asks for the entry again, alone.
func (v *verification) compareGet(ctx context.Context, s *Skill, r *SkillReport) error {
	raw, faults, err := v.host.get(ctx, s.URI)
	switch {
	case err != nil && fatal(err):
		return err
	case err != nil:
		faults = append(faults, fault(s.URI, ReasonGet, "%v", err))
	case !equalJSON(raw, s.Raw):
		faults = append(faults, fault(s.URI, ReasonGet, "skills/get gives another entry than skills/list"))
	}
	r.Faults = append(r.Faults, faults...)
	return nil
}

// findUnlisted looks for files of the skill that its manifest leaves out.
func (v *verification) findUnlisted(s *Skill, r *SkillReport) {
	if s.Dynamic || !s.wellPlaced() {
		return
	}
	for _, uri := range v.served {
		if !strings.HasPrefix(uri, s.root()) {
			continue
		}
		listed := slices.ContainsFunc(s.Resources, func(e catalog.ManifestEntry) bool { return e.URI == uri })
		if !listed && uri != s.URI {
			r.Faults = append(r.Faults, fault(uri, ReasonManifest, "the server serves it and no manifest of the skill lists it"))
		}
	}
}

// files reads and checks every file, and the SKILL.md even if no manifest has it.
func (v *verification) files(ctx context.Context, s *Skill, r *SkillReport) error {
	own := false
	for _, e := range s.Resources {
		if _, again := v.read[e.URI]; !again && v.bytes+e.Size > v.host.opts.MaxBytes {
			r.Faults = append(r.Faults, fault(s.URI, ReasonLimit, "not read any further: the files have more than %d bytes", v.host.opts.MaxBytes))
			return nil
		}
		got, err := v.file(ctx, e.URI)
		if err != nil {
			return err
		}
		f := FileReport{ManifestEntry: e, Fault: got.fault}
		if f.Fault == nil {
			f.Fault = checkFile(e, got.size, got.digest)
		}
		if e.URI == s.URI {
			own = true
			if f.Fault == nil && s.wellPlaced() {
				f.Fault = s.checkFrontmatter(got.front)
			}
		}
		r.Files = append(r.Files, f)
	}
	if own || !s.wellPlaced() {
		return nil
	}
	got, err := v.file(ctx, s.URI)
	if err != nil {
		return err
	}
	if bad := got.fault; bad != nil {
		r.Faults = append(r.Faults, *bad)
	} else if bad := s.checkFrontmatter(got.front); bad != nil {
		r.Faults = append(r.Faults, *bad)
	}
	return nil
}

// file reads a file once.
func (v *verification) file(ctx context.Context, uri string) (reading, error) {
	if got, ok := v.read[uri]; ok {
		return got, nil
	}
	var got reading
	f, err := v.host.fetch(ctx, uri)
	var bad *Fault
	switch {
	case errors.As(err, &bad):
		got.fault = bad
	case err != nil && fatal(err):
		return got, err
	case err != nil:
		bad := fault(uri, ReasonRead, "%v", err)
		got.fault = &bad
	default:
		got.size, got.digest = int64(len(f.Data)), catalog.DigestBytes(f.Data)
		if strings.HasSuffix(uri, "/"+catalog.SkillFile) {
			got.front = f.Data
		}
		v.bytes += got.size
	}
	v.read[uri] = got
	return got, nil
}
