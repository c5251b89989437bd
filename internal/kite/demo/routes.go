package demo

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// call is one authenticated request on its way through a route.
type call struct {
	x   *Exchange
	u   *universe
	at  instant
	arg string // last path element of a route that has one
	r   *http.Request
}

// route is one path of the API. The name is what faults address: a rule for "holdings" also meets "holdings.summary".
type route struct {
	name   string
	path   string // a trailing "/" stands for one more path element
	family string // calls that Kite counts together
	answer func(c call) (any, *apiError)
}

func routes() []route {
	return []route{
		{"profile", "/user/profile", "other", answerProfile},
		{"profile.full", "/user/profile/full", "other", answerFullProfile},
		{"margins", "/user/margins", "other", answerMargins},
		{"margins.segment", "/user/margins/", "other", answerSegment},
		{"holdings", "/portfolio/holdings", "other", answerHoldings},
		{"holdings.summary", "/portfolio/holdings/summary", "other", answerSummary},
		{"holdings.compact", "/portfolio/holdings/compact", "other", answerCompact},
		{"positions", "/portfolio/positions", "other", answerPositions},
		{"quote", "/quote", "quote", answerQuotes(500, func(u *universe, in *instrument, at instant) any { return u.quote(in, at) })},
		{"quote.ltp", "/quote/ltp", "quote", answerQuotes(1000, func(u *universe, in *instrument, at instant) any { return u.ltp(in, at) })},
		{"quote.ohlc", "/quote/ohlc", "quote", answerQuotes(1000, func(u *universe, in *instrument, at instant) any { return u.ohlc(in, at) })},
		{"instruments", "/instruments", "other", answerInstruments},
		{"instruments.exchange", "/instruments/", "other", answerInstruments},
	}
}

func findRoute(path string) (route, string, bool) {
	for _, rt := range routes() {
		if path == rt.path && !strings.HasSuffix(rt.path, "/") {
			return rt, "", true
		}
	}
	for _, rt := range routes() {
		arg, ok := strings.CutPrefix(path, rt.path)
		if ok && strings.HasSuffix(rt.path, "/") && arg != "" && !strings.Contains(arg, "/") {
			return rt, arg, true
		}
	}
	return route{}, "", false
}

func (x *Exchange) serve(w http.ResponseWriter, r *http.Request) {
	rt, arg, ok := findRoute(r.URL.Path)
	if !ok {
		writeError(w, &apiError{http.StatusNotFound, "GeneralException", "Route not found"})
		return
	}
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		writeError(w, &apiError{http.StatusMethodNotAllowed, "GeneralException", "Method not allowed"})
		return
	}
	f := x.nextFault(rt.name)
	if f.replace(x, w, r) {
		return
	}
	if e := x.admit(rt, r); e != nil {
		writeError(w, e)
		return
	}
	u, err := x.universe()
	if err != nil {
		writeError(w, &apiError{http.StatusInternalServerError, "GeneralException", "The demo exchange has no instruments"})
		return
	}
	data, e := rt.answer(call{x: x, u: u, at: tradingInstant(x.clock.now()), arg: arg, r: r})
	if e != nil {
		writeError(w, e)
		return
	}
	if list, isCSV := data.(csvList); isCSV {
		writeCSV(w, r, f.spoilCSV(list), f)
		return
	}
	body := mustJSON(map[string]any{"status": "success", "data": f.spoil(data)})
	w.Header().Set("Content-Type", "application/json")
	f.write(w, body)
}

// admit checks what every call needs, in Kite's order: headers, session, rate.
func (x *Exchange) admit(rt route, r *http.Request) *apiError {
	if r.Header.Get("X-Kite-Version") != "3" {
		return &apiError{http.StatusBadRequest, "InputException", "Missing or unknown `X-Kite-Version` header."}
	}
	if r.Header.Get("Authorization") != "token "+APIKey+":"+AccessToken || x.sessionEnded() {
		return &apiError{http.StatusForbidden, "TokenException", "Incorrect `api_key` or `access_token`."}
	}
	if !x.withinLimit(rt.family) {
		return &apiError{http.StatusTooManyRequests, "NetworkException", "Too many requests"}
	}
	return nil
}

