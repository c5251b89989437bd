package kite

import (
	"encoding/json"
	"strings"
	"time"
)

// Instrument is one row of the instruments master. Fields that the source does not have are empty.
type Instrument struct {
	Token         uint32
	ExchangeToken uint32
	TradingSymbol string
	Name          string // for derivatives the underlying; often empty for debt
	ISIN          string
	LastPrice     Price  // of the master: zero or stale
	Expiry        string // YYYY-MM-DD; empty for what does not expire
	Strike        Price
	TickSize      Price
	LotSize       int64
	Type          string // EQ, FUT, CE, PE
	Segment       string
	Exchange      string
}

// ID returns EXCHANGE:TRADINGSYMBOL, the key of quotes.
func (i Instrument) ID() string { return i.Exchange + ":" + i.TradingSymbol }

// InstrumentDetails are the fields that only the JSON lines source has. What a row does not say is empty. Numbers and
// dates are as the source wrote them.
type InstrumentDetails struct {
	Series            string      `json:"series,omitempty"`
	Multiplier        json.Number `json:"multiplier,omitempty"`
	DeliveryUnits     string      `json:"delivery_units,omitempty"`
	PriceUnits        string      `json:"price_units,omitempty"`
	FreezeQuantity    json.Number `json:"freeze_quantity,omitempty"`
	MaxOrderQuantity  json.Number `json:"max_order_quantity,omitempty"`
	ExpiryType        string      `json:"expiry_type,omitempty"`
	ExpiryDate        string      `json:"expiry_date,omitempty"`
	ExerciseStartDate string      `json:"exercise_start_date,omitempty"`
	ExerciseEndDate   string      `json:"exercise_end_date,omitempty"`
	IssueDate         string      `json:"issue_date,omitempty"`
	ListingDate       string      `json:"listing_date,omitempty"`
	MaturityDate      string      `json:"maturity_date,omitempty"`

	// Active is "true" or "false": whether the exchange trades the instrument.
	Active string `json:"-"`
	// The limits of the master are those of the start of the day; nil when not known.
	LowerCircuitLimit, UpperCircuitLimit *Price `json:"-"`
}

const (
	typeFuture = "FUT"
	typeCall   = "CE"
	typePut    = "PE"

	segmentIndices = "INDICES"
)

// instrumentRow is an instrument without pointers, so that the collector has nothing to follow in 120,000 of them.
// Texts and prices are numbers of interned values, the trading symbol stands under the row's own number.
type instrumentRow struct {
	token    uint32
	lot      uint32
	name     uint32
	isin     uint32
	details  uint32
	strike   uint32
	expiry   uint16
	tick     uint16
	kind     uint8
	segment  uint8
	exchange uint8
}

// Instruments is one revision of the instruments master. It never changes, so it is shared without locks. The rows
// stand in the order in which results are shown.
type Instruments struct {
	rows    []instrumentRow
	symbols textIndex // by row
	names   textIndex
	isins   textIndex

	expiries, kinds, segments, exchanges []string
	strikes, ticks                       []Price
	details                              [][detailCount]uint32 // numbers of detailTexts
	detailTexts                          textList

	lastPrices, lowerLimits, upperLimits column
	exchangeTokens                       map[uint32]uint32 // by token, where it is not token / 256

	byToken  tokenTable
	bySymbol symbolTable
	byName   postings
	byISIN   postings
	spans    []exchangeSpan // by exchange
	groups   []group        // what expires, by exchange, name and expiry
	ranks    []uint8        // of kinds, see kindRank
	scratch  *scratchPool

	revision string
	date     string
}

// Len returns the number of instruments.
func (m *Instruments) Len() int { return len(m.rows) }

// Revision identifies the content: the first 12 hex digits of a SHA-256 over the rows in order. It does not depend on
// the order of the source.
func (m *Instruments) Revision() string { return m.revision }

// Date is the IST day that the list was published for, as YYYY-MM-DD; empty when it did not come through a Master.
func (m *Instruments) Date() string { return m.date }

// HasISIN reports whether the source had ISINs. Kite's CSV has none.
func (m *Instruments) HasISIN() bool { return m.isins.len() > 1 }

// ByID finds an instrument by its exact EXCHANGE:TRADINGSYMBOL.
func (m *Instruments) ByID(id string) (in Instrument, found bool) {
	exchange, symbol, ok := strings.Cut(id, ":")
	if !ok {
		return Instrument{}, false
	}
	return m.BySymbol(exchange, symbol)
}

// BySymbol finds an instrument by its exact exchange and trading symbol.
func (m *Instruments) BySymbol(exchange, symbol string) (in Instrument, found bool) {
	i, ok := m.bySymbol.find(m, exchange, symbol)
	if ok {
		m.fill(&in, i)
	}
	return in, ok
}

// ByToken finds an instrument by its instrument token.
func (m *Instruments) ByToken(token uint32) (in Instrument, found bool) {
	i, ok := m.byToken.find(m.rows, token)
	if ok {
		m.fill(&in, i)
	}
	return in, ok
}

