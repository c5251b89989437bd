package kite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Interval is how long a candle is, and how many days of them Kite gives in one call.
type Interval struct {
	Name    string
	MaxDays int
}

// Intervals returns the lengths that Kite has, shortest first.
func Intervals() []Interval {
	return []Interval{
		{"minute", 60},
		{"3minute", 100},
		{"5minute", 100},
		{"10minute", 100},
		{"15minute", 200},
		{"30minute", 200},
		{"60minute", 400},
		{"day", 2000},
	}
}

// FindInterval returns the interval of that name.
func FindInterval(name string) (Interval, bool) {
	for _, i := range Intervals() {
		if i.Name == name {
			return i, true
		}
	}
	return Interval{}, false
}

// Holds reports whether a range is short enough for one call.
func (i Interval) Holds(from, to time.Time) bool {
	return to.Sub(from) <= time.Duration(i.MaxDays)*24*time.Hour
}

// CandleQuery asks for the candles of one instrument that begin in a range of times, both ends included.
type CandleQuery struct {
	Token      uint32
	Interval   string
	From, To   time.Time
	Continuous bool // day candles of a future's earlier contracts, too
	OI         bool // with open interest
}

// check refuses what Kite would refuse, before a call is spent on it.
func (q CandleQuery) check() error {
	each, ok := FindInterval(q.Interval)
	switch {
	case q.Token == 0:
		return invalidArgument("no instrument token given")
	case !ok:
		return invalidArgument("unknown candle interval " + strconv.Quote(shorten(q.Interval)))
	case q.To.Before(q.From):
		return invalidArgument("the range of candles ends before it begins")
	case !each.Holds(q.From, q.To):
		return invalidArgument(fmt.Sprintf("%s candles fit in one call for at most %d days", q.Interval, each.MaxDays))
	default:
		return nil
	}
}

// Candle is the course of a price over one interval. It marshals as an object that holds Kite's numbers as sent and
// leaves out those that Kite did not send.
type Candle struct {
	Time                   time.Time // of its begin, in IST
	Open, High, Low, Close Price
	Volume                 *int64 // nil when not sent
	OI                     *int64 // nil when not asked for or not sent
	// Problems names the values that could not be read.
	Problems []string
	// Raw is Kite's row, unmodified.
	Raw json.RawMessage
}

// candleColumns returns the places of a row.
func candleColumns() []string {
	return []string{"date", "open", "high", "low", "close", "volume", "oi"}
}

// Historical reads candles, oldest first. A range longer than the interval allows is ErrInvalidArgument, without a
// call. Days without trading have no candles; the last candle of a running session is not finished.
func (c *Client) Historical(ctx context.Context, q CandleQuery) ([]Candle, error) {
	if err := q.check(); err != nil {
		return nil, fmt.Errorf("read candles: %w", err)
	}
	// Kite reads both times as IST, so they are written in IST whatever zone they came in.
	query := url.Values{
		"from":       {q.From.In(IST).Format(time.DateTime)},
		"to":         {q.To.In(IST).Format(time.DateTime)},
		"continuous": {zeroOrOne(q.Continuous)},
		"oi":         {zeroOrOne(q.OI)},
	}
	path := "/instruments/historical/" + strconv.FormatUint(uint64(q.Token), 10) + "/" + q.Interval
	raw, err := c.get(ctx, "candles", path, query, paceHistory)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Candles json.RawMessage `json:"candles"`
	}
	if rows, isList := list(raw); (!isList || len(rows) > 0) && json.Unmarshal(raw, &answer) != nil {
		return nil, unreadableList("candles")
	}
	return decodeList(answer.Candles, "candles", func(raw json.RawMessage) Candle { return readCandle(raw, q.OI) })
}

func zeroOrOne(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// readCandle reads one row. A value that is null or missing at the end costs only itself.
func readCandle(raw json.RawMessage, oi bool) Candle {
	r, ok := candleRow(raw)
	if !ok {
		return Candle{Problems: []string{"not a candle: " + shorten(string(raw))}, Raw: raw}
	}
	c := Candle{
		Time:  r.moment("date"),
		Open:  r.price("open"),
		High:  r.price("high"),
		Low:   r.price("low"),
		Close: r.price("close"),
		Raw:   raw,
	}
	c.Volume = r.optionalCount("volume")
	if oi {
		c.OI = r.optionalCount("oi")
	}
	c.Problems = r.problems
	return c
}

// candleRow gives the values of a row their names.
func candleRow(raw json.RawMessage) (*row, bool) {
	values, ok := list(raw)
	if !ok || len(values) == 0 {
		return nil, false
	}
	columns := candleColumns()
	r := &row{fields: make([]member, 0, len(columns))}
	for i, v := range values[:min(len(values), len(columns))] {
		r.fields = append(r.fields, member{key: []byte(columns[i]), value: v})
	}
	return r, true
}

// MarshalJSON writes the object. A row that cannot be read at all is an empty one.
func (c Candle) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	r, ok := candleRow(c.Raw)
	if !ok || c.Time.IsZero() {
		return append(b, '}'), nil
	}
	b = append(b, `"date":"`...)
	b = c.Time.AppendFormat(b, time.RFC3339)
	b = append(b, '"')
	for _, column := range candleColumns()[1:] {
		n := r.number(column)
		_, readable := parseDecimal(n)
		if !readable || !json.Valid(n) || column == "oi" && c.OI == nil {
			continue
		}
		b = append(b, `,"`+column+`":`...)
		b = append(b, n...)
	}
	return append(b, '}'), nil
}

// moment reads a time that has a zone, in either of the two ways that Kite writes it.
func (r *row) moment(key string) time.Time {
	s := r.text(key)
	for _, layout := range []string{"2006-01-02T15:04:05-0700", time.RFC3339, time.DateTime} {
		if t, err := time.ParseInLocation(layout, s, IST); err == nil {
			return t.In(IST)
		}
	}
	r.bad(key)
	return time.Time{}
}

func (r *row) optionalCount(key string) *int64 {
	if !r.has(key) {
		return nil
	}
	before := len(r.problems)
	n := r.count(key)
	if len(r.problems) > before {
		return nil
	}
	return &n
}
