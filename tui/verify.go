package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kite-mcp/kite-mcp/catalog"
)

// Verdict is what reading a file again and hashing it found.
type Verdict int

// The verdicts, from good to bad.
const (
	Unverified     Verdict = iota
	VerdictOK              // size and digest are as the manifest says
	VerdictFault           // a promise about it is broken, but not that of its bytes
	VerdictChanged         // other bytes
	VerdictMissing         // it cannot be read
)

// Finding is the verdict about one file, or about a skill by the URI of its
// SKILL.md. Detail says what is wrong and may quote a server.
type Finding struct {
	URI     string
	Verdict Verdict
	Detail  string
}

// verifiedMsg carries what a verification found.
type verifiedMsg struct {
	found []Finding
	what  string
}

// verify has every file of some skills read again and hashed.
func (s *skillsScreen) verify(what string, skills []*Skill) tea.Cmd {
	lib := s.lib
	s.say(toastMsg("verifying"))
	return s.do(func(ctx context.Context) tea.Msg {
		found, err := lib.Verify(ctx, skills)
		if err != nil {
			return failedMsg{fmt.Errorf("verify: %w", err)}
		}
		return verifiedMsg{found: worst(found), what: what}
	})
}

// worst keeps the worst finding about each file, in order.
func worst(found []Finding) []Finding {
	var out []Finding
	at := map[string]int{}
	for _, f := range found {
		i, again := at[f.URI]
		switch {
		case !again:
			at[f.URI] = len(out)
			out = append(out, f)
		case out[i].Verdict < f.Verdict:
			out[i] = f
		}
	}
	return out
}

func (s *skillsScreen) verified(msg verifiedMsg) tea.Cmd {
	bad := 0
	for _, f := range msg.found {
		s.findings[f.URI] = f
		if f.Verdict != VerdictOK {
			bad++
		}
	}
	at := s.now().Format("15:04:05")
	if bad > 0 {
		return s.say(toastMsg(fmt.Sprintf("%d of %d files %s do NOT match their manifest, %s", bad, len(msg.found), msg.what, at)))
	}
	return s.say(toastMsg(fmt.Sprintf("%d files %s verified, %s", len(msg.found), msg.what, at)))
}

// state is the word beside a skill in the list.
func (s *skillsScreen) state(skill *Skill) string {
	switch own := s.findings[skill.URI].Verdict; {
	case own > VerdictOK:
		return verdictWord(max(own, s.worstOf(skill)))
	case skill.Dynamic:
		return "dynamic"
	}
	return s.stateOf(skill.Resources...)
}

func (s *skillsScreen) worstOf(skill *Skill) Verdict {
	worst := Unverified
	for _, e := range skill.Resources {
		worst = max(worst, s.findings[e.URI].Verdict)
	}
	return worst
}

// finding is what to tell about a skill: what is wrong with the file under the
// cursor, else with any of its files.
func (s *skillsScreen) finding(skill *Skill) Finding {
	if s.inRight {
		return s.findings[s.entry().URI]
	}
	found := s.findings[skill.URI]
	for _, e := range skill.Resources {
		if f := s.findings[e.URI]; f.Verdict > found.Verdict {
			found = f
		}
	}
	return found
}

// stateOf is the worst verdict of some files: a word, since colour alone must
// not carry it.
func (s *skillsScreen) stateOf(entries ...catalog.ManifestEntry) string {
	worst, all := VerdictOK, true
	for _, e := range entries {
		v := s.findings[e.URI].Verdict
		worst = max(worst, v)
		all = all && v != Unverified
	}
	switch {
	case worst > VerdictOK:
		return verdictWord(worst)
	case all && len(entries) > 0:
		return verdictWord(VerdictOK)
	}
	return ""
}

func verdictWord(v Verdict) string {
	switch v {
	case VerdictOK:
		return "ok"
	case VerdictFault:
		return "FAULT"
	case VerdictChanged:
		return "CHANGED"
	case VerdictMissing:
		return "MISSING"
	default:
		return "-"
	}
}
