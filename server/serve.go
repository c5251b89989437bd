package server

import (
	"context"
	"errors"
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
	// Cancelling the streams' context lets Shutdown end: one open event stream
	// would hold it for the whole deadline.
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	defer endStreams()
	var draining atomic.Bool
	srv := &http.Server{
		Handler:           closing(&draining, s.Handler()),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return streams },
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
	draining.Store(true)
	wait := time.NewTimer(opts.DrainDelay)
	defer wait.Stop()
	<-wait.C
	return s.shutdown(ctx, srv, endStreams)
}

func (s *Server) shutdown(ctx context.Context, srv *http.Server, endStreams func()) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	endStreams()
	if err := srv.Shutdown(ctx); err != nil && !errors.Is(err, http.ErrServerClosed) {
		s.opts.Log.WarnContext(ctx, "requests still running at the end", "error", err)
		_ = srv.Close() // what is left is cut; the cause is logged above
	}
	for session := range s.mcp.Sessions() {
		_ = session.Close() // its connection is gone; nothing is left to tell it
	}
	return nil
}

// closing asks clients not to reuse their connection while the server drains.
func closing(draining *atomic.Bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
