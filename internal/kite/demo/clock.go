package demo

import "time"

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

type clock struct {
	Clock
	real  func() time.Time
	start time.Time // real time at start
}

func newClock(c Clock, real func() time.Time) clock {
	if c.Frozen.IsZero() && c.Speed == 0 {
		c.Speed = 1
	}
	return clock{Clock: c, real: real, start: real()}
}

func (c clock) now() time.Time {
	passed := time.Duration(c.Speed) * c.real().Sub(c.start)
	if !c.Frozen.IsZero() {
		return c.Frozen.Add(passed).In(ist)
	}
	return tradingInstant(c.start.Add(passed)).time()
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
