package intent

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// maxProblems is how many problems a report names; one change makes one or two.
const maxProblems = 100

// AuditProblem is one place where a chain does not hold.
type AuditProblem struct {
	Line int64  `json:"line"` // from 1; 0 when it is about the file
	Text string `json:"problem"`
}

// AuditReport is what a check of an audit log found.
type AuditReport struct {
	Lines    int64          `json:"lines"`
	First    time.Time      `json:"first,omitzero"` // time of the first event
	Last     time.Time      `json:"last,omitzero"`
	Head     Head           `json:"head"`
	Torn     []int64        `json:"torn"` // lines that a process left unfinished, as the one after each says
	Problems []AuditProblem `json:"problems"`
	More     int            `json:"more"` // further problems
}

// OK reports whether the chain holds.
func (r AuditReport) OK() bool { return len(r.Problems) == 0 }

func (r *AuditReport) problem(line int64, format string, args ...any) {
	if len(r.Problems) >= maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, AuditProblem{line, fmt.Sprintf(format, args...)})
}

// auditCheck walks along a chain.
type auditCheck struct {
	report  AuditReport
	known   Head // seq 0: none
	seen    bool // the known head was found
	pending []byte
	at      int64 // the line of pending; 0: none
}

// VerifyAudit checks the chain of an audit log. What was done to the last line, or cut off behind it, can be seen only
// against a head that was known before; the zero Head is none. An error says that the log could not be read.
func VerifyAudit(from io.Reader, known Head) (AuditReport, error) {
	c := auditCheck{known: known, report: AuditReport{Torn: []int64{}, Problems: []AuditProblem{}}}
	in := bufio.NewReaderSize(from, maxLine+1)
	for {
		raw, err := readLine(in)
		if len(raw) == 0 && errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return AuditReport{}, fmt.Errorf("read audit log: %w", err)
		}
		c.line(raw, err == nil)
	}
	c.unexplained()
	if known.Seq > 0 && !c.seen {
		c.report.problem(0, "the head %s is not in it: lines were cut off or changed since", known)
	}
	return c.report, nil
}

// readLine returns one line without its end, or as much of it as can be a line; io.EOF says that the end is missing.
func readLine(in *bufio.Reader) ([]byte, error) {
	raw, err := in.ReadSlice('\n')
	line := bytes.Clone(bytes.TrimSuffix(raw, []byte{'\n'}))
	for errors.Is(err, bufio.ErrBufferFull) { // no line of ours: what follows does not matter
		_, err = in.ReadSlice('\n')
	}
	return line, err
}

// line takes the next line; ended says that it has its end.
func (c *auditCheck) line(raw []byte, ended bool) {
	r := &c.report
	r.Lines++
	l, err := parseLine(raw)
	if err != nil {
		c.unexplained()
		c.pending, c.at = raw, r.Lines
	}
	if !ended {
		r.problem(r.Lines, "is cut off: its writer died, or the end of the file was taken away")
		c.at = 0
	}
	if err != nil {
		return
	}
	c.link(l)
	if l.Torn == nil || c.at == 0 || l.Torn.Bytes != len(c.pending) || l.Torn.SHA256 != sumOf(c.pending) {
		if l.Torn != nil {
			r.problem(r.Lines, "tells of an unfinished line that is not before it")
		}
		c.unexplained()
	} else {
		r.Torn = append(r.Torn, c.at)
		c.at = 0
	}
	r.Head = Head{l.Seq, sumOf(raw)}
	c.seen = c.seen || r.Head == c.known
	if r.First.IsZero() {
		r.First = l.Time
	}
	r.Last = l.Time
}

// link compares a line with the one before.
func (c *auditCheck) link(l auditLine) {
	r, before := &c.report, c.report.Head
	switch missing := l.Seq - before.Seq - 1; {
	case missing > 0 && before.Seq == 0:
		r.problem(r.Lines, "is the first one and has seq %d: lines before it are missing", l.Seq)
	case missing > 0:
		r.problem(r.Lines, "has seq %d after %d: lines before it are missing", l.Seq, before.Seq)
	case missing < 0:
		r.problem(r.Lines, "has seq %d after %d: it was put in, repeated or moved", l.Seq, before.Seq)
	case l.Prev != before.SHA256:
		r.problem(r.Lines, "does not continue the line before it: that one was changed, or this one was put in its place")
	}
}

// unexplained reports a line that is none and that the next one does not tell of.
func (c *auditCheck) unexplained() {
	if c.at > 0 {
		c.report.problem(c.at, "is not a line of an audit log")
	}
	c.at = 0
}
