package kite_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
	"github.com/kite-mcp/kite-mcp/internal/kite/demo"
)

// paced returns a client that records when each call leaves, by path.
func paced(left map[string][]time.Time) *kite.Client {
	var mu sync.Mutex
	return kite.New(kite.Options{
		BaseURL: demo.BaseURL, APIKey: testKey, AccessToken: testToken, Pacer: kite.NewPacer(running),
		Transport: wire(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			left[r.URL.Path] = append(left[r.URL.Path], running())
			return response(r, 200, `{"status":"success","data":{"user_id":"X"}}`), nil
		}),
	})
}

// Quote calls of all three kinds together leave at most once a second; who would wait more than two is refused and
// told for how long.
func TestPacerQuotes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		left := map[string][]time.Time{}
		c := paced(left)
		began := running()
		ids := []string{"NSE:INFY"}
		if _, err := c.Quotes(t.Context(), ids); err != nil {
			t.Fatal(err)
		}
		results := make(chan error, 3)
		for range 3 {
			go func() {
				_, err := c.LTP(t.Context(), ids)
				results <- err
			}()
		}
		var refused []error
		for range 3 {
			if err := <-results; err != nil {
				refused = append(refused, err)
			}
		}
		if len(refused) != 2 {
			t.Fatalf("%d of three waiting calls refused, want 2: slots come at about 1 and 2 seconds, the second just too late", len(refused))
		}
		e := failure(t, refused[0], kite.KindRateLimited)
		if !e.Retryable || e.RetryAfter <= 2*time.Second || e.RetryAfter > 3*time.Second || !strings.Contains(e.Hint, "3 seconds") {
			t.Errorf("refusal = %+v", e)
		}
		first, second := left["/quote"][0].Sub(began), left["/quote/ltp"][0].Sub(began)
		if first != 0 || second < time.Second || second > 1100*time.Millisecond {
			t.Errorf("calls left after %v and %v", first, second)
		}
	})
}

// Other calls leave in tens, and no second ever sees more than ten; quotes do not use them up.
func TestPacerOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		left := map[string][]time.Time{}
		c := paced(left)
		if _, err := c.Quotes(t.Context(), []string{"NSE:INFY"}); err != nil {
			t.Fatal(err)
		}
		began := running()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := c.Profile(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		times := left["/user/profile"]
		if len(times) != 20 {
			t.Fatalf("%d calls left", len(times))
		}
		for i := 10; i < 20; i++ {
			if gap := times[i].Sub(times[i-10]); gap < time.Second {
				t.Errorf("calls %d and %d are only %v apart", i-10, i, gap)
			}
		}
		if took := running().Sub(began); took > 1100*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// Waiting in line ends with the caller.
func TestPacerCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		left := map[string][]time.Time{}
		c := paced(left)
		if _, err := c.Quotes(t.Context(), []string{"NSE:INFY"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		began := running()
		_, err := c.Quotes(ctx, []string{"NSE:INFY"})
		wantKind(t, err, kite.KindTimeout)
		if took := running().Sub(began); took != 100*time.Millisecond || !errors.Is(err, context.Canceled) {
			t.Errorf("took %v, error %v", took, err)
		}
		if n := len(left["/quote"]); n != 1 {
			t.Errorf("%d calls left, want 1", n)
		}
	})
}

// A paced client under load never meets the limit of the exchange.
func TestPacerKeepsBelowTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x, err := demo.New(demo.Options{Now: running, Clock: demo.Clock{Frozen: frozen()}, RateLimit: true})
		if err != nil {
			t.Fatal(err)
		}
		c := kite.New(kite.Options{
			BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: x.Transport(), Pacer: kite.NewPacer(running),
		})
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for range 10 {
					var err error
					if worker == 0 {
						_, err = c.LTP(t.Context(), []string{"NSE:INFY"})
					} else {
						_, err = c.Profile(t.Context())
					}
					if e := (*kite.Error)(nil); errors.As(err, &e) && e.Status != 0 {
						t.Errorf("the exchange refused: %v", err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// Without a pacer the exchange's own limit shows as rate_limited.
func TestUnpacedMeetsTheLimit(t *testing.T) {
	t.Parallel()
	x, err := demo.New(demo.Options{Now: frozen, Clock: demo.Clock{Frozen: frozen()}, RateLimit: true})
	if err != nil {
		t.Fatal(err)
	}
	c := kite.New(kite.Options{BaseURL: demo.BaseURL, APIKey: demo.APIKey, AccessToken: demo.AccessToken, Transport: x.Transport()})
	ids := []string{"NSE:INFY"}
	if _, err := c.Quotes(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	_, err = c.OHLC(t.Context(), ids)
	if e := failure(t, err, kite.KindRateLimited); e.Status != 429 || e.Message != "Too many requests" {
		t.Errorf("error = %+v", e)
	}
	for range 10 {
		if _, err := c.Profile(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, err = c.Profile(t.Context())
	wantKind(t, err, kite.KindRateLimited)
}
