package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// The methods of the Skills extension.
const (
	listMethod = "skills/list"
	getMethod  = "skills/get"
)

type listParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

type getParams struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

// rawResult keeps a result as it was sent: what is to be verified must not pass
// through a decoder that mends it.
type rawResult struct {
	mcp.ResultBase
	raw json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *rawResult) UnmarshalJSON(b []byte) error {
	r.raw = bytes.Clone(b)
	return nil
}

// Listing is what skills/list gave, over all its pages.
type Listing struct {
	Skills []*Skill // in the server's order; entries with a fault are left out
	Faults []Fault  // why, and what was wrong with the answers
}

// Skills lists the skills of the server. No file is read. It returns ErrNoSkills
// when the server does not declare the extension.
func (h *Host) Skills(ctx context.Context) (*Listing, error) {
	ctx, done := h.bound(ctx)
	defer done()
	entries, faults, err := h.list(ctx)
	if err != nil {
		return nil, err
	}
	l := &Listing{Faults: faults}
	for _, raw := range entries {
		s, found := parseEntry(raw)
		if l.Faults = append(l.Faults, found...); len(found) == 0 {
			l.Skills = append(l.Skills, s)
		}
	}
	h.mu.Lock()
	h.held, h.listing = slices.Clone(l.Skills), true
	h.mu.Unlock()
	return l, nil
}

// list reads every page of skills/list, up to the limit.
func (h *Host) list(ctx context.Context) (entries []json.RawMessage, faults []Fault, err error) {
	if !h.server.Skills {
		return nil, nil, ErrNoSkills
	}
	if !h.server.resources {
		faults = append(faults, fault("", ReasonServer, "the server declares Skills without resources"))
	}
	cursor := ""
	cursors := map[string]bool{}
	for {
		r, err := mcp.CallCustomMethod[*listParams, *rawResult](ctx, h.session, listMethod, &listParams{Cursor: cursor})
		if err != nil {
			return nil, nil, h.explain(ctx, "list the skills", err)
		}
		members, err := object(r.raw)
		if err != nil {
			return nil, nil, h.explain(ctx, "list the skills", fmt.Errorf("the answer is %w", err))
		}
		faults = append(faults, h.checkEnvelope(listMethod, members)...)
		page, ok := items(members["skills"])
		if !ok {
			return nil, append(faults, fault("", ReasonResult, "%s: skills is not a list", listMethod)), nil
		}
		entries = append(entries, page...)
		next, _ := text(members["nextCursor"]) // absent on the last page
		switch {
		case len(entries) > h.opts.MaxSkills || next != "" && len(entries) == h.opts.MaxSkills:
			entries = entries[:h.opts.MaxSkills]
			return entries, append(faults, fault("", ReasonLimit, "the server lists more than %d skills; only the first %d were looked at", h.opts.MaxSkills, h.opts.MaxSkills)), nil
		case next == "":
			return entries, faults, nil
		case cursors[next] || len(page) == 0:
			return entries, append(faults, fault("", ReasonResult, "%s: its pages do not come to an end", listMethod)), nil
		}
		cursors[next], cursor = true, next
	}
}

// checkEnvelope checks the members that a modern result must have.
func (h *Host) checkEnvelope(method string, members map[string]json.RawMessage) []Fault {
	if !h.modern() {
		return nil
	}
	var faults []Fault
	if kind, err := text(members["resultType"]); err != nil || kind != "complete" {
		faults = append(faults, fault("", ReasonResult, `%s: resultType is not "complete"`, method))
	}
	if _, err := size(members["ttlMs"]); err != nil {
		faults = append(faults, fault("", ReasonResult, "%s: ttlMs is not a number of milliseconds", method))
	}
	if scope, err := text(members["cacheScope"]); err != nil || scope != "public" && scope != "private" {
		faults = append(faults, fault("", ReasonResult, "%s: cacheScope is neither public nor private", method))
	}
	return faults
}

