package demo

import (
	"slices"
	"strconv"
	"strings"
)

// The words of the wire that the engine decides by.
const (
	buy  = "BUY"
	sell = "SELL"

	typeMarket = "MARKET"
	typeLimit  = "LIMIT"
	typeSL     = "SL"
	typeSLM    = "SL-M"

	validDay = "DAY"
	validIOC = "IOC"
	validTTL = "TTL"

	productCNC  = "CNC"
	productMIS  = "MIS"
	productNRML = "NRML"
	productMTF  = "MTF"

	varietyRegular = "regular"
	varietyAMO     = "amo"
	varietyCO      = "co"
	varietyIceberg = "iceberg"
	varietyAuction = "auction"

	statusReceived       = "PUT ORDER REQ RECEIVED"
	statusAMOReceived    = "AMO REQ RECEIVED"
	statusValidating     = "VALIDATION PENDING"
	statusOpenPending    = "OPEN PENDING"
	statusOpen           = "OPEN"
	statusTriggerPending = "TRIGGER PENDING"
	statusModifyCheck    = "MODIFY VALIDATION PENDING"
	statusModifyPending  = "MODIFY PENDING"
	statusModified       = "MODIFIED"
	statusModifyRejected = "MODIFY REJECTED"
	statusCancelPending  = "CANCEL PENDING"
	statusComplete       = "COMPLETE"
	statusCancelled      = "CANCELLED"
	statusRejected       = "REJECTED"
)

// orderRow is one row of the order book or of an order's history as the wire has it.
type orderRow struct {
	AccountID               string    `json:"account_id"`
	PlacedBy                string    `json:"placed_by"`
	OrderID                 string    `json:"order_id"`
	ExchangeOrderID         nullable  `json:"exchange_order_id"`
	ParentOrderID           nullable  `json:"parent_order_id"`
	Status                  string    `json:"status"`
	StatusMessage           nullable  `json:"status_message"`
	StatusMessageRaw        nullable  `json:"status_message_raw"`
	OrderTimestamp          string    `json:"order_timestamp"`
	ExchangeUpdateTimestamp nullable  `json:"exchange_update_timestamp"`
	ExchangeTimestamp       nullable  `json:"exchange_timestamp"`
	Variety                 string    `json:"variety"`
	Modified                bool      `json:"modified"`
	Exchange                string    `json:"exchange"`
	TradingSymbol           string    `json:"tradingsymbol"`
	InstrumentToken         uint32    `json:"instrument_token"`
	OrderType               string    `json:"order_type"`
	TransactionType         string    `json:"transaction_type"`
	Validity                string    `json:"validity"`
	ValidityTTL             int64     `json:"validity_ttl"`
	Product                 string    `json:"product"`
	Quantity                int64     `json:"quantity"`
	DisclosedQuantity       int64     `json:"disclosed_quantity"`
	Price                   amount    `json:"price"`
	TriggerPrice            amount    `json:"trigger_price"`
	AveragePrice            amount    `json:"average_price"`
	FilledQuantity          int64     `json:"filled_quantity"`
	PendingQuantity         int64     `json:"pending_quantity"`
	CancelledQuantity       int64     `json:"cancelled_quantity"`
	AuctionNumber           nullable  `json:"auction_number"`
	MarketProtection        amount    `json:"market_protection"` // percent
	Meta                    orderMeta `json:"meta"`
	Tag                     nullable  `json:"tag"`
	Tags                    []string  `json:"tags"`
	GUID                    nullable  `json:"guid"`
}

type orderMeta struct {
	Iceberg *icebergMeta `json:"iceberg,omitempty"`
	GTT     int64        `json:"gtt,omitempty"`
}

// icebergMeta stands in the leg that is in the market now.
type icebergMeta struct {
	Leg               int64 `json:"leg"`
	Legs              int64 `json:"legs"`
	LegQuantity       int64 `json:"leg_quantity"`
	TotalQuantity     int64 `json:"total_quantity"`
	RemainingQuantity int64 `json:"remaining_quantity"`
}

// id is the key of the instrument.
func (r *orderRow) id() string { return r.Exchange + ":" + r.TradingSymbol }

// terminal reports whether nothing more can happen to the order.
func (r *orderRow) terminal() bool {
	return r.Status == statusComplete || r.Status == statusCancelled || r.Status == statusRejected
}

// remaining is what may still be filled.
func (r *orderRow) remaining() int64 {
	if r.terminal() {
		return 0
	}
	return r.Quantity - r.FilledQuantity
}

