package demo

import (
	"strconv"
	"time"
)

// interval is a length of candles and the longest range that one call may ask for.
type interval struct {
	minutes int // 0 is a day
	days    int
}

func intervals() map[string]interval {
	return map[string]interval{
		"minute": {1, 60}, "3minute": {3, 100}, "5minute": {5, 100}, "10minute": {10, 100},
		"15minute": {15, 200}, "30minute": {30, 200}, "60minute": {60, 400}, "day": {0, 2000},
	}
}

// candleRequest is what a call for candles asks for, checked.
type candleRequest struct {
	in         *instrument
	each       interval
	from, to   time.Time
	continuous bool
	oi         bool
}

type candleList struct {
	Candles [][]any `json:"candles"`
}

func answerCandles(c call) (any, *apiError) {
	r, e := c.parseCandles()
	if e != nil {
		return nil, e
	}
	out := candleList{Candles: [][]any{}}
	if r.in.id() == neverTrades {
		return out, nil
	}
	last := dateOf(r.to.In(ist))
	for day := max(dateOf(r.from.In(ist)), epoch); day <= min(last, c.at.day); day++ {
		if !day.open() || !r.listed(day) {
			continue
		}
		upto := sessionLength - 1
		if day == c.at.day {
			upto = c.at.sec
		}
		out.Candles = r.appendDay(out.Candles, day, upto)
	}
	return out, nil
}

func (c call) parseCandles() (candleRequest, *apiError) {
	token, err := strconv.ParseUint(c.args[0], 10, 32)
	in := c.u.byToken[uint32(token)]
	if err != nil || in == nil || in.expired(c.at) {
		return candleRequest{}, invalid("invalid token")
	}
	each, ok := intervals()[c.args[1]]
	if !ok {
		return candleRequest{}, invalid("invalid interval")
	}
	query := c.r.URL.Query()
	r := candleRequest{in: in, each: each, continuous: query.Get("continuous") == "1", oi: query.Get("oi") == "1"}
	var okFrom, okTo bool
	r.from, okFrom = parseCandleTime(query.Get("from"), false)
	r.to, okTo = parseCandleTime(query.Get("to"), true)
	switch {
	case !okFrom:
		return r, invalid("invalid from date")
	case !okTo:
		return r, invalid("invalid to date")
	case r.to.Before(r.from):
		return r, invalid("from date cannot be after to date")
	case r.to.Sub(r.from) > time.Duration(each.days)*24*time.Hour:
		return r, invalid("interval exceeds max limit: %d days", each.days)
	case r.continuous && (in.kind != "FUT" || each.minutes != 0):
		return r, invalid("invalid interval for continuous data")
	}
	return r, nil
}

// parseCandleTime reads a time of India; a day alone is its begin or its end.
func parseCandleTime(s string, end bool) (time.Time, bool) {
	if t, err := time.ParseInLocation(time.DateTime, s, ist); err == nil {
		return t, true
	}
	t, err := time.ParseInLocation(time.DateOnly, s, ist)
	if end {
		t = t.Add(24*time.Hour - time.Second)
	}
	return t, err == nil
}

// listedDays is how long before its expiry a future begins to trade.
const listedDays = 95

// listed reports whether the instrument had candles on a day. Continuous data goes back over the contracts before.
func (r candleRequest) listed(day date) bool {
	return r.in.kind != "FUT" || r.continuous || day > r.in.expiry-listedDays
}

// contractOn is the instrument whose candles stand for the request on a day: itself, or the contract that was the
// nearest then, which has expired since and has no token any more.
func (r candleRequest) contractOn(day date) *instrument {
	if !r.continuous {
		return r.in
	}
	earlier := *r.in
	const month = 28
	for earlier.expiry-month >= day {
		earlier.expiry -= month
	}
	return &earlier
}

const candleTime = "2006-01-02T15:04:05-0700"

// appendDay adds the candles of a day up to a second of it. Longer ones are sums of minutes.
func (r candleRequest) appendDay(rows [][]any, day date, upto int) [][]any {
	in := r.contractOn(day)
	course := in.on(day)
	if r.each.minutes == 0 {
		return append(rows, r.row(day.midnight(), course.dayBar(upto), in, instant{day, upto}))
	}
	for first := 0; first*60 <= upto; first += r.each.minutes {
		begin := instant{day, first * 60}.time()
		if begin.Before(r.from) || begin.After(r.to) {
			continue
		}
		end := min((first+r.each.minutes)*60, sessionLength) - 1
		rows = append(rows, r.row(begin, course.bar(first, end, upto), in, instant{day, min(end, upto)}))
	}
	return rows
}

// bar sums the minutes from first to the one that holds second end, as far as they have happened.
func (c *course) bar(first, end, upto int) bar {
	all := c.minuteBar(first, upto)
	for m := first + 1; m <= min(end, upto)/60; m++ {
		all.add(c.minuteBar(m, upto))
	}
	return all
}

// add appends the next bar.
func (b *bar) add(next bar) {
	b.high, b.low = max(b.high, next.high), min(b.low, next.low)
	b.close = next.close
	b.volume += next.volume
	b.turnover += next.turnover
}

func (r candleRequest) row(begin time.Time, b bar, in *instrument, end instant) []any {
	row := []any{begin.Format(candleTime), b.open, b.high, b.low, b.close, b.volume}
	if r.oi {
		now, _, _ := openInterest(in, end)
		row = append(row, now)
	}
	return row
}