// ByExchangeToken finds an instrument by its exchange and the token the exchange itself uses. INDICES stands for the
// indices of every exchange; under NSE or BSE a share comes before an index with the same token.
func (m *Instruments) ByExchangeToken(exchange string, token uint32) (Instrument, bool) {
	best, found := uint32(0), false
	try := func(instrumentToken uint32) {
		i, ok := m.byToken.find(m.rows, instrumentToken)
		if !ok || m.exchangeToken(instrumentToken) != token {
			return
		}
		index := m.segments[m.rows[i].segment] == segmentIndices
		if exchange != m.exchanges[m.rows[i].exchange] && (exchange != segmentIndices || !index) {
			return
		}
		if !found || !index {
			best, found = i, true
		}
	}
	if token < 1<<24 {
		for segment := range uint32(256) { // the last byte of a token tells the segment
			try(token<<8 | segment)
		}
	}
	for instrumentToken, odd := range m.exchangeTokens {
		if odd == token {
			try(instrumentToken)
		}
	}
	if !found {
		return Instrument{}, false
	}
	return m.at(best), true
}

// ByISIN returns the instruments of an exact ISIN in the order of the rows: one for each exchange, as a rule. In a
// master without ISINs the error is catalog_unavailable.
func (m *Instruments) ByISIN(isin string) ([]Instrument, error) {
	if !m.HasISIN() {
		return nil, noISIN()
	}
	rows := m.byISIN.of(m.isins.find(isin))
	out := make([]Instrument, len(rows))
	for i, row := range rows {
		out[i] = m.at(row)
	}
	return out, nil
}

// Details returns what else is known of the instrument with that token; the zero value when nothing is.
func (m *Instruments) Details(token uint32) InstrumentDetails {
	i, ok := m.byToken.find(m.rows, token)
	if !ok {
		return InstrumentDetails{}
	}
	ids := &m.details[m.rows[i].details]
	text := func(f field) string { return m.detailTexts.text(ids[f-firstDetail]) }
	return InstrumentDetails{
		Series:            text(fieldSeries),
		Multiplier:        json.Number(text(fieldMultiplier)),
		DeliveryUnits:     text(fieldDeliveryUnits),
		PriceUnits:        text(fieldPriceUnits),
		FreezeQuantity:    json.Number(text(fieldFreezeQuantity)),
		MaxOrderQuantity:  json.Number(text(fieldMaxOrderQuantity)),
		ExpiryType:        text(fieldExpiryType),
		ExpiryDate:        text(fieldExpiryDate),
		ExerciseStartDate: text(fieldExerciseStartDate),
		ExerciseEndDate:   text(fieldExerciseEndDate),
		IssueDate:         text(fieldIssueDate),
		ListingDate:       text(fieldListingDate),
		MaturityDate:      text(fieldMaturityDate),
		Active:            text(fieldActive),
		LowerCircuitLimit: m.lowerLimits.optional(i),
		UpperCircuitLimit: m.upperLimits.optional(i),
	}
}

func (m *Instruments) exchangeToken(token uint32) uint32 {
	if odd, ok := m.exchangeTokens[token]; ok {
		return odd
	}
	return token >> 8
}

func (m *Instruments) at(i uint32) (in Instrument) {
	m.fill(&in, i)
	return in
}

// fill builds a row for callers. Its texts are pieces of shared buffers, so nothing is copied.
func (m *Instruments) fill(in *Instrument, i uint32) {
	r := &m.rows[i]
	in.Token = r.token
	in.ExchangeToken = m.exchangeToken(r.token)
	in.TradingSymbol = m.symbols.text(i)
	in.Name = m.names.text(r.name)
	in.ISIN = m.isins.text(r.isin)
	in.LastPrice, _ = m.lastPrices.get(i)
	in.Expiry = m.expiries[r.expiry]
	in.Strike = m.strikes[r.strike]
	in.TickSize = m.ticks[r.tick]
	in.LotSize = int64(r.lot)
	in.Type = m.kinds[r.kind]
	in.Segment = m.segments[r.segment]
	in.Exchange = m.exchanges[r.exchange]
}

// onDay returns the same revision with its day of publication, sharing all rows.
func (m *Instruments) onDay(day time.Time) *Instruments {
	dated := *m
	dated.date = day.In(IST).Format(time.DateOnly)
	return &dated
}

// column is one amount for some of the rows. Amounts are stored plus one, so that 0 means "not known"; nothing is
// stored while no row has one.
type column []Price

func (c *column) set(row int, p Price) {
	for len(*c) <= row {
		*c = append(*c, 0)
	}
	(*c)[row] = p + 1
}

func (c column) get(row uint32) (Price, bool) {
	if int(row) >= len(c) || c[row] == 0 {
		return 0, false
	}
	return c[row] - 1, true
}

func (c column) optional(row uint32) *Price {
	p, ok := c.get(row)
	if !ok {
		return nil
	}
	return &p
}