// tradeRow is one fill as the wire has it; order_timestamp has no date there.
type tradeRow struct {
	TradeID           string   `json:"trade_id"`
	OrderID           string   `json:"order_id"`
	Exchange          string   `json:"exchange"`
	TradingSymbol     string   `json:"tradingsymbol"`
	InstrumentToken   uint32   `json:"instrument_token"`
	Product           string   `json:"product"`
	AveragePrice      amount   `json:"average_price"`
	Quantity          int64    `json:"quantity"`
	ExchangeOrderID   nullable `json:"exchange_order_id"`
	TransactionType   string   `json:"transaction_type"`
	FillTimestamp     string   `json:"fill_timestamp"`
	OrderTimestamp    string   `json:"order_timestamp"`
	ExchangeTimestamp string   `json:"exchange_timestamp"`
}

// stage is where the engine is with an order.
type stage string

const (
	stageWaiting    stage = "waiting"    // for the market to open
	stageValidating stage = "validating" // before risk checks
	stageTriggering stage = "triggering" // in the market, trigger not touched
	stageWorking    stage = "working"    // in the market
	stageModifying  stage = "modifying"
	stageCancelling stage = "cancelling"
	stageDone       stage = "done" // or stuck for ever
)

// order is an order with all that happened to it and what the engine has to do next.
type order struct {
	orderRow
	Trail   []orderRow   `json:"trail"`
	Fills   []tradeRow   `json:"fills"`
	Stage   stage        `json:"stage"`
	Due     moment       `json:"due"`     // when to look at it next
	Placed  moment       `json:"placed"`  // when the request came
	Opened  moment       `json:"opened"`  // first second in the market
	Expires moment       `json:"expires"` // 0 before it is in the market
	Cap     amount       `json:"cap"`     // worst price accepted, set when it is in the market
	Change  *orderChange `json:"change"`  // a modification on its way
	Spent   amount       `json:"spent"`   // price times quantity of all fills
	Changes int          `json:"changes"` // modifications so far
	Resume  stage        `json:"resume"`  // stage after a modification
	Number  int64        `json:"number"`  // counts the orders of an account
	Stop    amount       `json:"stop"`    // trigger of the second leg of a cover order
}

// forced is the outcome that the tag asks for, "" for none.
func (o *order) forced() string {
	for _, word := range []string{"demoreject", "demopartial", "demostuck", "demolost", "demomodrej", "democancelrace"} {
		if strings.HasPrefix(string(o.Tag), word) {
			return word
		}
	}
	return ""
}

// enter appends a row of history in a new status.
func (o *order) enter(status string) {
	o.Status = status
	o.Trail = append(o.Trail, o.orderRow)
}

// update replaces the last row of history when that is in the same status: fills that follow each other share a row.
func (o *order) update() {
	if last := len(o.Trail) - 1; last >= 0 && o.Trail[last].Status == o.Status && o.Trail[last].FilledQuantity > 0 {
		o.Trail[last] = o.orderRow
		return
	}
	o.enter(o.Status)
}

// orderID is the id of the n-th order: 19 digits, beyond what a float64 holds.
func orderID(n int64) string {
	digits := strconv.FormatInt(n, 10)
	return "2044" + strings.Repeat("0", max(0, 15-len(digits))) + digits
}

func (b *book) order(id string) (*order, bool) {
	i := slices.IndexFunc(b.Orders, func(o *order) bool { return o.OrderID == id })
	if i < 0 {
		return nil, false
	}
	return b.Orders[i], true
}

func answerOrders(c call) (any, *apiError) {
	rows := make([]orderRow, 0, len(c.d.Orders))
	for _, o := range c.d.Orders {
		rows = append(rows, o.orderRow)
	}
	return rows, nil
}

func answerTrades(c call) (any, *apiError) {
	rows := []tradeRow{}
	for _, o := range c.d.Orders {
		rows = append(rows, o.Fills...)
	}
	slices.SortStableFunc(rows, func(a, b tradeRow) int { return strings.Compare(a.FillTimestamp, b.FillTimestamp) })
	return rows, nil
}

func answerHistory(c call) (any, *apiError) {
	o, e := c.findOrder(c.args[0])
	if e != nil {
		return nil, e
	}
	return o.Trail, nil
}

func answerOrderTrades(c call) (any, *apiError) {
	o, e := c.findOrder(c.args[0])
	if e != nil {
		return nil, e
	}
	return rows(o.Fills), nil
}

func (c call) findOrder(id string) (*order, *apiError) {
	if o, ok := c.d.order(id); ok {
		return o, nil
	}
	return nil, refused("Couldn't find that `order_id`.")
}
