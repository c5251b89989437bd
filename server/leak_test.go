package server_test

import (
	"net/http"
	"runtime"
	"testing"
	"time"
)

// TestNothingIsLeftBehind: sessions opened, used and deleted, modern calls and a
// cancelled one leave no goroutine.
func TestNothingIsLeftBehind(t *testing.T) { // not parallel: it counts goroutines
	s, _ := newServer(t)
	w := newWeb(t, s)
	w.round()
	before := runtime.NumGoroutine()
	for range 50 {
		w.round()
	}
	if after := settled(before + 2); after > before+2 {
		t.Errorf("%d goroutines before, %d after 50 rounds", before, after)
	}
}

// round is one legacy session with a call, and one modern call.
func (w *web) round() {
	w.t.Helper()
	session := w.session(`{}`)
	w.legacyCall("tools/list", `{}`, session)
	w.do(http.MethodDelete, "/mcp", "", session...)
	w.call("tools/list", "", params(skills))
	http.DefaultClient.CloseIdleConnections()
}

// settled returns how many goroutines run once they are at most n, or after five
// seconds.
func settled(n int) int {
	deadline := time.NewTimer(5 * time.Second)
	defer deadline.Stop()
	for {
		got := runtime.NumGoroutine()
		select {
		case <-deadline.C:
			return got
		default:
			if got <= n {
				return got
			}
			runtime.Gosched()
		}
	}
}
