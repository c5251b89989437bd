package tools

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// What a hit in each part of a tool is worth.
const (
	weightDescription = 2
	weightParameter   = 3
	weightCategory    = 4
	weightTag         = 5
	weightMode        = 6
	weightName        = 8
)

// field is one searchable part of a tool.
type field struct {
	label  string // as matched_in shows it
	weight int
	words  []string
}

// rankedTool is a hit of a search.
type rankedTool struct {
	tool    *Tool
	matched []string
	exact   bool // the query is the tool's name
	all     bool // every word was found
	score   int
}

// rankTools returns the tools that a query fits, best first: the exact name,
// then tools with every word, then by weight. Ties keep registry order, so the
// same query always gives the same bytes. A blank query fits every tool.
func rankTools(pool []*Tool, query string) []rankedTool {
	words := wordsOf(query)
	var hits []rankedTool
	for _, t := range pool {
		if hit := rankTool(t, query, words); hit.matched != nil {
			hits = append(hits, hit)
		}
	}
	slices.SortStableFunc(hits, func(a, b rankedTool) int {
		return cmp.Or(first(a.exact, b.exact), first(a.all, b.all), cmp.Compare(b.score, a.score))
	})
	return hits
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func rankTool(t *Tool, query string, words []string) rankedTool {
	hit := rankedTool{tool: t, exact: strings.EqualFold(strings.TrimSpace(query), t.Name), all: true}
	if strings.TrimSpace(query) == "" {
		hit.matched = []string{}
		return hit
	}
	fields := fieldsOf(t)
	for _, word := range words {
		label, score := best(fields, word)
		if score == 0 {
			hit.all = false
			continue
		}
		hit.matched = append(hit.matched, label)
		hit.score += score
	}
	// The standard's own filter, a plain substring, may hit where words do not:
	// inside punctuation, or across the end of a word.
	switch {
	case hit.matched != nil:
		hit.matched = unique(hit.matched)
	case strings.Contains(t.Name, query):
		hit.matched, hit.score = []string{"name"}, weightName
	case strings.Contains(strings.ToLower(t.Description), strings.ToLower(query)):
		hit.matched, hit.score = []string{"description"}, weightDescription
	}
	return hit
}

// best returns the part of a tool that a word fits best. A whole word counts
// three times, the beginning of one twice, a piece of one once.
func best(fields []field, word string) (label string, score int) {
	for _, f := range fields {
		for _, w := range f.words {
			how := 0
			switch {
			case w == word:
				how = 3
			case strings.HasPrefix(w, word):
				how = 2
			case strings.Contains(w, word):
				how = 1
			}
			if s := how * f.weight; s > score {
				label, score = f.label, s
			}
		}
	}
	return label, score
}

func fieldsOf(t *Tool) []field {
	fields := []field{{"name", weightName, wordsOf(t.Name)}}
	for _, m := range t.Modes {
		if m.Name != "" {
			fields = append(fields, field{"mode:" + m.Name, weightMode, wordsOf(m.Name)})
		}
	}
	for _, tag := range t.AllTags() {
		fields = append(fields, field{"tag:" + tag, weightTag, wordsOf(tag)})
	}
	for _, c := range categories() {
		if c.id == t.Category {
			fields = append(fields, field{"category", weightCategory, wordsOf(string(c.id) + " " + strings.Join(c.aliases, " "))})
		}
	}
	for _, p := range t.parameters() {
		fields = append(fields, field{"parameter:" + p, weightParameter, wordsOf(p)})
	}
	described := wordsOf(t.Description)
	for _, m := range t.Modes {
		described = append(described, wordsOf(m.Description)...)
	}
	return append(fields, field{"description", weightDescription, described})
}

// wordsOf splits a text on everything that is no letter or digit, folds case,
// and drops words that say nothing and the s of plurals.
func wordsOf(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = singular(w); !stopWord(w) {
			out = append(out, w)
		}
	}
	return out
}

func singular(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

func stopWord(w string) bool {
	switch w {
	case "a", "an", "and", "any", "are", "at", "by", "do", "for", "how", "i", "in", "is", "it", "me", "my", "of", "on", "or", "show", "that", "the", "to", "what", "with", "you":
		return true
	}
	return false
}
