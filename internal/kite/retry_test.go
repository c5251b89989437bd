package kite_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// middle makes every wait the back-off itself: 250 ms, then 500 ms.
func middle() float64 { return 0.5 }

// reply is one answer of a scripted exchange.
type reply struct {
	status int
	body   string
	after  string // Retry-After
	err    error
}

// scripted answers with the replies in turn, then with success, and notes when calls came.
func scripted(calls *[]time.Duration, replies []reply) wire {
	began := running()
	return func(r *http.Request) (*http.Response, error) {
		n := len(*calls)
		*calls = append(*calls, running().Sub(began))
		if n >= len(replies) {
			return response(r, 200, `{"status":"success","data":[]}`), nil
		}
		if replies[n].err != nil {
			return nil, replies[n].err
		}
		resp := response(r, replies[n].status, replies[n].body)
		if replies[n].after != "" {
			resp.Header.Set("Retry-After", replies[n].after)
		}
		return resp, nil
	}
}

func refusal(status int, kiteType string) reply {
	return reply{status: status, body: `{"status":"error","message":"m","error_type":"` + kiteType + `"}`}
}

func times(n int, r reply) []reply {
	out := make([]reply, n)
	for i := range out {
		out[i] = r
	}
	return out
}

// What may pass is repeated twice, the unclassified once, everything else never; waits double.
func TestRetries(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	three := []time.Duration{0, 250 * ms, 750 * ms}
	for name, tc := range map[string]struct {
		replies []reply
		want    []time.Duration // when the calls left
		kind    kite.ErrorKind
	}{
		"one 502, then good":     {times(1, refusal(502, "NetworkException")), three[:2], ""},
		"two 503, then good":     {times(2, refusal(503, "NetworkException")), three, ""},
		"504 for ever":           {times(9, refusal(504, "NetworkException")), three, kite.KindUpstreamUnavailable},
		"a gateway's page":       {times(9, reply{status: 502, body: "<html>"}), three, kite.KindUpstreamUnavailable},
		"unreadable at the OMS":  {times(9, refusal(502, "DataException")), three, kite.KindUpstreamUnavailable},
		"unclassified":           {times(9, refusal(500, "GeneralException")), three[:2], kite.KindUpstreamUnavailable},
		"unclassified as 200":    {times(1, refusal(200, "GeneralException")), three[:2], ""},
		"no such route":          {times(9, refusal(404, "GeneralException")), three[:1], kite.KindNotFound},
		"too many, one second":   {times(9, reply{status: 429, body: "slow down", after: "1"}), []time.Duration{0, 1000 * ms, 2000 * ms}, kite.KindRateLimited},
		"too many, for a minute": {times(9, reply{status: 429, body: "slow down", after: "60"}), three[:1], kite.KindRateLimited},
		"ended session":          {times(9, refusal(403, "TokenException")), three[:1], kite.KindSessionExpired},
		"no permission":          {times(9, refusal(403, "PermissionException")), three[:1], kite.KindPermissionDenied},
		"bad input":              {times(9, refusal(400, "InputException")), three[:1], kite.KindRejected},
		"a 500 of the OMS":       {times(9, refusal(500, "NetworkException")), three[:1], kite.KindUpstreamUnavailable},
		"a refused connection":   {times(9, reply{err: errors.New("refused")}), three[:1], kite.KindUpstreamUnavailable},
		"different failures":     {[]reply{refusal(500, "GeneralException"), refusal(502, "NetworkException"), refusal(502, "NetworkException")}, three, kite.KindUpstreamUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls []time.Duration
				c := kite.New(kite.Options{
					BaseURL: "https://kite.invalid", APIKey: testKey, AccessToken: testToken,
					Transport: scripted(&calls, tc.replies), Now: running, Retry: kite.NewRetry(middle),
				})
				_, err := c.Holdings(t.Context())
				wantKind(t, err, tc.kind)
				if d := cmp.Diff(tc.want, calls); d != "" {
					t.Errorf("calls left at (-want +got):\n%s", d)
				}
			})
		})
	}
}

// The waits are spread by the random numbers that were handed in, from half to one and a half.
func TestRetriesAreSpread(t *testing.T) {
	t.Parallel()
	for random, want := range map[float64]time.Duration{0: 125 * time.Millisecond, 0.999: 374 * time.Millisecond} {
		t.Run(strconv.FormatFloat(random, 'f', -1, 64), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var calls []time.Duration
				c := kite.New(kite.Options{
					BaseURL: "https://kite.invalid", APIKey: testKey, AccessToken: testToken,
					Transport: scripted(&calls, times(1, refusal(503, "NetworkException"))), Retry: kite.NewRetry(func() float64 { return random }),
				})
				if _, err := c.Holdings(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := calls[1].Truncate(time.Millisecond); got != want {
					t.Errorf("repeated after %v, want %v", got, want)
				}
			})
		})
	}
}

// A repeat that the deadline would cut off is not waited for, and a caller who leaves ends the wait.
func TestRetriesEndWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls []time.Duration
		c := kite.New(kite.Options{
			BaseURL: "https://kite.invalid", APIKey: testKey, AccessToken: testToken, Timeout: 900 * time.Millisecond,
			Transport: scripted(&calls, times(9, reply{status: 429, after: "1"})), Retry: kite.NewRetry(middle),
		})
		began := running()
		_, err := c.Holdings(t.Context())
		wantKind(t, err, kite.KindRateLimited)
		if took := running().Sub(began); took != 0 || len(calls) != 1 {
			t.Errorf("%d calls took %v", len(calls), took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		began = running()
		c = kite.New(kite.Options{
			BaseURL: "https://kite.invalid", APIKey: testKey, AccessToken: testToken,
			Transport: scripted(&calls, times(99, refusal(503, "NetworkException"))), Retry: kite.NewRetry(middle),
		})
		_, err = c.Holdings(ctx)
		if took := running().Sub(began); err == nil || took != 100*time.Millisecond {
			t.Errorf("took %v, %v", took, err)
		}
	})
}

// Repeats stand in line like every call.
func TestRetriesArePaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls []time.Duration
		c := kite.New(kite.Options{
			BaseURL: "https://kite.invalid", APIKey: testKey, AccessToken: testToken, Pacer: kite.NewPacer(running),
			Transport: scripted(&calls, times(1, refusal(503, "NetworkException"))), Retry: kite.NewRetry(middle),
		})
		if _, err := c.LTP(t.Context(), []string{"NSE:INFY"}); err != nil {
			t.Fatal(err)
		}
		if len(calls) != 2 || calls[1] < time.Second {
			t.Errorf("calls left at %v, want a second between them", calls)
		}
	})
}
