package intent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// EventKind says what an event of the audit log is about.
type EventKind string

// The kinds of events.
const (
	EventLogin     EventKind = "login"             // a person logged in to Kite
	EventLogout    EventKind = "logout"            // a person ended the session
	EventEnded     EventKind = "session_ended"     // Kite refused the session before its time
	EventAsked     EventKind = "approval_asked"    // a person is asked about a change
	EventAccepted  EventKind = "approval_accepted" // the person said yes
	EventDeclined  EventKind = "approval_declined"
	EventCancelled EventKind = "approval_cancelled" // the person did not confirm
	EventIntent    EventKind = "intent"             // what became of an approved change; Outcome is its state
	EventTorn      EventKind = "torn_line"          // the line before was cut off when a process died
)

// Event is what one line of the audit log says besides its place in the chain. Members without a value are left out.
// Later versions add members and kinds and never change what these mean.
type Event struct {
	Kind     EventKind        `json:"event"`
	Demo     bool             `json:"demo,omitempty"`
	Account  string           `json:"user,omitempty"`   // Kite user id
	Client   string           `json:"client,omitempty"` // the program that asked, as it calls itself
	Intent   string           `json:"intent,omitempty"` // id of the change
	Tool     string           `json:"tool,omitempty"`
	Mode     string           `json:"mode,omitempty"`
	Action   string           `json:"action,omitempty"` // what the person was shown, in one line
	Symbol   string           `json:"symbol,omitempty"` // EXCHANGE:SYMBOL
	Side     string           `json:"side,omitempty"`   // BUY or SELL
	Quantity int64            `json:"quantity,omitempty"`
	Price    kite.Price       `json:"price,omitempty"` // asked for; without one at the market
	Legs     []EventLeg       `json:"legs,omitempty"`  // of a trigger with two; the lower one is also told above
	Tag      string           `json:"tag,omitempty"`
	Order    string           `json:"order_id,omitempty"`
	Trigger  string           `json:"trigger_id,omitempty"`
	Alerts   string           `json:"uuids,omitempty"`   // by comma
	Outcome  kite.IntentState `json:"outcome,omitempty"` // of EventIntent
	Error    string           `json:"error,omitempty"`   // Kite's error_type, else our own kind
	Message  string           `json:"message,omitempty"`
}

// EventLeg is one of the orders that a trigger places.
type EventLeg struct {
	Side     string     `json:"side"`
	Quantity int64      `json:"quantity"`
	Price    kite.Price `json:"price"`
	Trigger  kite.Price `json:"trigger"`
}

// The longest texts of a line, in bytes.
const (
	maxName    = 60
	maxText    = 200
	maxRefs    = 4000 // a hundred alerts
	maxLine    = 32 << 10
	maxOverdue = 1000 // events
)

// clean cuts what comes from others to a size.
func (e Event) clean() Event {
	e.Client, e.Action, e.Message, e.Error = cut(e.Client, maxName), cut(e.Action, maxText), cut(e.Message, maxText), cut(e.Error, maxName)
	e.Symbol, e.Tag, e.Order, e.Trigger, e.Alerts = cut(e.Symbol, maxText), cut(e.Tag, maxName), cut(e.Order, maxText), cut(e.Trigger, maxText), cut(e.Alerts, maxRefs)
	return e
}

