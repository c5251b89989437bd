package demo

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// transport calls a handler in process. It behaves as a connection does: the caller's context ends the call at once,
// and a handler that aborts breaks the body.
type transport struct{ handler http.Handler }

// RoundTrip serves one request.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	served := r.Clone(r.Context())
	if served.Body == nil {
		served.Body = http.NoBody // a handler may read and close it
	}
	rec := &recorder{header: http.Header{}, status: http.StatusOK}
	done := make(chan struct{})
	// The handler watches the same context, so it ends soon after a caller that left.
	go func() {
		defer close(done)
		defer func() { _ = served.Body.Close() }()
		defer rec.recoverAbort()
		t.handler.ServeHTTP(rec, served)
	}()
	select {
	case <-done:
		return rec.response(r)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// recorder keeps what a handler writes.
type recorder struct {
	header  http.Header
	status  int
	wrote   bool
	body    bytes.Buffer
	aborted bool
}

// Header returns the headers to be sent.
func (rec *recorder) Header() http.Header { return rec.header }

// WriteHeader sets the status once.
func (rec *recorder) WriteHeader(status int) {
	if !rec.wrote {
		rec.status, rec.wrote = status, true
	}
}

// Write adds to the body.
func (rec *recorder) Write(p []byte) (int, error) {
	rec.wrote = true
	return rec.body.Write(p)
}

func (rec *recorder) recoverAbort() {
	switch v := recover(); v {
	case nil:
	case http.ErrAbortHandler:
		rec.aborted = true
	default:
		panic(v)
	}
}

func (rec *recorder) response(r *http.Request) (*http.Response, error) {
	if rec.aborted && !rec.wrote {
		return nil, errors.New("connection reset by the demo exchange")
	}
	var body io.Reader = &rec.body
	if rec.aborted {
		body = io.MultiReader(body, brokenReader{})
	}
	return &http.Response{
		Status: http.StatusText(rec.status), StatusCode: rec.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: rec.header, Body: io.NopCloser(body), ContentLength: -1, Request: r,
	}, nil
}

// brokenReader is the end of a connection that broke.
type brokenReader struct{}

// Read fails.
func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
