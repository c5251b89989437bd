package kite

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// FetchFrom returns a Fetch for MasterOptions that opens the list at another address than Kite's: a mirror, or an
// operator's copy. No credentials are sent there.
func FetchFrom(transport http.RoundTripper, address string) func(ctx context.Context) (io.ReadCloser, error) {
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
		return uncompressed(ctx, resp.Body)
	}
}
