package demo

import (
	"math"
	"sync"
	"time"
)

const (
	openSecond    = 9*3600 + 15*60 // of the day, IST
	sessionLength = 375 * 60       // trading seconds of a day
	secondsPerDay = 24 * 3600
	sessionEnd    = 6 // hour, IST, at which access tokens die
)

var ist = time.FixedZone("IST", 5*3600+1800)

// Clock says how demo time follows real time.
type Clock struct {
	// Frozen is the demo instant at start; zero means the real time, moved back to the last open second when closed.
	Frozen time.Time
	// Speed is how many demo seconds pass in a real one: with Frozen 0 stops the clock, without it 0 means 1.
	Speed int
}

// clock is the demo clock. Clock control may move it forward.
type clock struct {
	Clock
	real func() time.Time

	mu    sync.Mutex
	start time.Time     // real time at start
	moved time.Duration // by clock control
}

func newClock(c Clock, real func() time.Time) *clock {
	if c.Frozen.IsZero() && c.Speed == 0 {
		c.Speed = 1
	}
	return &clock{Clock: c, real: real, start: real()}
}

// raw is the demo time without regard to trading hours.
func (c *clock) raw() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.Frozen
	if from.IsZero() {
		from = c.start
	}
	return from.Add(time.Duration(c.Speed)*c.real().Sub(c.start) + c.moved).In(ist)
}

// now is the time that people see: without a frozen start it stands still while the exchange is closed.
func (c *clock) now() time.Time {
	if c.Frozen.IsZero() {
		return tradingInstant(c.raw()).time()
	}
	return c.raw()
}

// advance moves the clock forward.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved += d
}

// restart puts the clock back to where it began.
func (c *clock) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start, c.moved = c.real(), 0
}

// hours says when orders are traded.
func (c *clock) hours() hours { return hours{always: c.Frozen.IsZero()} }

// moment is a second of demo time as the order engine counts it, in Unix seconds.
type moment int64

// never is after every moment.
const never = moment(math.MaxInt64)

func momentOf(t time.Time) moment { return moment(t.Unix()) }

func (m moment) time() time.Time { return time.Unix(int64(m), 0).In(ist) }

// instant is the trading second whose prices hold at m.
func (m moment) instant() instant { return tradingInstant(m.time()) }

// hours are the trading hours of an exchange. A clock that follows real time stands at the last open second when the
// exchange is closed; for it the market is always open, so that a demo in the evening can trade, at prices that stand
// still.
type hours struct{ always bool }

func (h hours) open(m moment) bool {
	at := m.instant()
	return h.always || momentOf(at.time()) == m
}

// reopens is the first second of the next session after m.
func (hours) reopens(m moment) moment {
	t := m.time()
	d := dateOf(t)
	if first := momentOf(instant{d, 0}.time()); d.open() && m < first {
		return first
	}
	for d++; !d.open(); d++ {
	}
	return momentOf(instant{d, 0}.time())
}

// closes is when day orders that are open at m end.
func (h hours) closes(m moment) moment {
	if h.always {
		return h.reopens(m)
	}
	return momentOf(instant{m.instant().day, sessionLength}.time())
}

// shown is m as the exchange stamps it.
func (h hours) shown(m moment) time.Time {
	if h.always {
		return m.instant().time()
	}
	return m.time()
}

// instant is a trading second: an open day and a second of its session, 0 to sessionLength-1.
type instant struct {
	day date
	sec int
}

// tradingInstant returns the last open second at or before t.
func tradingInstant(t time.Time) instant {
	local := t.In(ist)
	d := dateOf(local)
	sec := local.Hour()*3600 + local.Minute()*60 + local.Second() - openSecond
	if sec < 0 || !d.open() {
		return instant{d.previousOpen(), sessionLength - 1}
	}
	return instant{d, min(sec, sessionLength-1)}
}

func (i instant) time() time.Time {
	return i.day.midnight().Add(time.Duration(openSecond+i.sec) * time.Second)
}

// nextSessionEnd is when a token issued at t dies: at the next 06:00 IST.
func nextSessionEnd(t time.Time) time.Time {
	local := t.In(ist)
	end := time.Date(local.Year(), local.Month(), local.Day(), sessionEnd, 0, 0, 0, ist)
	if !local.Before(end) {
		end = end.AddDate(0, 0, 1)
	}
	return end
}

// date counts days since 1970-01-01.
type date int

// epoch is the day on which the price model starts, 2015-01-01.
const epoch date = 16436

func dateOf(t time.Time) date {
	y, m, d := t.Date()
	return date(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

func (d date) midnight() time.Time {
	y, m, day := time.Unix(int64(d)*secondsPerDay, 0).UTC().Date()
	return time.Date(y, m, day, 0, 0, 0, 0, ist)
}

func (d date) String() string { return d.midnight().Format(time.DateOnly) }

// open reports whether the exchange trades on d: weekdays without the holidays of the model.
func (d date) open() bool { return (int(d)+3)%7 < 5 && !d.holiday() }

// holiday lists the weekdays on which the model is closed: 2026-11-24, 2026-12-25, 2027-01-26 and 2027-03-26.
func (d date) holiday() bool {
	switch d {
	case 20781, 20812, 20844, 20903:
		return true
	default:
		return false
	}
}

func (d date) previousOpen() date {
	for d--; !d.open(); d-- {
	}
	return d
}

// index is the number of open days from the epoch up to, not including, d.
func (d date) index() int64 {
	n := weekdaysBefore(d) - weekdaysBefore(epoch)
	for _, h := range []date{20781, 20812, 20844, 20903} {
		if h < d {
			n--
		}
	}
	return int64(max(n, 0))
}

// weekdaysBefore counts the weekdays since 1969-12-29, a Monday.
func weekdaysBefore(d date) int {
	days := int(d) + 3
	return days/7*5 + min(days%7, 5)
}
