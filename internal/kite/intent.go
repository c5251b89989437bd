package kite

import (
	"context"
	"errors"
	"time"
)

// IntentState says how far a change of an account has come.
type IntentState string

// The states of a change. The first two are passing; what a process left in them when it died is settled later.
const (
	IntentApproved  IntentState = "approved"  // a person said yes; nothing was sent yet
	IntentSending   IntentState = "sending"   // may be at Kite
	IntentPlaced    IntentState = "placed"    // Kite took it
	IntentRejected  IntentState = "rejected"  // Kite refused it, or it provably never left
	IntentUnknown   IntentState = "unknown"   // sent, and the answer got lost
	IntentAbsent    IntentState = "absent"    // Kite was asked and does not have it
	IntentUnsettled IntentState = "unsettled" // the day ended before anybody could tell
	IntentDismissed IntentState = "dismissed" // unsettled, and the person wants to hear no more of it
	IntentDeclined  IntentState = "declined"  // a person said no
	IntentCancelled IntentState = "cancelled" // a person did not confirm
)

// Open reports whether it is still unknown what became of the change.
func (s IntentState) Open() bool {
	return s == IntentApproved || s == IntentSending || s == IntentUnknown
}

// ErrIntentUsed says that an approval was used before: the change was made, is being made or was declined.
var ErrIntentUsed = errors.New("the approval was already used")

// ErrIntentPending says that the same change is at Kite right now.
var ErrIntentPending = errors.New("the same change is being sent")

// ErrAudit says that an event could not be written to the audit log, without which no change is sent.
var ErrAudit = errors.New("the audit log cannot be written")

// ErrNotUnsettled says that a change is not one whose outcome nobody can find out any more.
var ErrNotUnsettled = errors.New("the change is not unsettled")

// Intent is one change of an account that a person was asked about, and what became of it.
type Intent struct {
	ID      string      `json:"id"`
	Account string      `json:"account"` // Kite user id
	Tool    string      `json:"tool"`
	Mode    string      `json:"mode"`
	Action  string      `json:"action"` // what the person was shown, in one line
	State   IntentState `json:"state"`
	Message string      `json:"message,omitempty"` // why it is in that state
	Ref     string      `json:"ref,omitempty"`     // id at Kite of the order or trigger
	Tag     string      `json:"tag,omitempty"`
	Client  string      `json:"client,omitempty"` // the program that asked for it, as it calls itself
	Created time.Time   `json:"created"`
	Updated time.Time   `json:"updated"`

	Args   string `json:"args"` // digest of the arguments; equal changes have equal ones
	Expect Expect `json:"expect"`
	Looks  Looks  `json:"looks"`
}

// Expect is how to recognise at Kite that a change was made.
type Expect struct {
	Place  *ExpectPlace `json:"place,omitempty"`
	Modify *OrderChange `json:"modify,omitempty"`
	Cancel string       `json:"cancel,omitempty"` // id of the order

	PlaceGTT  *GTTRequest `json:"place_gtt,omitempty"`
	ModifyGTT *GTTRequest `json:"modify_gtt,omitempty"`
	DeleteGTT bool        `json:"delete_gtt,omitempty"`
	GTT       int64       `json:"gtt,omitempty"` // the trigger that is changed

	CreateAlert  *AlertRequest `json:"create_alert,omitempty"`
	ModifyAlert  *AlertRequest `json:"modify_alert,omitempty"`
	DeleteAlerts bool          `json:"delete_alerts,omitempty"`
	Alerts       string        `json:"alerts,omitempty"` // uuids of what is changed, by comma

	After time.Time `json:"after,omitzero"` // when it was asked for, on the clock of the exchange
}

// New reports whether something is to be at Kite that was not there before, which can be made twice.
func (e Expect) New() bool { return e.Place != nil || e.PlaceGTT != nil || e.CreateAlert != nil }

// Triggers reports whether the change is to be looked for among the triggers, not in the order book.
func (e Expect) Triggers() bool { return e.PlaceGTT != nil || e.ModifyGTT != nil || e.DeleteGTT }

// InAlerts reports whether the change is to be looked for among the alerts.
func (e Expect) InAlerts() bool {
	return e.CreateAlert != nil || e.ModifyAlert != nil || e.DeleteAlerts
}

// Books reads what an account has at Kite.
type Books struct {
	Orders func(context.Context) ([]Order, error)
	GTTs   func(context.Context) ([]GTT, error)
	Alerts func(context.Context) ([]Alert, error)
}

// Books returns the books of the account.
func (c *Client) Books() Books {
	return Books{Orders: c.Orders, GTTs: c.GTTs, Alerts: func(ctx context.Context) ([]Alert, error) { return c.Alerts(ctx, AlertFilter{}) }}
}

// ExpectPlace is how to recognise a new order. A tag that was generated for it is proof enough; one that the person
// chose may be on many orders, so everything else has to fit too.
type ExpectPlace struct {
	Generated bool   `json:"generated"`
	Exchange  string `json:"exchange"`
	Symbol    string `json:"symbol"`
	Side      string `json:"side"`
	Quantity  int64  `json:"quantity"`        // 0 where Kite splits it
	Price     Price  `json:"price,omitempty"` // for the record: Kite may show another one
}

// Looks counts the reads of the order book that did not show a change.
type Looks struct {
	Count int       `json:"count"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// Review is what the log says about a change that is about to be asked for.
type Review struct {
	Epoch    string   // of the log; an approval of another one is void
	Warnings []string // sentences that the person reads first
}
