package demo

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the built-in universe
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// instrumentsGzip is an invented list of 5,690 rows as of 2 December 2026 in the layout of the real one. Well-known
// symbols and index names are real; lots, most tokens and all small companies are made up.
//
//go:embed seed/instruments.csv.gz
var instrumentsGzip []byte

// instrument is one row of the instruments CSV with the process behind its price.
type instrument struct {
	token    uint32
	symbol   string
	name     string
	exchange string
	segment  string
	kind     string // EQ, FUT, CE, PE
	expiry   date   // 0 for what does not expire
	strike   amount
	tick     amount
	lot      int64

	walk  process     // of what has a price of its own; zero for derivatives
	under *underlying // of derivatives; nil otherwise
}

func (in *instrument) id() string       { return in.exchange + ":" + in.symbol }
func (in *instrument) derivative() bool { return in.expiry != 0 }
func (in *instrument) index() bool      { return in.segment == "INDICES" }

// underlying is what the derivatives of one name are priced from.
type underlying struct {
	walk     process
	expiry   date // of the future whose price walk is; 0 when walk is a spot price
	sigmaPPM int64
}

// universe is all instruments of the exchange.
type universe struct {
	csv     []byte
	gz      []byte // csv compressed, when it came so
	rows    []*instrument
	byID    map[string]*instrument
	byToken map[uint32]*instrument
	isins   map[string]string // of the shares in the seeds, by symbol
	options map[string]bool   // by id, the NSE instruments with options
	silent  string            // the one option that is never quoted

	linesOnce sync.Once
	jsonLines []byte
}

func builtInUniverse() (*universe, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(instrumentsGzip))
	if err != nil {
		return nil, fmt.Errorf("open demo instruments: %w", err)
	}
	plain, err := io.ReadAll(unzip)
	if err != nil {
		return nil, fmt.Errorf("unpack demo instruments: %w", err)
	}
	u, err := parseUniverse(plain)
	if err != nil {
		return nil, err
	}
	u.gz = instrumentsGzip
	return u, nil
}

// parseUniverse reads an instruments CSV in Kite's twelve columns and gives every row its price.
func parseUniverse(plain []byte) (*universe, error) {
	in := csv.NewReader(bytes.NewReader(plain))
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil || len(header) != 12 || header[0] != "instrument_token" || header[11] != "exchange" {
		return nil, errors.New("read demo instruments: not an instruments CSV of 12 columns")
	}
	u := &universe{csv: plain, byID: map[string]*instrument{}, byToken: map[uint32]*instrument{}}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read demo instruments: %w", err)
		}
		row, err := parseInstrument(record)
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("read demo instruments, line %d: %w", line, err)
		}
		u.rows = append(u.rows, row)
		u.byID[row.id()], u.byToken[row.token] = row, row
	}
	p := newPricing(u)
	p.assign()
	u.options = map[string]bool{}
	for key := range p.middle {
		if exchange, name, _ := strings.Cut(key, ":"); exchange == "NFO" {
			spot, _ := spotOf(exchange, name)
			u.options[spot] = true
		}
	}
	u.silent = farStrike(u.rows)
	return u, nil
}

func parseInstrument(f []string) (*instrument, error) {
	token, err1 := strconv.ParseUint(f[0], 10, 32)
	strike, err2 := parseAmount(f[6])
	tick, err3 := parseAmount(f[7])
	lot, err4 := strconv.ParseInt(f[8], 10, 64)
	row := &instrument{
		token: uint32(token), symbol: f[2], name: f[3], strike: strike, tick: tick, lot: max(lot, 1),
		kind: f[9], segment: f[10], exchange: f[11],
	}
	var err5 error
	if f[5] != "" {
		var day time.Time
		day, err5 = time.Parse(time.DateOnly, f[5])
		row.expiry = dateOf(day)
	}
	return row, errors.Join(err1, err2, err3, err4, err5)
}

// farStrike picks the highest call of the last NIFTY expiry: the contract that has never traded, so that quotes leave
// it out.
func farStrike(rows []*instrument) string {
	var far *instrument
	for _, in := range rows {
		if in.exchange != "NFO" || in.name != "NIFTY" || in.kind != "CE" {
			continue
		}
		if far == nil || in.expiry > far.expiry || in.expiry == far.expiry && in.strike > far.strike {
			far = in
		}
	}
	if far == nil {
		return ""
	}
	return far.id()
}

// hasOptions reports whether in is a share with derivatives, whose price band is narrower.
func (u *universe) hasOptions(in *instrument) bool { return u.options["NSE:"+in.symbol] }

// priceAt returns the model price of any instrument. A derivative after its expiry keeps its last price.
func (in *instrument) priceAt(at instant) amount { return in.on(at.day).price(at.sec) }

// course is the price of one instrument through one day.
type course struct {
	in   *instrument
	day  date
	walk *walk // of the instrument, or of its underlying
}

func (in *instrument) on(d date) *course {
	if in.derivative() {
		return &course{in, d, in.under.walk.on(d)}
	}
	return &course{in, d, in.walk.on(d)}
}

func (c *course) price(sec int) amount {
	in, at := c.in, instant{c.day, sec}
	p := c.walk.price(sec)
	if !in.derivative() {
		return p
	}
	left := secondsLeft(in.expiry, at)
	if first := in.under.expiry; first == 0 {
		p = forward(p, left)
	} else if first != in.expiry {
		p = forward(p, left-secondsLeft(first, at))
	}
	if in.kind == "FUT" {
		return p.roundTo(in.tick)
	}
	return option(in.kind == "CE", p, in.strike, in.tick, in.under.sigmaPPM, left)
}

// secondsLeft counts calendar seconds to 15:30 of the expiry day; 0 when expired.
func secondsLeft(expiry date, at instant) int64 {
	days := int64(expiry - at.day)
	return max(days*secondsPerDay+int64(sessionLength-at.sec), 0)
}

// expired reports whether the contract is past its last trading second.
func (in *instrument) expired(at instant) bool { return in.derivative() && at.day > in.expiry }
