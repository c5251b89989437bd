package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const shutdownTime = 10 * time.Second // most wait for running requests at the end

// HTTPOptions says where and how to listen.
type HTTPOptions struct {
	Addr       string            // host:port; port 0 picks a free one
	DrainDelay time.Duration     // how long new requests are still answered after ctx ended
	Ready      func(addr string) // called once with the address that was chosen
}

// ListenAndServe serves HTTP until ctx is cancelled, then answers what was begun
// and returns nil. It returns an error for an address that cannot be used.
func (s *Server) ListenAndServe(ctx context.Context, opts HTTPOptions) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", opts.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", opts.Addr, err)
	}
	end := &ending{streams: make(chan struct{})}
	srv := &http.Server{
		Handler:           end.wrap(s.Handler()),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	if opts.Ready != nil {
		opts.Ready(l.Addr().String())
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve http: %w", err)
	case <-ctx.Done():
	}
	end.draining.Store(true)
	wait := time.NewTimer(opts.DrainDelay)
	defer wait.Stop()
	<-wait.C
	close(end.streams)
	s.shutdown(ctx, srv)
	return nil
}

// shutdown finishes what was begun and cuts what takes too long.
func (s *Server) shutdown(ctx context.Context, srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		s.opts.Log.WarnContext(ctx, "requests still running at the end", "error", err)
		_ = srv.Close() // what is left is cut; the cause is logged above
	}
	for session := range s.mcp.Sessions() {
		_ = session.Close() // its connection is gone; nothing is left to tell it
	}
}

// ending is how running requests learn that the server stops: calls finish,
// event streams end. One open stream would hold Shutdown for its whole deadline.
type ending struct {
	draining atomic.Bool
	streams  chan struct{} // closed when event streams must end
}

func (e *ending) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.draining.Load() {
			w.Header().Set("Connection", "close") // do not reuse this connection
		}
		if r.Method == http.MethodGet {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			go func() {
				select {
				case <-e.streams:
					cancel()
				case <-ctx.Done():
				}
			}()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}
