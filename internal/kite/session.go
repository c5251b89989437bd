package kite

import "time"

// SessionEnd returns when a Kite session that began at login ends: at the next 06:00 IST. Kite may end it earlier, by a
// logout or a login elsewhere.
func SessionEnd(login time.Time) time.Time {
	t := login.In(IST)
	end := time.Date(t.Year(), t.Month(), t.Day(), 6, 0, 0, 0, IST)
	if !t.Before(end) {
		end = end.AddDate(0, 0, 1)
	}
	return end
}

// SessionEnds returns when the session of this client ends, for a caller whose clock shows now. Without a known login
// it is the latest time possible for a session that is alive.
func (c *Client) SessionEnds(now time.Time) time.Time {
	if c.loggedIn.IsZero() {
		return SessionEnd(now)
	}
	return SessionEnd(c.loggedIn)
}

// sessionOver is the failure of every call after the known end of the session; no call is spent to hear it from Kite.
func (c *Client) sessionOver() error {
	if c.loggedIn.IsZero() || c.now == nil || c.now().Before(SessionEnd(c.loggedIn)) {
		return nil
	}
	e := newError(KindSessionExpired, "the Kite session ended at 06:00 IST")
	e.Hint = c.loginHint
	return e
}
