package demo

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault is a failure to inject into the answers of a route.
type Fault struct {
	Route string // route name or its beginning, "holdings" or "holdings.summary"; "*" is every route
	Kind  string // what goes wrong
	Arg   string // of the kinds that need one
	Count int    // how many calls are hit; 0 is all
}

// Faults are rules in order; the first that fits a call is used.
type Faults []Fault

// argument says what a kind of fault takes after "=".
type argument int

const (
	noArgument argument = iota
	optionalEmpty
	neededDuration
	neededText
)

func faultKinds() map[string]argument {
	return map[string]argument{
		"429": noArgument, "429text": noArgument,
		"token": noArgument, "token1": noArgument, "perm": noArgument,
		"404": noArgument, "500": noArgument, "502": noArgument, "502html": noArgument, "503": noArgument, "504": noArgument,
		"200error": noArgument, "slow": neededDuration, "hang": noArgument, "truncate": noArgument, "reset": noArgument,
		"empty": optionalEmpty, "missing": neededText,
		"floatqty": noArgument, "nullqty": noArgument, "badtime": noArgument, "extra": noArgument, "evil": noArgument,
		"nullcandle": noArgument, "shortcandle": noArgument,
		"html-instruments": noArgument, "half-instruments": noArgument, "badrow": noArgument,
	}
}

// FaultKinds lists the kinds of faults in order, for help texts and for tests that want all.
func FaultKinds() []string { return slices.Sorted(maps.Keys(faultKinds())) }

// ParseFaults reads rules of the form route:kind[=argument][*count], separated by commas. The count defaults to one
// call, *0 means every call. The error names what is wrong and what exists.
func ParseFaults(s string) (Faults, error) {
	var all Faults
	for rule := range strings.SplitSeq(s, ",") {
		rule = strings.TrimSpace(rule)
		if rule == "" {
			continue
		}
		f, err := parseFault(rule)
		if err != nil {
			return nil, fmt.Errorf("demo fault %q: %w", rule, err)
		}
		all = append(all, f)
	}
	return all, nil
}

func parseFault(rule string) (Fault, error) {
	f := Fault{Count: 1}
	if body, count, ok := cutLast(rule, "*"); ok {
		if n, err := strconv.Atoi(count); err == nil && n >= 0 {
			rule, f.Count = body, n
		}
	}
	name, kind, ok := strings.Cut(rule, ":")
	if !ok {
		return f, errors.New("want route:kind, such as holdings:503")
	}
	f.Route = name
	kind, arg, hasArg := strings.Cut(kind, "=")
	f.Kind, f.Arg = kind, arg
	if !knownRoute(name) {
		return f, fmt.Errorf("unknown route; known are *, %s", strings.Join(routeNames(), ", "))
	}
	want, known := faultKinds()[f.Kind]
	if !known {
		return f, fmt.Errorf("unknown kind; known are %s", strings.Join(FaultKinds(), ", "))
	}
	return f, checkArgument(f, want, hasArg)
}

func checkArgument(f Fault, want argument, given bool) error {
	switch want {
	case noArgument:
		if given {
			return fmt.Errorf("%s takes no argument", f.Kind)
		}
	case optionalEmpty:
		if f.Arg != "" && f.Arg != "null" && f.Arg != "[]" && f.Arg != "{}" {
			return fmt.Errorf("%s takes null, [] or {}", f.Kind)
		}
	case neededDuration:
		if d, err := time.ParseDuration(f.Arg); err != nil || d < 0 {
			return fmt.Errorf("%s needs a duration, such as %s=3s", f.Kind, f.Kind)
		}
	case neededText:
		if f.Arg == "" {
			return fmt.Errorf("%s needs an instrument, such as %s=NSE:INFY", f.Kind, f.Kind)
		}
	}
	return nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 1 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func routeNames() []string {
	var names []string
	for _, rt := range routeTable() {
		names = append(names, rt.name)
	}
	return names
}

// knownRoute accepts a name, the beginning of some up to a dot, and the star.
func knownRoute(name string) bool {
	return name == "*" || slices.ContainsFunc(routeNames(), func(full string) bool { return addresses(name, full) })
}

// addresses reports whether a rule for a route, or a group of them, meets the route of that full name.
func addresses(rule, full string) bool {
	return rule == "*" || rule == full || strings.HasPrefix(full, rule+".")
}

// armedFault is a rule and the calls it still has to hit.
type armedFault struct {
	Fault
	left int // below zero: for ever
}

func arm(rules Faults) []armedFault {
	armed := make([]armedFault, 0, len(rules))
	for _, f := range rules {
		left := f.Count
		if left == 0 {
			left = -1
		}
		armed = append(armed, armedFault{f, left})
	}
	return armed
}

// armed is what is left of the rules, in the form that ParseFaults reads.
func (x *Exchange) armed() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var rules []string
	for _, f := range x.faults {
		if f.left == 0 {
			continue
		}
		rule := f.Route + ":" + f.Kind
		if f.Arg != "" {
			rule += "=" + f.Arg
		}
		rules = append(rules, rule+"*"+strconv.Itoa(max(f.left, 0)))
	}
	return strings.Join(rules, ",")
}

// nextFault uses up one hit of the first rule that fits. The zero Fault does nothing.
func (x *Exchange) nextFault(name string) Fault {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.faults {
		f := &x.faults[i]
		if !addresses(f.Route, name) || f.left == 0 {
			continue
		}
		if f.left > 0 {
			f.left--
		}
		return f.Fault
	}
	return Fault{}
}

// replace answers in place of the route, if that is what the fault does.
func (f Fault) replace(x *Exchange, w http.ResponseWriter, r *http.Request) bool {
	switch f.Kind {
	case "429":
		w.Header().Set("Retry-After", "1")
		writeError(w, tooMany())
	case "429text":
		writeText(w, http.StatusTooManyRequests, "text/plain", "Too many requests\n")
	case "token", "token1":
		if f.Kind == "token" {
			x.endSession(bearer(r))
		}
		writeError(w, badToken())
	case "perm":
		writeError(w, &apiError{http.StatusForbidden, "PermissionException", "Insufficient permission for that call."})
	case "404":
		writeError(w, notFound())
	case "500":
		writeError(w, &apiError{http.StatusInternalServerError, "GeneralException", "Something went wrong"})
	case "502", "503", "504":
		status, _ := strconv.Atoi(f.Kind)
		writeError(w, &apiError{status, "NetworkException", "Order management system is not reachable"})
	case "502html":
		writeText(w, http.StatusBadGateway, "text/html", errorPage)
	case "html-instruments":
		writeText(w, http.StatusOK, "text/html", errorPage)
	case "200error":
		writeError(w, &apiError{http.StatusOK, "GeneralException", "Something went wrong"})
	case "hang":
		<-r.Context().Done()
	case "slow":
		return f.delay(r)
	default:
		return false
	}
	return true
}

const errorPage = "<html><head><title>502 Bad Gateway</title></head>\n<body><center><h1>502 Bad Gateway</h1></center></body></html>\n"

func writeText(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// delay waits and then lets the route answer; true when the caller left meanwhile.
func (f Fault) delay(r *http.Request) bool {
	d, _ := time.ParseDuration(f.Arg) // checked by ParseFaults
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return false
	case <-r.Context().Done():
		return true
	}
}

// write sends the body, whole or not.
func (f Fault) write(w http.ResponseWriter, body []byte) {
	switch f.Kind {
	case "truncate":
		body = body[:len(body)/2]
	case "reset":
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush() // in process there is nothing to flush
		panic(http.ErrAbortHandler)               // net/http's way to break the connection
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
