package demo

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// call is one request on its way through a route.
type call struct {
	x    *Exchange
	u    *universe
	at   instant
	args []string // what stands at the stars of the path
	r    *http.Request
	body []byte
	form url.Values
	d    *desk // of routes that need a book
}

const (
	loginPath     = "/connect/login"
	controlPrefix = "/__demo/"
	maxBody       = 1 << 20
)

// lostAfter is how long a caller waits for an answer that is lost.
const lostAfter = 8 * time.Second

func (x *Exchange) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, controlPrefix) {
		x.serveControl(w, r)
		return
	}
	came := x.realNow()
	sw := &statusWriter{ResponseWriter: w}
	var form url.Values
	defer func() { x.logCall(r, came, form, sw.status) }()
	if r.URL.Path == loginPath {
		x.serveLogin(sw, r)
		form = r.PostForm
		return
	}
	rt, args, allow := x.findRoute(r.Method, r.URL.Path)
	if rt.name == "" {
		e := notFound()
		if len(allow) > 0 {
			sw.Header().Set("Allow", strings.Join(allow, ", "))
			e = wrongMethod()
		}
		writeError(sw, e)
		return
	}
	c := call{x: x, args: args, r: r}
	var e *apiError
	if c.body, e = readBody(sw, r); e == nil && r.Method != http.MethodGet && !strings.Contains(r.Header.Get("Content-Type"), "json") {
		c.form, e = formOf(c.body)
		form = c.form
	}
	f := x.nextFault(rt.name)
	if f.replace(x, sw, r) {
		return
	}
	if e == nil {
		x.respond(sw, c, rt, f)
		return
	}
	writeError(sw, e)
}

// respond answers a request that no fault has answered.
func (x *Exchange) respond(w http.ResponseWriter, c call, rt route, f Fault) {
	user, e := x.admit(rt, c.r)
	if e != nil {
		writeError(w, e)
		return
	}
	var err error
	if c.u, err = x.universe(); err != nil {
		writeError(w, &apiError{http.StatusInternalServerError, "GeneralException", "The demo exchange has no instruments"})
		return
	}
	c.at = tradingInstant(x.clock.now())
	data, e := x.answer(c, rt, user, f)
	if e != nil {
		writeError(w, e)
		return
	}
	switch answer := data.(type) {
	case csvList:
		writeList(w, c.r, f.spoilList(answer), f)
	case lostAnswer:
		answer.wait(c.r)
	case []byte:
		w.Header().Set("Content-Type", "application/json")
		f.write(w, answer)
	}
}

// answer runs a route and encodes what it says, while nobody else moves the books.
func (x *Exchange) answer(c call, rt route, user string, f Fault) (any, *apiError) {
	switch rt.access {
	case needBook:
		x.engine.Lock()
		defer x.engine.Unlock()
		c.d = x.desk(user, c.u)
		defer func() {
			if c.d.changed {
				x.save()
			}
		}()
	case needHeader: // logins are stored too
		x.engine.Lock()
		defer x.engine.Unlock()
		defer x.save()
	case needUser, needNone:
	}
	data, e := rt.answer(c)
	if e != nil {
		return nil, e
	}
	switch answer := data.(type) {
	case csvList:
		return answer, nil
	case placed:
		if answer.lost {
			return lostAnswer{}, nil
		}
	}
	return mustJSON(map[string]any{"status": "success", "data": f.spoil(data)}), nil
}

// lostAnswer stands for an answer that the caller never gets although its order is in.
type lostAnswer struct{}

func (lostAnswer) wait(r *http.Request) {
	timer := time.NewTimer(lostAfter)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
	panic(http.ErrAbortHandler) // net/http's way to break the connection
}

// admit checks what a call needs, in Kite's order: headers, session, rate. It returns whose call it is.
func (x *Exchange) admit(rt route, r *http.Request) (user string, e *apiError) {
	if rt.access == needNone {
		return "", nil
	}
	if r.Header.Get("X-Kite-Version") != "3" {
		return "", invalid("Missing or unknown `X-Kite-Version` header.")
	}
	if rt.access != needHeader {
		var ok bool
		if user, ok = x.userOf(bearer(r)); !ok {
			return "", badToken()
		}
	}
	if !x.withinLimit(user, rt.family) {
		return "", tooMany()
	}
	return user, nil
}

func tooMany() *apiError {
	return &apiError{http.StatusTooManyRequests, "NetworkException", "Too many requests"}
}

// The limits of orders besides ten a second.
const (
	ordersPerMinute = 200
	ordersPerDay    = 5000
)

// withinLimit counts the calls of real time; a frozen demo clock must not freeze the limits. Orders are counted in
// seconds of the calendar, everything else in any second.
func (x *Exchange) withinLimit(user, family string) bool {
	if !x.options.RateLimit {
		return true
	}
	most := map[string]int{familyQuote: 1, familyCandles: 3, familyOrders: 10, familyOther: 10}[family]
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.realNow()
	key := user + " " + family
	recent := x.windows[key][:0]
	second := 0
	for _, t := range x.windows[key] {
		if now.Sub(t) >= time.Minute {
			continue
		}
		recent = append(recent, t)
		if same := t.Unix() == now.Unix(); family == familyOrders && same || family != familyOrders && now.Sub(t) < time.Second {
			second++
		}
	}
	x.windows[key] = recent
	if second >= most || family == familyOrders && len(recent) >= ordersPerMinute {
		return false
	}
	x.windows[key] = append(recent, now)
	return true
}

// readBody reads the body of a request, up to a size that no call needs.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *apiError) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, &apiError{http.StatusRequestEntityTooLarge, "InputException", "The request is too large."}
	}
	if err != nil {
		return nil, invalid("The request cannot be read.")
	}
	return body, nil
}

func writeError(w http.ResponseWriter, e *apiError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_, _ = w.Write(e.body())
}

// statusWriter remembers the status for the log.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader sets the status.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write adds to the body.
func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets a response controller reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