// Skill returns the entry of one skill as skills/get gives it, listed or not. An
// entry with a fault is an error.
func (h *Host) Skill(ctx context.Context, uri string) (*Skill, error) {
	ctx, done := h.bound(ctx)
	defer done()
	raw, faults, err := h.get(ctx, uri)
	if err != nil {
		return nil, err
	}
	s, found := parseEntry(raw)
	if faults = append(faults, found...); len(faults) > 0 {
		return nil, &faults[0]
	}
	if s.URI != uri {
		return nil, &Fault{URI: uri, Reason: ReasonGet, Detail: "skills/get answers with another skill"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// Readers go through the old list without the lock.
	h.held = append(slices.DeleteFunc(slices.Clone(h.held), func(old *Skill) bool { return old.URI == uri }), s)
	return s, nil
}

func (h *Host) get(ctx context.Context, uri string) (json.RawMessage, []Fault, error) {
	if !h.server.Skills {
		return nil, nil, ErrNoSkills
	}
	r, err := mcp.CallCustomMethod[*getParams, *rawResult](ctx, h.session, getMethod, &getParams{URI: uri})
	if err != nil {
		return nil, nil, h.explain(ctx, "get the skill "+clip(uri), err)
	}
	members, err := object(r.raw)
	if err != nil {
		return nil, []Fault{fault(uri, ReasonResult, "%s: the answer is %v", getMethod, err)}, nil
	}
	faults := h.checkEnvelope(getMethod, members)
	for i := range faults {
		faults[i].URI = uri
	}
	return members["skill"], faults, nil
}

// File is one file that was read.
type File struct {
	URI      string
	MIMEType string
	Data     []byte
	Verified bool // its size and digest are as a manifest says
}

// Read reads a file and verifies it against every manifest that lists it, and a
// SKILL.md against its entry's frontmatter. A difference is a *Fault, and no
// bytes are returned. A file that no manifest lists is not read: the error is an
// *UnlistedError. A server without Skills has no manifests; of it, Read reads
// what resources/list names.
func (h *Host) Read(ctx context.Context, uri string) (*File, error) {
	ctx, done := h.bound(ctx)
	defer done()
	if !h.server.Skills {
		return h.readPlain(ctx, uri)
	}
	own, entries, err := h.listed(ctx, uri)
	if err != nil {
		return nil, err
	}
	f, err := h.fetch(ctx, uri)
	if err != nil {
		return nil, err
	}
	digest := catalog.DigestBytes(f.Data)
	for _, e := range entries {
		if bad := checkFile(e, int64(len(f.Data)), digest); bad != nil {
			return nil, bad
		}
		f.Verified = true
	}
	if own != nil {
		if bad := own.checkFrontmatter(f.Data); bad != nil {
			return nil, bad
		}
	}
	return f, nil
}

// listed finds the skill whose SKILL.md a URI is, and every manifest entry for it.
func (h *Host) listed(ctx context.Context, uri string) (own *Skill, entries []catalog.ManifestEntry, err error) {
	h.mu.Lock()
	held, listing := h.held, h.listing
	h.mu.Unlock()
	if !listing {
		l, err := h.Skills(ctx)
		if err != nil {
			return nil, nil, err
		}
		held = l.Skills
	}
	var known []string
	for _, s := range held {
		if s.URI == uri {
			own = s
		}
		for _, e := range s.Resources {
			known = append(known, e.URI)
		}
		entries = append(entries, s.entriesFor(uri)...)
	}
	if own == nil && len(entries) == 0 {
		if strings.HasSuffix(uri, "/"+catalog.SkillFile) { // a skill need not be listed
			s, err := h.Skill(ctx, uri)
			var refused *RefusedError
			switch {
			case err == nil:
				return s, s.entriesFor(uri), nil
			case !errors.As(err, &refused):
				return nil, nil, err
			}
		}
		return nil, nil, &UnlistedError{URI: uri, Known: known}
	}
	return own, entries, nil
}

// entriesFor returns the manifest's entry for a file, if it has one.
func (s *Skill) entriesFor(uri string) []catalog.ManifestEntry {
	for i, e := range s.Resources {
		if e.URI == uri {
			return s.Resources[i : i+1]
		}
	}
	return nil
}

// fetch reads one resource, whatever it is.
func (h *Host) fetch(ctx context.Context, uri string) (*File, error) {
	r, err := h.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, h.explain(ctx, "read "+clip(uri), err)
	}
	if h.modern() && !complete(r) {
		return nil, &Fault{URI: uri, Reason: ReasonResult, Detail: `resources/read: resultType is not "complete"`}
	}
	var found *mcp.ResourceContents
	for _, c := range r.Contents {
		if c != nil && c.URI == uri {
			if found != nil {
				return nil, &Fault{URI: uri, Reason: ReasonRead, Detail: "resources/read answers with it twice"}
			}
			found = c
		}
	}
	if found == nil {
		return nil, &Fault{URI: uri, Reason: ReasonRead, Detail: "resources/read answers without it"}
	}
	f := &File{URI: uri, MIMEType: found.MIMEType, Data: found.Blob}
	if found.Blob == nil {
		f.Data = []byte(found.Text)
	}
	return f, nil
}

// complete reports whether a result says that it is the whole answer. The SDK
// keeps the member to itself; only the JSON form shows it.
func complete(r *mcp.ReadResourceResult) bool {
	bare := *r
	bare.Contents = nil
	raw, err := json.Marshal(&bare)
	if err != nil {
		return false
	}
	members, err := object(raw)
	if err != nil {
		return false
	}
	kind, err := text(members["resultType"])
	return err == nil && kind == "complete"
}
