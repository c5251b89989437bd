package lint

import (
	"encoding/json"
	"fmt"
	"io"
)

// Tool names the program in a machine-readable report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// JSONOptions adapt WriteJSON.
type JSONOptions struct {
	Tool   Tool
	Indent bool  // two spaces, for a person; else one line
	Err    error // why the run did not take place, nil if it did
}

// jsonReport is schema version 1. Members may be added to it, never changed.
type jsonReport struct {
	SchemaVersion int           `json:"schemaVersion"`
	Tool          Tool          `json:"tool"`
	Profile       Profile       `json:"profile"`
	Files         int           `json:"files"`
	Skills        int           `json:"skills"`
	Counts        jsonCounts    `json:"counts"`
	Findings      []jsonFinding `json:"findings"`
	Error         string        `json:"error,omitempty"`
}

type jsonCounts struct {
	Error      int `json:"error"`
	Warning    int `json:"warning"`
	Info       int `json:"info"`
	Suppressed int `json:"suppressed"`
	Baselined  int `json:"baselined"`
	Fixable    int `json:"fixable"`
}

type jsonFinding struct {
	Rule        string    `json:"rule"`
	Slug        string    `json:"slug"`
	Severity    Severity  `json:"severity"`
	Message     string    `json:"message"`
	Path        string    `json:"path"`
	Range       Range     `json:"range"`
	Excerpt     string    `json:"excerpt"`
	Help        string    `json:"help"`
	Related     []Related `json:"related"`
	Fingerprint string    `json:"fingerprint"`
}

// WriteJSON writes the report as one JSON object and a line feed. The object is
// written for a run that failed too, so that a reader always finds one.
func WriteJSON(w io.Writer, rep Report, opts JSONOptions) error {
	out := jsonReport{
		SchemaVersion: 1, Tool: opts.Tool, Profile: rep.Profile, Files: rep.Files, Skills: rep.Skills,
		Counts:   jsonCounts{Error: rep.Counts.Error, Warning: rep.Counts.Warning, Info: rep.Counts.Info},
		Findings: []jsonFinding{},
	}
	for _, f := range rep.Findings {
		out.Findings = append(out.Findings, jsonFinding{
			Rule: f.Rule, Slug: f.Slug, Severity: f.Severity, Message: f.Message, Path: f.Path, Range: f.Range,
			Excerpt: f.Excerpt, Help: f.Help, Related: f.Related, Fingerprint: f.Fingerprint,
		})
	}
	if opts.Err != nil {
		out.Error = opts.Err.Error()
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if opts.Indent {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write lint report: %w", err)
	}
	return nil
}
