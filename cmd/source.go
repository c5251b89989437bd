package cmd

import (
	"context"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kite-mcp/kite-mcp/catalog"
	"github.com/kite-mcp/kite-mcp/internal/host"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/tools"
	"github.com/kite-mcp/kite-mcp/server"
)

// skillSource is where skills come from: this program's catalog, or another
// server.
type skillSource interface {
	// list returns every skill in order.
	list(ctx context.Context) ([]skillEntry, error)
	// get finds one skill by its name or the URI of its SKILL.md.
	get(ctx context.Context, word string) (skillEntry, error)
	// read returns the bytes of a file that a manifest lists.
	read(ctx context.Context, uri string) (contents, error)
	// verify checks the skills with these names or URIs, all without any.
	verify(ctx context.Context, words []string) (verification, error)
	io.Closer
}

// skillEntry is one skill, whoever serves it.
type skillEntry struct {
	uri, name, description string
	page                   string // its help key, "" in another server
	files                  catalog.Manifest
	dynamic                bool // no digests are published
	object                 any  // the entry as JSON
}

// verification is the outcome of skills verify.
type verification struct {
	verdicts  []verdict
	protocols []string // MCP versions in which the skills were read
	remote    bool
}

// skills returns the source that the command line asks for. The caller closes it.
func (a *App) skills(ctx context.Context, era host.Era) (skillSource, error) {
	if !a.remote() {
		return catalogSkills{a}, nil
	}
	h, err := a.connect(ctx, host.Options{Era: era})
	if err != nil {
		return nil, err
	}
	return serverSkills{app: a, host: h}, nil
}

// catalogSkills are the skills of this program.
type catalogSkills struct{ app *App }

func (catalogSkills) Close() error { return nil }

func (c catalogSkills) list(context.Context) ([]skillEntry, error) {
	pages, err := c.app.catalog()
	if err != nil {
		return nil, err
	}
	var out []skillEntry
	for _, s := range pages.Skills() {
		out = append(out, entryOf(s))
	}
	return out, nil
}

func entryOf(s *catalog.Skill) skillEntry {
	return skillEntry{uri: s.URI, name: s.Name, description: s.Description, page: s.Key.String(), files: s.Resources, object: s}
}

func (c catalogSkills) get(_ context.Context, word string) (skillEntry, error) {
	s, err := c.app.findSkill(word)
	if err != nil {
		return skillEntry{}, err
	}
	return entryOf(s), nil
}

func (c catalogSkills) read(_ context.Context, uri string) (contents, error) {
	pages, err := c.app.catalog()
	if err != nil {
		return contents{}, err
	}
	r := pages.Resource(uri)
	if r == nil {
		var known []string
		for _, r := range pages.Resources() {
			known = append(known, r.URI)
		}
		p := &problem{Code: string(tools.CodeNotFound), Message: "no file " + quoted(uri), Hint: "kite-mcp manifest lists the files"}
		return contents{}, p.guess(uri, known)
	}
	return newContents(uri, "text/markdown", r.Raw), nil
}

// verify hashes the files again, then reads all of them from a server of our own
// in both eras, as a strict host would.
func (c catalogSkills) verify(ctx context.Context, words []string) (verification, error) {
	verdicts, err := c.hash(words)
	if err != nil {
		return verification{}, err
	}
	v := verification{verdicts: verdicts}
	for _, era := range []host.Era{host.Modern, host.Legacy} {
		report, err := c.app.verifyServed(ctx, era, words)
		if err != nil {
			return verification{}, err
		}
		v.protocols = append(v.protocols, report.Protocol)
		for _, f := range report.AllFaults() {
			v.verdicts = append(v.verdicts, verdict{URI: f.URI, Reason: string(f.Reason), Problem: "over MCP " + report.Protocol + ": " + f.Detail})
		}
	}
	return v, nil
}

// verifyServed starts a server of our own in this process and verifies what it
// serves. It needs no account.
func (a *App) verifyServed(ctx context.Context, era host.Era, words []string) (*host.Report, error) {
	pages, err := a.catalog()
	if err != nil {
		return nil, err
	}
	reg, err := a.allTools()
	if err != nil {
		return nil, err
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	log := a.log(cfg)
	srv, err := server.New(server.Options{
		Registry: reg, Version: a.build().Version, Clock: a.proc.Now, Log: log,
		Env: &tools.Env{Kite: kite.None("not needed"), Catalog: pages, Now: a.proc.Now, Log: log, Server: a.identity()},
	})
	if err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Stdio(ctx, theirs, theirs) // it ends when we hang up
	}()
	defer func() {
		_ = theirs.Close()
		<-ended
	}()
	h, err := host.Dial(ctx, host.Target{Conn: ours}, host.Options{Era: era, Version: a.build().Version, Log: log})
	if err != nil {
		return nil, err
	}
	defer closing(h)
	return h.Verify(ctx, words...)
}

