package kite

import (
	"context"
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
	if c.invalid != nil {
		return nil, fmt.Errorf("read instruments: %w", c.invalid)
	}
	if err := c.pacer.wait(ctx, paceOther); err != nil {
		return nil, fmt.Errorf("read instruments: %w", err)
	}
	return FetchFrom(c.transport, c.base+"/instruments.json")(ctx)
}