// cut shortens a text to most bytes and never splits a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// eventOf is an event about a change. What stands in it is derived from how the change is recognised at Kite.
func eventOf(kind EventKind, in kite.Intent) Event {
	e := Event{Kind: kind, Account: in.Account, Client: in.Client, Intent: in.ID, Tool: in.Tool, Mode: in.Mode, Action: in.Action, Tag: in.Tag, Message: in.Message}
	ref := in.Ref
	switch x := in.Expect; {
	case x.Place != nil:
		e.Symbol, e.Side, e.Quantity, e.Price = x.Place.Exchange+":"+x.Place.Symbol, x.Place.Side, x.Place.Quantity, x.Place.Price
	case x.Modify != nil:
		e.Quantity, e.Price = x.Modify.Quantity, x.Modify.Price
		ref = orElse(ref, x.Modify.OrderID)
	case x.Cancel != "":
		ref = orElse(ref, x.Cancel)
	case x.PlaceGTT != nil:
		e.terms(x.PlaceGTT)
	case x.ModifyGTT != nil:
		e.terms(x.ModifyGTT)
	case x.CreateAlert != nil:
		e.Symbol = x.CreateAlert.LHSExchange + ":" + x.CreateAlert.LHSTradingSymbol
	case x.ModifyAlert != nil:
		e.Symbol = x.ModifyAlert.LHSExchange + ":" + x.ModifyAlert.LHSTradingSymbol
	}
	switch x := in.Expect; {
	case x.Triggers():
		if x.GTT != 0 {
			ref = orElse(ref, strconv.FormatInt(x.GTT, 10))
		}
		e.Trigger = ref
	case x.InAlerts():
		e.Alerts = orElse(ref, x.Alerts)
	default:
		e.Order = ref
	}
	return e
}

