package intent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/store/storetest"
)

// auditAt returns a place for an audit log and what opens it, as each process does for itself.
func auditAt(t *testing.T) (path string, open func() *intent.Audit) {
	t.Helper()
	clock := &storetest.Clock{}
	path = filepath.Join(t.TempDir(), "audit.jsonl")
	return path, func() *intent.Audit { return intent.AuditFile(path, intent.AuditOptions{Now: clock.Now}) }
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path) //nolint:gosec // the test's own file
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, raw []byte, known intent.Head) intent.AuditReport {
	t.Helper()
	report, err := intent.VerifyAudit(bytes.NewReader(raw), known)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// holds fails unless a log of so many lines is as it was written, and returns its head.
func holds(t *testing.T, raw []byte, lines int64) intent.Head {
	t.Helper()
	report := verify(t, raw, intent.Head{})
	if !report.OK() || report.Lines != lines {
		t.Fatalf("%d lines, want %d: %+v\n%s", report.Lines, lines, report.Problems, raw)
	}
	return report.Head
}

// logOf is an audit log of some lines.
func logOf(tb testing.TB, lines int) []byte {
	tb.Helper()
	var out bytes.Buffer
	clock := &storetest.Clock{}
	a := intent.AuditStream(&out, intent.AuditOptions{Now: clock.Now})
	for i := range lines {
		if err := a.Append(intent.Event{Kind: intent.EventIntent, Account: account, Intent: fmt.Sprint("i", i), Outcome: kite.IntentPlaced, Quantity: int64(i), Price: 18_000_000}); err != nil {
			tb.Fatal(err)
		}
		clock.Advance(time.Second)
	}
	return out.Bytes()
}

// fitful takes so many bytes, fails once in the middle of a write, and takes the rest.
type fitful struct {
	bytes.Buffer
	left   int
	failed bool
}

func (w *fitful) Write(p []byte) (int, error) {
	if w.failed || len(p) <= w.left {
		w.left -= len(p)
		return w.Buffer.Write(p)
	}
	w.failed = true
	n, _ := w.Buffer.Write(p[:w.left])
	return n, errors.New("no room")
}

// TestAuditStreamGoesOn: wherever a write to a stream is cut off, the lines that follow stand by themselves, each event is
// there once, and the chain holds.
func TestAuditStreamGoesOn(t *testing.T) {
	t.Parallel()
	whole := logOf(t, 3)
	for left := range whole {
		if left%29 > 1 && bytes.IndexByte(whole[left:], '\n') > 2 { // the ends of lines, and here and there
			continue
		}
		out, clock := &fitful{left: left}, &storetest.Clock{}
		a := intent.AuditStream(out, intent.AuditOptions{Now: clock.Now})
		refused := 0
		for i := range 4 {
			err := a.Append(intent.Event{Kind: intent.EventIntent, Account: account, Intent: fmt.Sprint("i", i), Outcome: kite.IntentPlaced, Quantity: int64(i), Price: 18_000_000})
			if err != nil && !errors.Is(err, kite.ErrAudit) {
				t.Fatal(err)
			}
			if err != nil {
				refused++
			}
			clock.Advance(time.Second)
		}
		report := verify(t, out.Bytes(), intent.Head{})
		if !report.OK() || refused > 1 || len(report.Torn) > 1 || report.Lines != 4+2*int64(len(report.Torn)) {
			t.Fatalf("cut after %d bytes: %+v\n%s", left, report, out.Bytes())
		}
		for i := range 4 {
			n := 0
			for line := range strings.Lines(out.String()) {
				if json.Valid([]byte(line)) && strings.Contains(line, fmt.Sprintf(`"intent":"i%d",`, i)) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("cut after %d bytes: event %d is there %d times\n%s", left, i, n, out.Bytes())
			}
		}
	}
}

// TestAuditLinesOfATrigger: both legs of a trigger are told.
func TestAuditLinesOfATrigger(t *testing.T) {
	t.Parallel()
	for legs, want := range map[int]string{
		1: `"side":"SELL","quantity":1,"price":1695`,
		2: `"side":"SELL","quantity":1,"price":1695,"legs":[{"side":"SELL","quantity":1,"price":1695,"trigger":1700},{"side":"SELL","quantity":2,"price":2000,"trigger":2005}]`,
	} {
		var out bytes.Buffer
		clock := &storetest.Clock{}
		l := intent.New(intent.Options{Store: store.Memory(clock.Now), Keys: store.RandomKeys(), Now: clock.Now, Audit: intent.AuditStream(&out, intent.AuditOptions{Now: clock.Now})})
		r := kite.GTTRequest{Type: "single", Exchange: "NSE", TradingSymbol: "INFY", Legs: []kite.GTTLeg{
			{TransactionType: "SELL", Quantity: 1, Price: 16_950_000, Trigger: 17_000_000}, {TransactionType: "SELL", Quantity: 2, Price: 20_000_000, Trigger: 20_050_000},
		}[:legs]}
		in := kite.Intent{ID: "i1", Account: account, Tool: "gtt", Mode: "place", State: kite.IntentApproved, Expect: kite.Expect{PlaceGTT: &r}}
		if err := l.Create(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if line, _, _ := strings.Cut(out.String(), "\n"); !strings.Contains(line, `"symbol":"NSE:INFY",`+want) || legs == 1 && strings.Contains(line, "legs") {
			t.Errorf("%d legs: %s", legs, line)
		}
	}
}

// TestAuditLinesOfAnOrder: what one order leaves in the log, from the question to the outcome.
func TestAuditLinesOfAnOrder(t *testing.T) {
	t.Parallel()
	path, open := auditAt(t)
	clock := &storetest.Clock{}
	l := intent.New(intent.Options{Store: store.Memory(clock.Now), Keys: store.RandomKeys(), Now: clock.Now, Audit: open()})
	in := placing("i1", "k1")
	in.Client, in.Expect.Place.Price = "claude", 18_005_000
	asked := in
	asked.State = ""
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(l.Asked(t.Context(), asked))
	must(l.Create(t.Context(), in))
	must(l.Sending(t.Context(), account, "i1"))
	must(l.Settle(t.Context(), account, "i1", "2044", nil))
	no := placing("i2", "k2")
	no.State = kite.IntentDeclined
	must(l.Create(t.Context(), no))
	must(l.Create(t.Context(), placing("i3", "k3")))
	must(l.Sending(t.Context(), account, "i3"))
	must(l.Settle(t.Context(), account, "i3", "", &kite.Error{Kind: kite.KindRejected, KiteType: "InputException", Message: strings.Repeat("é", 150)}))

	common := `"user":"DM0001","client":"claude","intent":"i1","tool":"orders","mode":"place","action":"BUY 10 NSE:INFY","symbol":"NSE:INFY","side":"BUY","quantity":10,"price":1800.5,"tag":"k1"`
	other := func(id, tag string) string {
		return strings.NewReplacer("i1", id, "k1", tag, `"client":"claude",`, "", `"price":1800.5,`, "").Replace(common)
	}
	want := []string{
		`"event":"approval_asked",` + common,
		`"event":"approval_accepted",` + common,
		`"event":"intent",` + common + `,"outcome":"sending"`,
		`"event":"intent",` + common + `,"order_id":"2044","outcome":"placed"`,
		`"event":"approval_declined",` + other("i2", "k2"),
		`"event":"approval_accepted",` + other("i3", "k3"),
		`"event":"intent",` + other("i3", "k3") + `,"outcome":"sending"`,
		`"event":"intent",` + other("i3", "k3") + `,"outcome":"rejected","error":"InputException","message":"` + strings.Repeat("é", 100) + `"`,
	}
	raw := read(t, path)
	holds(t, raw, int64(len(want)))
	var got []string
	for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		_, said, _ := strings.Cut(line, `"time":"2026-12-02T11:15:00+05:30",`)
		got = append(got, strings.TrimSuffix(said, "}"))
		if !strings.HasPrefix(line, fmt.Sprintf(`{"seq":%d,"prev":"`, i+1)) {
			t.Errorf("line %d begins %s", i+1, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestAuditOfLostOutcomes: what is found out later is told later, once.
func TestAuditOfLostOutcomes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newWorld(t)
	w.Log = intent.New(intent.Options{Store: w.store, Keys: store.RandomKeys(), Now: w.clock.Now, Audit: intent.AuditStream(&out, intent.AuditOptions{Now: w.clock.Now, Demo: true})})
	w.must(t, w.Create(t.Context(), placing("i1", "k1")))
	w.must(t, w.Sending(t.Context(), account, "i1"))
	w.must(t, w.Settle(t.Context(), account, "i1", "", &kite.Error{Kind: kite.KindOutcomeUnknown}))
	w.must(t, w.Settle(t.Context(), account, "i1", "", &kite.Error{Kind: kite.KindOutcomeUnknown})) // no news
	w.clock.Advance(24 * time.Hour)
	w.reconcile(t)
	w.reconcile(t)
	if _, err := w.Dismiss(t.Context(), account, "i1"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		var l struct {
			Demo                  bool
			Event, Outcome, Error string
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || !l.Demo {
			t.Fatalf("%v in %s", err, line)
		}
		got = append(got, strings.TrimSpace(l.Event+" "+l.Outcome+" "+l.Error))
	}
	want := []string{"approval_accepted", "intent sending", "intent unknown outcome_unknown", "intent unsettled", "intent dismissed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestNoChangeWithoutAudit: what cannot be recorded is not asked, not approved and not sent, and stays refused; reading
// goes on, and the log gets what it missed once it can be written.
func TestNoChangeWithoutAudit(t *testing.T) {
	t.Parallel()
	path, open := auditAt(t)
	w := newWorld(t)
	w.Log = intent.New(intent.Options{Store: w.store, Keys: store.RandomKeys(), Now: w.clock.Now, Audit: open()})
	w.must(t, w.Create(t.Context(), placing("sent", "k0")))
	w.must(t, w.Sending(t.Context(), account, "sent"))
	w.must(t, w.Create(t.Context(), placing("approved", "k1")))
	away := path + ".away"
	w.must(t, os.Rename(path, away))
	w.must(t, os.Mkdir(path, 0o700)) // nobody can write there, not even root
	for name, err := range map[string]error{
		"asked":      w.Asked(t.Context(), placing("i1", "k2")),
		"approved":   w.Create(t.Context(), placing("i2", "k3")),
		"to be sent": w.Sending(t.Context(), account, "approved"),
	} {
		if !errors.Is(err, kite.ErrAudit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.want(t, "i2", kite.IntentRejected, "")
	w.want(t, "approved", kite.IntentRejected, "")
	no := placing("no", "k4")
	no.State = kite.IntentDeclined
	w.must(t, w.Create(t.Context(), no)) // a no needs no record to be one
	w.must(t, w.Settle(t.Context(), account, "sent", "2044", nil))
	w.want(t, "sent", kite.IntentPlaced, "2044")
	if n := w.reconcile(t); n != 0 {
		t.Errorf("%d changes are open", n)
	}
	w.must(t, os.Remove(path))
	w.must(t, os.Rename(away, path))
	w.must(t, w.Asked(t.Context(), placing("i5", "k5")))
	raw := read(t, path)
	holds(t, raw, 9)
	for _, said := range []string{`"intent":"i1"`, `"approval_declined"`, `"order_id":"2044","outcome":"placed"`, `"intent":"i5"`} {
		if !bytes.Contains(raw, []byte(said)) {
			t.Errorf("the log has no %s", said)
		}
	}
}

// TestAuditIsShared: processes and goroutines that append to one file keep one chain.
func TestAuditIsShared(t *testing.T) {
	t.Parallel()
	path, open := auditAt(t)
	var wg sync.WaitGroup
	for p := range 4 {
		own := open()
		for g := range 2 {
			wg.Go(func() {
				for i := range 5 {
					if err := own.Append(intent.Event{Kind: intent.EventLogin, Message: fmt.Sprint(p, g, i)}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	holds(t, read(t, path), 40)
}

// TestAuditAfterACrash: a line that was cut off at any byte is told by the next one, and the chain holds.
func TestAuditAfterACrash(t *testing.T) {
	t.Parallel()
	for _, whole := range []int{0, 2} {
		all := logOf(t, whole+1)
		last := len(logOf(t, whole))
		for end := last + 1; end < len(all); end += 1 + (len(all)-last)/20 {
			path, open := auditAt(t)
			write(t, path, all[:end])
			if verify(t, all[:end], intent.Head{}).OK() {
				t.Fatalf("a log that is cut off at byte %d passes", end)
			}
			if err := open().Append(intent.Event{Kind: intent.EventLogin}); err != nil {
				t.Fatal(err)
			}
			raw := read(t, path)
			report := verify(t, raw, intent.Head{})
			torn := end < len(all)-1 // else only the end of the line was missing
			if !report.OK() || (len(report.Torn) == 1 && report.Torn[0] == int64(whole)+1) != torn || report.Head.Seq != int64(whole)+2 {
				t.Errorf("cut off at byte %d of %d: %+v\n%s", end-last, len(all)-last, report, raw)
			}
			if torn && verify(t, bytes.Replace(raw, all[last:end], all[last:end-1], 1), intent.Head{}).OK() {
				t.Errorf("what is left of a line was changed unseen, at byte %d", end-last)
			}
		}
	}
}

// TestAuditRefusesFiles that are none of its own.
func TestAuditRefusesFiles(t *testing.T) {
	t.Parallel()
	sound := logOf(t, 2)
	for name, tc := range map[string]struct {
		put  func(t *testing.T, path string)
		says string
	}{
		"another file":    {func(t *testing.T, path string) { t.Helper(); write(t, path, []byte("hello\n")) }, "not one of an audit log"},
		"without an end":  {func(t *testing.T, path string) { t.Helper(); write(t, path, []byte("hello")) }, "not one of an audit log"},
		"last line":       {func(t *testing.T, path string) { t.Helper(); write(t, path, append(slices.Clone(sound), "x\n"...)) }, "not one of an audit log"},
		"one long line":   {func(t *testing.T, path string) { t.Helper(); write(t, path, bytes.Repeat([]byte("x"), 200_000)) }, "not one of an audit log"},
		"a folder":        {func(t *testing.T, path string) { t.Helper(); _ = os.Mkdir(path, 0o700) }, "not a regular file"},
		"others can read": {func(t *testing.T, path string) { t.Helper(); write(t, path, sound); _ = os.Chmod(path, 0o644) }, "mode 0644 instead of 0600"}, //nolint:gosec // the point
		"no folder":       {func(t *testing.T, path string) { t.Helper(); _ = os.Remove(filepath.Dir(path)) }, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.Contains(tc.says, "mode") {
				t.Skip("there are no modes")
			}
			path, open := auditAt(t)
			tc.put(t, path)
			before, _ := os.ReadFile(path) //nolint:gosec // the test's own file
			if err := open().Ready(); !errors.Is(err, kite.ErrAudit) {
				t.Errorf("ready: %v", err)
			}
			err := open().Append(intent.Event{Kind: intent.EventLogin})
			if !errors.Is(err, kite.ErrAudit) || !strings.Contains(err.Error(), tc.says) && runtime.GOOS != "windows" {
				t.Errorf("error %v, want %q", err, tc.says)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) { //nolint:gosec // as above
				t.Errorf("the file was changed: %s", after)
			}
		})
	}
}

// TestAuditIsMovedAway: a log that somebody rotates goes on in a new file with a chain of its own.
func TestAuditIsMovedAway(t *testing.T) {
	t.Parallel()
	path, open := auditAt(t)
	a := open()
	for range 2 {
		if err := a.Ready(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := a.Append(intent.Event{Kind: intent.EventLogin}); err != nil {
				t.Fatal(err)
			}
		}
		holds(t, read(t, path), 3)
		if err := os.Rename(path, path+".1"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAuditSeesEveryChange: no line can be removed, changed, put in, moved or cut unseen; what happens to the last one
// is seen by whoever knows the head.
func TestAuditSeesEveryChange(t *testing.T) {
	t.Parallel()
	sound := logOf(t, 8)
	lines := bytes.SplitAfter(sound, []byte{'\n'})
	lines = lines[:len(lines)-1] // what is behind the last end
	head := holds(t, sound, 8)
	foreign := bytes.SplitAfter(bytes.ReplaceAll(logOf(t, 8), []byte("DM0001"), []byte("DM0002")), []byte{'\n'})
	rnd := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same damage every time
	changes := map[string]func(i int) [][]byte{
		"removed":  func(i int) [][]byte { return slices.Delete(slices.Clone(lines), i, i+1) },
		"repeated": func(i int) [][]byte { return slices.Insert(slices.Clone(lines), i, lines[i]) },
		"put in":   func(i int) [][]byte { return slices.Insert(slices.Clone(lines), i, foreign[i]) },
		"replaced": func(i int) [][]byte { c := slices.Clone(lines); c[i] = foreign[i]; return c },
		"swapped": func(i int) [][]byte {
			c := slices.Clone(lines)
			c[i], c[(i+1)%len(c)] = c[(i+1)%len(c)], c[i]
			return c
		},
		"one byte": func(i int) [][]byte {
			c := slices.Clone(lines)
			c[i] = bytes.Clone(c[i])
			c[i][rnd.IntN(len(c[i]))] ^= 1 << rnd.IntN(8)
			return c
		},
		"cut short":    func(i int) [][]byte { c := slices.Clone(lines); c[i] = c[i][:rnd.IntN(len(c[i]))]; return c },
		"cut off":      func(i int) [][]byte { return lines[:i] },
		"from here on": func(i int) [][]byte { return append(slices.Clone(lines[:i]), foreign[i:8]...) },
		"blank line":   func(i int) [][]byte { return slices.Insert(slices.Clone(lines), i, []byte{'\n'}) },
	}
	for name, change := range changes {
		repeat := 1
		if name == "one byte" || name == "cut short" { // at random
			repeat = 40
		}
		for range repeat {
			for i := range lines {
				raw := bytes.Join(change(i), nil)
				if bytes.Equal(raw, sound) {
					continue
				}
				if verify(t, raw, head).OK() {
					t.Fatalf("%s, line %d: not seen by one who knows the head\n%s", name, i+1, raw)
				}
				behind := i == len(lines)-1 || name == "cut off" || name == "from here on"
				if report := verify(t, raw, intent.Head{}); report.OK() && !behind {
					t.Fatalf("%s, line %d: not seen\n%s", name, i+1, raw)
				} else if !report.OK() && report.Problems[0].Line > int64(i)+3 {
					t.Errorf("%s, line %d: seen in line %d", name, i+1, report.Problems[0].Line)
				}
			}
		}
	}
}

// TestAuditNamesTheLine in which something is wrong, and what.
func TestAuditNamesTheLine(t *testing.T) {
	t.Parallel()
	lines := bytes.SplitAfter(logOf(t, 4), []byte{'\n'})
	for name, tc := range map[string]struct {
		lines [][]byte
		want  []intent.AuditProblem
	}{
		"removed":  {[][]byte{lines[0], lines[2], lines[3]}, []intent.AuditProblem{{Line: 2, Text: "has seq 3 after 1: lines before it are missing"}}},
		"first":    {lines[1:], []intent.AuditProblem{{Line: 1, Text: "is the first one and has seq 2: lines before it are missing"}}},
		"repeated": {[][]byte{lines[0], lines[1], lines[1], lines[2]}, []intent.AuditProblem{{Line: 3, Text: "has seq 2 after 2: it was put in, repeated or moved"}}},
		"changed": {
			[][]byte{lines[0], bytes.Replace(lines[1], []byte("placed"), []byte("absent"), 1), lines[2]},
			[]intent.AuditProblem{{Line: 3, Text: "does not continue the line before it: that one was changed, or this one was put in its place"}},
		},
		"foreign": {[][]byte{lines[0], []byte("hello\n"), lines[1]}, []intent.AuditProblem{{Line: 2, Text: "is not a line of an audit log"}}},
		"cut off": {[][]byte{lines[0], lines[1][:9]}, []intent.AuditProblem{{Line: 2, Text: "is cut off: its writer died, or the end of the file was taken away"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, verify(t, bytes.Join(tc.lines, nil), intent.Head{}).Problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAuditBoundsItsReport: a file that is no log at all does not fill the memory.
func TestAuditBoundsItsReport(t *testing.T) {
	t.Parallel()
	long := io.LimitReader(endless('x'), 10<<20)
	report, err := intent.VerifyAudit(io.MultiReader(strings.NewReader(strings.Repeat("x\n", 5000)), long), intent.Head{})
	if err != nil || len(report.Problems) != 100 || report.More != 4901 || report.Lines != 5001 {
		t.Errorf("%d problems and %d more in %d lines, %v", len(report.Problems), report.More, report.Lines, err)
	}
}

type endless byte

// Read implements io.Reader.
func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestParseHead(t *testing.T) {
	t.Parallel()
	head := holds(t, logOf(t, 3), 3)
	if got, err := intent.ParseHead(head.String()); err != nil || got != head {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", ":", "3", "3:", "0:" + head.SHA256, "-1:" + head.SHA256, "3:" + strings.ToUpper(head.SHA256), "3:" + head.SHA256[2:], head.String() + " "} {
		if got, err := intent.ParseHead(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

// FuzzVerifyAudit: whatever a file holds, it is checked without a panic; what passes ends in the head that is reported,
// and a log that goes on from there passes too.
func FuzzVerifyAudit(f *testing.F) {
	sound := logOf(f, 3)
	f.Add(sound)
	f.Add(sound[:len(sound)-9])
	f.Add([]byte(`{"seq":1,"prev":"","time":"2026-12-02T11:15:00+05:30","event":"torn_line","torn":{"bytes":0,"sha256":""}}` + "\n"))
	f.Add([]byte("{}\n\n\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		report, err := intent.VerifyAudit(bytes.NewReader(raw), intent.Head{})
		if err != nil {
			t.Fatal(err)
		}
		if !report.OK() || report.Lines == 0 {
			return
		}
		if again, _ := intent.VerifyAudit(bytes.NewReader(raw), report.Head); !again.OK() {
			t.Errorf("its own head is not known: %+v", again)
		}
		path, open := auditAt(t)
		write(t, path, raw)
		if err := open().Append(intent.Event{Kind: intent.EventLogin}); err != nil {
			t.Fatal(err)
		}
		if next := verify(t, read(t, path), report.Head); !next.OK() || next.Head.Seq != report.Head.Seq+1 {
			t.Errorf("continued: %+v", next)
		}
	})
}
