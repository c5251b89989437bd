package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// verdict is what hashing a file again found.
type verdict int

const (
	unverified verdict = iota
	verdictOK
	verdictChanged
	verdictMissing
)

// verifiedMsg carries the verdicts of files by URI.
type verifiedMsg struct {
	verdicts map[string]verdict
	what     string
}

// verify reads every file of some skills again and hashes it.
func (s *skillsScreen) verify(what string, skills []*catalog.Skill) tea.Cmd {
	lib := s.lib
	return s.do(func(ctx context.Context) tea.Msg {
		verdicts := map[string]verdict{}
		for _, skill := range skills {
			for _, entry := range skill.Resources {
				verdicts[entry.URI] = verifyEntry(ctx, lib, entry)
			}
		}
		return verifiedMsg{verdicts: verdicts, what: what}
	})
}

func verifyEntry(ctx context.Context, lib Library, entry catalog.ManifestEntry) verdict {
	k, ok := keyOfURI(entry.URI)
	if !ok {
		return verdictMissing
	}
	page, err := lib.Page(ctx, k)
	switch {
	case err != nil || page.Raw == nil:
		return verdictMissing
	case int64(len(page.Raw)) != entry.Size || catalog.DigestBytes(page.Raw) != entry.Digest:
		return verdictChanged
	}
	return verdictOK
}

func (s *skillsScreen) verified(msg verifiedMsg) tea.Cmd {
	bad := 0
	for uri, v := range msg.verdicts {
		s.verdicts[uri] = v
		if v != verdictOK {
			bad++
		}
	}
	at := s.now().Format("15:04:05")
	if bad > 0 {
		return s.say(toastMsg(fmt.Sprintf("%d of %d files %s do NOT match their manifest, %s", bad, len(msg.verdicts), msg.what, at)))
	}
	return s.say(toastMsg(fmt.Sprintf("%d files %s verified, %s", len(msg.verdicts), msg.what, at)))
}

// stateOf is the worst verdict of some files: a word, since colour alone must
// not carry it.
func (s *skillsScreen) stateOf(entries ...catalog.ManifestEntry) string {
	worst, all := verdictOK, true
	for _, e := range entries {
		v := s.verdicts[e.URI]
		worst = max(worst, v)
		all = all && v != unverified
	}
	switch {
	case worst > verdictOK:
		return verdictWord(worst)
	case all:
		return verdictWord(verdictOK)
	}
	return ""
}

func verdictWord(v verdict) string {
	switch v {
	case verdictOK:
		return "ok"
	case verdictChanged:
		return "CHANGED"
	case verdictMissing:
		return "MISSING"
	default:
		return "-"
	}
}
