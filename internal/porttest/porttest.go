// Package porttest finds ports for tests whose program must be told its own. Only
// tests import it; start at Addr.
package porttest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The ports that are tried. The system gives none of them to an outgoing
// connection or to a listener on port 0, so that no other test takes one between
// its being found and its being used.
const first, count = 10_000, 20_000

// Addr returns a loopback address that nothing listens on.
func Addr(tb testing.TB) string {
	tb.Helper()
	for range 100 {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(count))) //nolint:gosec // any will do
		l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", addr)
		if err != nil {
			continue
		}
		_ = l.Close()
		return addr
	}
	tb.Fatal("no free port on this machine")
	return ""
}