func (x *Exchange) sessionEnded() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ended || !x.clock.now().Before(x.expires)
}

// withinLimit counts the calls of the last real second; a frozen demo clock must not freeze the limits.
func (x *Exchange) withinLimit(family string) bool {
	if !x.limit {
		return true
	}
	most := 10
	if family == "quote" {
		most = 1
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.realNow()
	recent := x.windows[family][:0]
	for _, t := range x.windows[family] {
		if now.Sub(t) < time.Second {
			recent = append(recent, t)
		}
	}
	if len(recent) >= most {
		x.windows[family] = recent
		return false
	}
	x.windows[family] = append(recent, now)
	return true
}

func writeError(w http.ResponseWriter, e *apiError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_, _ = w.Write(e.body())
}

func answerProfile(c call) (any, *apiError) { return c.x.account.Profile, nil }

func answerFullProfile(c call) (any, *apiError) {
	full, err := c.x.account.fullProfile()
	if err != nil {
		return nil, &apiError{http.StatusInternalServerError, "GeneralException", "The demo profile is broken"}
	}
	return full, nil
}

func answerMargins(c call) (any, *apiError) { return c.x.account.margins(c.u, c.at), nil }

func answerSegment(c call) (any, *apiError) {
	s, ok := c.x.account.margins(c.u, c.at).segmentOf(c.arg)
	if !ok {
		return nil, &apiError{http.StatusBadRequest, "InputException", "Invalid `segment`."}
	}
	return s, nil
}

func answerHoldings(c call) (any, *apiError) { return c.x.account.holdings(c.u, c.at), nil }

func answerSummary(c call) (any, *apiError) {
	return summaryOf(c.x.account.holdings(c.u, c.at)), nil
}

func answerCompact(c call) (any, *apiError) {
	return compactOf(c.x.account.holdings(c.u, c.at)), nil
}

func answerPositions(c call) (any, *apiError) { return c.x.account.positions(c.u, c.at), nil }

// answerQuotes leaves out what it does not know, without a word, as Kite does.
func answerQuotes(most int, quote func(*universe, *instrument, instant) any) func(call) (any, *apiError) {
	return func(c call) (any, *apiError) {
		ids := c.r.URL.Query()["i"]
		if len(ids) > most {
			return nil, &apiError{http.StatusBadRequest, "InputException", fmt.Sprintf("Too many tokens requested. Max permitted is %d.", most)}
		}
		data := map[string]any{}
		for _, id := range ids {
			if in, ok := c.u.quoted(id, c.at); ok {
				data[id] = quote(c.u, in, c.at)
			}
		}
		return data, nil
	}
}

// csvList is an instruments list; gz is the same compressed, when that is at hand.
type csvList struct{ plain, gz []byte }

func answerInstruments(c call) (any, *apiError) {
	if c.arg == "" {
		return csvList{c.u.csv, c.u.gz}, nil
	}
	header, rest, _ := bytes.Cut(c.u.csv, []byte("\n"))
	out := append(bytes.Clone(header), '\n')
	found := false
	for line := range bytes.Lines(rest) {
		if bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte(","+c.arg)) {
			out, found = append(out, line...), true
		}
	}
	if !found {
		return nil, &apiError{http.StatusBadRequest, "InputException", "Invalid `exchange`."}
	}
	return csvList{plain: out}, nil
}

func writeCSV(w http.ResponseWriter, r *http.Request, list csvList, f Fault) {
	w.Header().Set("Content-Type", "text/csv")
	body := list.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		if body = list.gz; body == nil {
			body = compressed(list.plain)
		}
	}
	f.write(w, body)
}

func compressed(plain []byte) []byte {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	_, _ = zip.Write(plain) // a bytes.Buffer takes everything
	_ = zip.Close()
	return buf.Bytes()
}