// terms notes what a trigger is about: its one leg, or each of several.
func (e *Event) terms(g *kite.GTTRequest) {
	e.Symbol = g.Exchange + ":" + g.TradingSymbol
	for _, leg := range g.Legs {
		e.Legs = append(e.Legs, EventLeg{leg.TransactionType, leg.Quantity, leg.Price, leg.Trigger})
	}
	if len(e.Legs) > 0 {
		e.Side, e.Quantity, e.Price = e.Legs[0].Side, e.Legs[0].Quantity, e.Legs[0].Price
	}
	if len(e.Legs) == 1 {
		e.Legs = nil
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Head is the last line of an audit log: whoever knows it can tell whether lines were cut off or changed since.
type Head struct {
	Seq    int64  `json:"seq"`    // of the line; 0 of an empty log
	SHA256 string `json:"sha256"` // of the line, in hex; "" of an empty log
}

// String returns the form that ParseHead reads.
func (h Head) String() string { return strconv.FormatInt(h.Seq, 10) + ":" + h.SHA256 }

// ParseHead reads SEQ:SHA256.
func ParseHead(s string) (Head, error) {
	seq, sum, _ := strings.Cut(s, ":")
	n, err := strconv.ParseInt(seq, 10, 64)
	if err != nil || n < 1 || !isSum(sum) {
		return Head{}, errors.New("a head is written SEQ:SHA256, as audit verify prints it")
	}
	return Head{n, sum}, nil
}

func isSum(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size && strings.ToLower(s) == s
}

func sumOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// auditLine is one line: the event and its place in the chain.
type auditLine struct {
	Seq  int64     `json:"seq"`
	Prev string    `json:"prev"` // SHA-256 of the line before without its end, "" of the first
	Time time.Time `json:"time"`
	Event
	Torn *fragment `json:"torn,omitempty"` // of EventTorn
}

// fragment is what is left of a line whose writer died.
type fragment struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// parseLine reads one line without its end. It is strict about what the chain needs and lets later versions add to the
// rest.
func parseLine(raw []byte) (auditLine, error) {
	var l auditLine
	if err := json.Unmarshal(raw, &l); err != nil || len(raw) > maxLine {
		return auditLine{}, errors.New("not a line of an audit log")
	}
	if l.Seq < 1 || l.Kind == "" || l.Time.IsZero() || l.Prev != "" && !isSum(l.Prev) || (l.Prev == "") != (l.Seq == 1) || (l.Kind == EventTorn) != (l.Torn != nil) {
		return auditLine{}, errors.New("not a line of an audit log")
	}
	return l, nil
}

// next appends a line to raw that continues the chain, and returns both.
func (h Head) next(raw []byte, l auditLine) ([]byte, Head, error) {
	l.Seq, l.Prev = h.Seq+1, h.SHA256
	text, err := json.Marshal(l)
	if err != nil {
		return nil, h, fmt.Errorf("encode audit event: %w", err)
	}
	return append(append(raw, text...), '\n'), Head{l.Seq, sumOf(text)}, nil
}

// Audit is a log of events for those who have to answer for them: lines of JSON, each bound to the one before by its
// hash. It is safe for concurrent use, a file also by several processes.
type Audit struct {
	to   sink
	now  func() time.Time
	demo bool

	mu      sync.Mutex
	overdue []auditLine // what could not be written yet
}

// sink is a place for lines. extend returns how many of them it wrote, all or an error; none at all only tells whether
// it could.
type sink interface {
	extend(lines []auditLine) (written int, err error)
}

// AuditOptions are what an Audit is made of.
type AuditOptions struct {
	Now  func() time.Time // the wall clock
	Demo bool             // the account is the demo's, and lines say so
}

// AuditFile returns the audit log in the file at path. Nothing is opened before the first event. The file is opened for
// each, so that it can be moved away between two; a new one begins a chain of its own.
func AuditFile(path string, o AuditOptions) *Audit { return newAudit(&auditFile{path: path}, o) }

// AuditStream returns an audit log that is written to w, with a chain that begins with the process.
func AuditStream(w io.Writer, o AuditOptions) *Audit { return newAudit(&auditStream{to: w}, o) }

func newAudit(to sink, o AuditOptions) *Audit {
	return &Audit{to: to, now: o.Now, demo: o.Demo}
}

// Append writes an event. It is on the disk when Append returns nil; else the error is kite.ErrAudit, and the event is
// written with the next one that can be.
func (a *Audit) Append(e Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	e.Demo = a.demo
	lines := append(slices.Clone(a.overdue), auditLine{Time: a.now().In(kite.IST), Event: e.clean()})
	if written, err := a.to.extend(lines); err != nil {
		if lines = lines[written:]; len(lines) <= maxOverdue { // changes are refused by now, so little can be missing
			a.overdue = lines
		}
		return fmt.Errorf("%w: %w", kite.ErrAudit, err)
	}
	a.overdue = nil
	return nil
}

// Ready reports why an event could not be written now, for whoever starts a server. It makes a file that is not there.
func (a *Audit) Ready() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.to.extend(nil); err != nil {
		return fmt.Errorf("%w: %w", kite.ErrAudit, err)
	}
	return nil
}

// auditStream writes to a stream that cannot be read again.
type auditStream struct {
	to      io.Writer
	head    Head
	cut     []byte // what a write that failed left of a line
	unended bool   // what was written last lacks its newline
}

// extend writes line by line, so that it knows which are out when one is not. What is left of that one is told by the
// next, as in a file.
func (s *auditStream) extend(lines []auditLine) (written int, err error) {
	for _, l := range lines {
		if s.cut != nil {
			note := auditLine{Time: l.Time, Event: Event{Kind: EventTorn}, Torn: &fragment{len(s.cut), sumOf(s.cut)}}
			if err := s.write(note); err != nil {
				return written, err
			}
		}
		if err := s.write(l); err != nil {
			return written, err
		}
		written++
	}
	return written, nil
}

func (s *auditStream) write(l auditLine) error {
	raw, head, err := s.head.next(nil, l)
	if err != nil {
		return err
	}
	if s.unended {
		if _, err := s.to.Write([]byte{'\n'}); err != nil {
			return fmt.Errorf("write audit log: %w", err)
		}
		s.unended = false
	}
	n, err := s.to.Write(raw)
	switch {
	case n >= len(raw)-1: // only its end may be missing
		s.head, s.cut, s.unended = head, nil, n < len(raw)
		return nil
	case n > 0:
		s.cut, s.unended = raw[:n], true
	}
	return fmt.Errorf("write audit log: %w", err)
}
