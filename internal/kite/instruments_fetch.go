package kite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// FetchFrom returns a Fetch that opens the list at another address than Kite's CSV: the JSON lines, a mirror, or an
// operator's copy. No credentials are sent there.
func FetchFrom(transport http.RoundTripper, address string) Fetch {
	return func(ctx context.Context) (io.ReadCloser, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			return nil, fmt.Errorf("read instruments: %w", newError(KindInternal, "the instruments address is not an http or https address"))
		}
		req.Header.Set("User-Agent", userAgent)
		req.Header.Set("Accept-Encoding", "gzip")
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return nil, fmt.Errorf("read instruments: %w", transportFailure(ctx, err))
		}
		if resp.StatusCode != http.StatusOK {
			_ = resp.Body.Close()
			return nil, fmt.Errorf("read instruments: %w", newError(KindUpstreamUnavailable, "the instruments address answered "+resp.Status))
		}
		return download{ctx: ctx, ReadCloser: resp.Body}, nil
	}
}

// FetchJSONLines opens the JSON lines of the instruments, which Kite serves beside its documented CSV and which alone
// have ISINs. They need no login, so no credentials are sent.
func (c *Client) FetchJSONLines(ctx context.Context) (io.ReadCloser, error) {
	if err := c.admit(ctx, paceOther); err != nil {
		return nil, fmt.Errorf("read instruments: %w", err)
	}
	return FetchFrom(c.transport, c.base+"/instruments.json")(ctx)
}

// FetchInstruments opens Kite's instruments CSV, compressed or not.
func (c *Client) FetchInstruments(ctx context.Context) (io.ReadCloser, error) {
	if err := c.admit(ctx, paceOther); err != nil {
		return nil, fmt.Errorf("read instruments: %w", err)
	}
	req, err := c.newRequest(ctx, "/instruments", nil)
	if err != nil {
		return nil, fmt.Errorf("read instruments: %w", newError(KindInternal, "the request to Kite could not be built"))
	}
	// Asked for by hand, so that transports which do not unpack by themselves behave like those that do.
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("read instruments: %w", transportFailure(ctx, err))
	}
	if resp.StatusCode != http.StatusOK {
		// The library reads the body of any status as CSV; that is how an error page becomes a list of two instruments.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		_ = resp.Body.Close()
		_, failure := c.judge(resp, body)
		return nil, fmt.Errorf("read instruments: %w", failure)
	}
	return download{ctx: ctx, ReadCloser: resp.Body}, nil
}

// download gives a connection that breaks in mid-file the typed error of every other call. It keeps ctx because it is
// the tail of a call, and lives exactly as long.
type download struct {
	ctx context.Context
	io.ReadCloser
}

// Read reads the list as it comes over the wire.
func (d download) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = transportFailure(d.ctx, err)
	}
	return n, err
}
