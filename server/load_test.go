package server_test

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	sessionCap = 1000
	mebibyte   = 1 << 20
)

// heap is the memory in use after a full collection, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC() // the first one only frees what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // a heap is far below 2^63 bytes
}

// TestSessionsBeyondTheCap: a thousand idle legacy sessions cost at most 32 MiB,
// more are refused with the time to come back, nobody else notices, and when
// they end everything they held is free again.
func TestSessionsBeyondTheCap(t *testing.T) { // not parallel: it counts memory and goroutines
	s, _ := newServer(t)
	w := newWeb(t, s)
	w.round()
	goroutines, before := runtime.NumGoroutine(), heap()
	sessions := make([][]string, sessionCap)
	for i := range sessions {
		sessions[i] = w.session(skills)
	}
	if grown := heap() - before; grown > 32*mebibyte {
		t.Errorf("%d sessions hold %d bytes, want at most 32 MiB", sessionCap, grown)
	}
	for range 100 {
		res := w.post(hello)
		if res.status != http.StatusServiceUnavailable || res.header.Get("Retry-After") != "60" {
			t.Fatalf("session beyond the cap: status %d, Retry-After %q", res.status, res.header.Get("Retry-After"))
		}
		if text := string(res.body); text != "too many open sessions; try again later\n" {
			t.Fatalf("session beyond the cap: %q", text)
		}
	}
	if r := w.legacyCall("tools/list", `{}`, sessions[0]); r.Error != nil {
		t.Errorf("an open session: %s", r.body)
	}
	if r := w.call("tools/list", "", params(skills)); r.Error != nil {
		t.Errorf("a modern client: %s", r.body)
	}
	for _, session := range sessions {
		w.do(http.MethodDelete, "/mcp", "", session...)
	}
	clear(sessions)
	w.round() // there is room again
	http.DefaultClient.CloseIdleConnections()
	if after := settled(goroutines + 2); after > goroutines+2 {
		t.Errorf("%d goroutines before, %d after", goroutines, after)
	}
	if left := heap() - before; left > 2*mebibyte {
		t.Errorf("%d bytes are still held after the sessions ended", left)
	}
}

// TestModernClientsHoldNothing: a thousand modern clients leave at most 2 MiB.
func TestModernClientsHoldNothing(t *testing.T) { // not parallel: it counts memory
	s, _ := newServer(t)
	w := newWeb(t, s)
	w.round()
	before := heap()
	for range sessionCap {
		w.call("skills/list", "", params(skills))
	}
	if left := heap() - before; left > 2*mebibyte {
		t.Errorf("%d bytes are held after %d modern calls, want at most 2 MiB", left, sessionCap)
	}
}

// TestStalledConnections: connections that send nothing, half a header or half a
// body keep nobody else waiting, and leave nothing when they go.
func TestStalledConnections(t *testing.T) { // not parallel: it counts goroutines
	s, _ := newServer(t)
	w := newWeb(t, s)
	w.round()
	goroutines := runtime.NumGoroutine()
	addr := strings.TrimPrefix(w.url, "http://")
	var stalled []net.Conn
	for range 100 {
		for _, begun := range []string{"", "POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\nContent-", "POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\nContent-Length: 1000\r\n\r\n{"} {
			var d net.Dialer
			c, err := d.DialContext(t.Context(), "tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(c, begun); err != nil {
				t.Fatal(err)
			}
			stalled = append(stalled, c)
		}
	}
	w.round()
	for _, c := range stalled {
		_ = c.Close()
	}
	if after := settled(goroutines + 2); after > goroutines+2 {
		t.Errorf("%d goroutines before, %d after", goroutines, after)
	}
}

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

// settled returns how many goroutines run once they are at most n, or after a
// minute.
func settled(n int) int {
	deadline := time.NewTimer(time.Minute)
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
