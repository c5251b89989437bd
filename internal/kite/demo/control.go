package demo

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The control routes lie under /__demo: the clock, the faults, a fresh start, and what was received. They answer only
// callers on this machine.

// received is a call as the request log shows it. Secrets are replaced.
type received struct {
	At      time.Time   `json:"at"` // real time, to the microsecond: what rate limits look at
	DemoAt  string      `json:"demo_at"`
	Method  string      `json:"method"`
	Path    string      `json:"path"`
	Query   url.Values  `json:"query,omitempty"`
	Headers http.Header `json:"headers"`
	Form    url.Values  `json:"form,omitempty"`
	Status  int         `json:"status"`
}

// logSize is how many calls are remembered.
const logSize = 2000

const redacted = "REDACTED"

// logCall remembers a call. The form is that of a write.
func (x *Exchange) logCall(r *http.Request, came time.Time, form url.Values, status int) {
	entry := received{
		At: came.Truncate(time.Microsecond), DemoAt: stamp(x.clock.now()), Method: r.Method, Path: r.URL.Path,
		Query: withoutSecrets(r.URL.Query()), Headers: r.Header.Clone(), Form: withoutSecrets(form), Status: status,
	}
	for _, name := range []string{"Authorization", "Cookie"} {
		if entry.Headers.Get(name) != "" {
			entry.Headers.Set(name, redacted)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.log) >= 2*logSize {
		x.log = slices.Delete(x.log, 0, logSize)
	}
	x.log = append(x.log, entry)
}

func withoutSecrets(values url.Values) url.Values {
	if len(values) == 0 {
		return nil
	}
	out := url.Values{}
	for name, list := range values {
		switch name {
		case "access_token", "refresh_token", "request_token", "checksum", "api_secret":
			list = []string{redacted}
		}
		out[name] = list
	}
	return out
}

// local reports whether a request comes from this machine and not from a page that a browser here has open.
func local(r *http.Request) bool {
	if r.RemoteAddr == "" { // in process
		return true
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !loopbackHost(host) || r.Header.Get("Origin") != "" {
		return false
	}
	asked := r.Host
	if name, _, err := net.SplitHostPort(asked); err == nil {
		asked = name
	}
	return loopbackHost(strings.Trim(asked, "[]"))
}

func notFound() *apiError {
	return &apiError{http.StatusNotFound, "GeneralException", "Route not found"}
}

func wrongMethod() *apiError {
	return &apiError{http.StatusMethodNotAllowed, "GeneralException", "Method not allowed"}
}

// serveControl answers a control route.
func (x *Exchange) serveControl(w http.ResponseWriter, r *http.Request) {
	if !local(r) {
		writeError(w, notFound())
		return
	}
	body, e := readBody(w, r)
	if e != nil {
		writeError(w, e)
		return
	}
	var data any
	name := strings.TrimPrefix(r.URL.Path, controlPrefix)
	switch r.Method + " " + name {
	case "GET clock":
		data = x.clockState()
	case "POST clock":
		if e = x.setClock(body); e == nil {
			data = x.clockState()
		}
	case "GET faults":
		data = map[string]string{"faults": x.armed()}
	case "PUT faults":
		if e = x.setFaults(body); e == nil {
			data = map[string]string{"faults": x.armed()}
		}
	case "DELETE faults":
		x.mu.Lock()
		x.faults = nil
		x.mu.Unlock()
		data = map[string]string{"faults": ""}
	case "POST reset":
		x.reset()
		data = x.clockState()
	case "GET requests":
		x.mu.Lock()
		data = append([]received{}, x.log[max(0, len(x.log)-logSize):]...)
		x.mu.Unlock()
	case "DELETE requests":
		x.mu.Lock()
		x.log = nil
		x.mu.Unlock()
	default:
		e = notFound()
		if name == "clock" || name == "faults" || name == "reset" || name == "requests" {
			e = wrongMethod()
		}
	}
	if e != nil {
		writeError(w, e)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(mustJSON(map[string]any{"status": "success", "data": data}))
}

func (x *Exchange) clockState() map[string]any {
	return map[string]any{"now": x.clock.now().Format(time.RFC3339), "frozen": !x.clock.Frozen.IsZero(), "speed": x.clock.Speed}
}

// setClock moves the clock forward. Back there is no way but a reset, since orders cannot be undone.
func (x *Exchange) setClock(body []byte) *apiError {
	var in struct {
		Advance string    `json:"advance"`
		Now     time.Time `json:"now"`
	}
	if json.Unmarshal(body, &in) != nil {
		return invalid(`Send {"advance":"30s"} or {"now":"2026-12-02T11:15:00+05:30"}.`)
	}
	d := in.Now.Sub(x.clock.raw())
	if in.Now.IsZero() {
		var err error
		if d, err = time.ParseDuration(in.Advance); err != nil {
			return invalid(`Send {"advance":"30s"} or {"now":"2026-12-02T11:15:00+05:30"}.`)
		}
	}
	const furthest = 366 * 24 * time.Hour
	if d < 0 || d > furthest {
		return invalid("The demo clock moves forward only, at most a year at a time; POST /__demo/reset puts it back.")
	}
	x.clock.advance(d)
	return nil
}

// setFaults replaces the faults: the text of KITE_DEMO_FAULTS, or an object with it under "faults".
func (x *Exchange) setFaults(body []byte) *apiError {
	text := string(body)
	var in struct {
		Faults string `json:"faults"`
	}
	if json.Unmarshal(body, &in) == nil {
		text = in.Faults
	}
	rules, err := ParseFaults(text)
	if err != nil {
		return invalid("%s", err.Error())
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.faults = arm(rules)
	return nil
}

// reset puts everything back to the start: clock, faults, logins, books and the log.
func (x *Exchange) reset() {
	x.engine.Lock()
	defer x.engine.Unlock()
	x.clock.restart()
	x.mu.Lock()
	x.start = momentOf(x.clock.raw())
	x.begin()
	x.mu.Unlock()
	x.books, x.stored = map[string]*desk{}, map[string]*book{}
	x.save()
}