// serverSkills are the skills of another server, verified as they are read.
type serverSkills struct {
	app  *App
	host *host.Host
}

func (s serverSkills) Close() error { return s.host.Close() }

func (s serverSkills) list(ctx context.Context) ([]skillEntry, error) {
	l, err := s.app.listing(ctx, s.host)
	if err != nil {
		return nil, err
	}
	var out []skillEntry
	for _, skill := range l.Skills {
		out = append(out, remoteEntry(skill))
	}
	return out, nil
}

// listing lists the skills of a server and tells which were left out, and why.
func (a *App) listing(ctx context.Context, h *host.Host) (*host.Listing, error) {
	l, err := h.Skills(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range l.Faults {
		a.note("note: %s", f.Error())
	}
	if len(l.Faults) > 0 {
		a.note("What breaks a rule is left out; kite-mcp skills verify says more.")
	}
	return l, nil
}

func remoteEntry(s *host.Skill) skillEntry {
	return skillEntry{uri: s.URI, name: s.Name, description: s.Description, files: s.Resources, dynamic: s.Dynamic, object: s.Raw}
}

func (s serverSkills) get(ctx context.Context, word string) (skillEntry, error) {
	if !strings.Contains(word, "://") {
		uri, err := s.find(ctx, word)
		if err != nil {
			return skillEntry{}, err
		}
		word = uri
	}
	skill, err := s.host.Skill(ctx, word)
	if err != nil {
		return skillEntry{}, err
	}
	return remoteEntry(skill), nil
}

// find returns the URI of the one skill of that name; names need not be unique.
func (s serverSkills) find(ctx context.Context, name string) (string, error) {
	l, err := s.app.listing(ctx, s.host)
	if err != nil {
		return "", err
	}
	var uris, known []string
	for _, skill := range l.Skills {
		known = append(known, skill.Name)
		if skill.Name == name {
			uris = append(uris, skill.URI)
		}
	}
	switch len(uris) {
	case 0:
		return "", &host.NotFoundError{Word: name, Known: known}
	case 1:
		return uris[0], nil
	default:
		return "", usage(strconv.Itoa(len(uris))+" skills have the name "+quoted(name), "use a URI: "+strings.Join(uris, ", "))
	}
}

func (s serverSkills) read(ctx context.Context, uri string) (contents, error) {
	if !s.host.Server().Skills {
		return contents{}, host.ErrNoSkills
	}
	f, err := s.host.Read(ctx, uri)
	if err != nil {
		return contents{}, err
	}
	if !f.Verified {
		s.app.note("note: the server publishes no digest of %s; it was not verified", uri)
	}
	return newContents(uri, f.MIMEType, f.Data), nil
}

func (s serverSkills) verify(ctx context.Context, words []string) (verification, error) {
	report, err := s.host.Verify(ctx, words...)
	if err != nil {
		return verification{}, err
	}
	v := verification{protocols: []string{report.Protocol}, remote: true, verdicts: []verdict{}}
	v.addFaults(report.Faults)
	seen := map[verdict]bool{} // the same file, in an enclosing skill
	for _, skill := range report.Skills {
		if skill.Dynamic {
			v.verdicts = append(v.verdicts, verdict{URI: skill.URI, OK: true, Dynamic: true})
		}
		v.addFaults(skill.Faults)
		for _, f := range skill.Files {
			row := verdict{URI: f.URI, OK: f.Fault == nil, Size: f.Size, Digest: f.Digest}
			if f.Fault != nil {
				row.Reason, row.Problem = string(f.Fault.Reason), f.Fault.Detail
			}
			if !seen[row] {
				seen[row] = true
				v.verdicts = append(v.verdicts, row)
			}
		}
	}
	return v, nil
}

func (v *verification) addFaults(faults []host.Fault) {
	for _, f := range faults {
		v.verdicts = append(v.verdicts, verdict{URI: f.URI, Reason: string(f.Reason), Problem: f.Detail})
	}
}

// contents is the result of resources/read: text, or bytes that are none.
type contents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text,omitempty"`
	Blob     []byte  `json:"blob,omitempty"`

	raw []byte
}

func newContents(uri, mimeType string, raw []byte) contents {
	c := contents{URI: uri, MIMEType: mimeType, raw: raw}
	if utf8.Valid(raw) {
		text := string(raw)
		c.Text = &text
	} else {
		c.Blob = raw
	}
	return c
}

// manifestOf collects the manifests of skills, each file once, in order of URI.
func manifestOf(skills []skillEntry) catalog.Manifest {
	all := catalog.Manifest{}
	for _, s := range skills {
		all = append(all, s.files...)
	}
	slices.SortFunc(all, func(a, b catalog.ManifestEntry) int { return strings.Compare(a.URI, b.URI) })
	return slices.Compact(all)
}
