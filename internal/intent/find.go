package intent

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// shelf is the books of an account, each read when it is first needed.
type shelf struct {
	books   kite.Books
	claimed map[string]bool // what belongs to a change already

	orders page[kite.Order]
	gtts   page[kite.GTT]
	alerts page[kite.Alert]
}

// page is one book, once it was read.
type page[T any] struct {
	read bool
	rows []T
	err  error
}

func (p *page[T]) fill(ctx context.Context, from func(context.Context) ([]T, error)) error {
	if !p.read {
		p.read = true
		p.rows, p.err = from(ctx)
	}
	return p.err
}

// claimed are the orders and triggers that belong to changes already.
func claimed(records []record) map[string]bool {
	all := map[string]bool{}
	for _, r := range records {
		if r.Ref != "" && r.Expect.New() {
			all[claim(r.Intent)] = true
		}
	}
	return all
}

func claim(in kite.Intent) string { return in.Tool + " " + in.Ref }

// read reads the book in which a change is to be seen.
func (s *shelf) read(ctx context.Context, e kite.Expect) error {
	switch {
	case e.Triggers():
		return s.gtts.fill(ctx, s.books.GTTs)
	case e.InAlerts():
		return s.alerts.fill(ctx, s.books.Alerts)
	default:
		return s.orders.fill(ctx, s.books.Orders)
	}
}

// find returns the order or trigger in which a change is to be seen.
func (s *shelf) find(in kite.Intent) (ref string, found bool) {
	switch {
	case in.Expect.Triggers():
		return s.findTrigger(in)
	case in.Expect.InAlerts():
		return s.findAlert(in)
	}
	for _, o := range s.orders.rows {
		switch e := in.Expect; {
		case e.Place != nil:
			in.Ref = o.OrderID
			if !s.claimed[claim(in)] && placed(in, o) {
				return o.OrderID, true
			}
		case e.Modify != nil:
			if o.OrderID == e.Modify.OrderID {
				return o.OrderID, e.Modify.Made(o)
			}
		case o.OrderID == e.Cancel:
			return o.OrderID, o.Status == "CANCELLED" || o.Status == "CANCEL PENDING"
		}
	}
	return "", false
}

func placed(in kite.Intent, o kite.Order) bool {
	if in.Tag == "" || o.Tag != in.Tag && !slices.Contains(o.Tags, in.Tag) {
		return false
	}
	e := in.Expect.Place
	if e.Generated {
		return true
	}
	return o.Exchange == e.Exchange && o.TradingSymbol == e.Symbol && o.TransactionType == e.Side &&
		(e.Quantity == 0 || o.Quantity == e.Quantity) && after(o.OrderTimestamp, in.Expect.After)
}

// after compares with a time of Kite, which stamps whole seconds.
func after(at, asked time.Time) bool { return !at.Before(asked.Truncate(time.Second)) }

// findTrigger looks for a change of a trigger. There are no tags on triggers: a new one is recognised by all its terms
// and its time, and a deleted one by its status, or because it is not listed any more.
func (s *shelf) findTrigger(in kite.Intent) (ref string, found bool) {
	e := in.Expect
	id := strconv.FormatInt(e.GTT, 10)
	for _, g := range s.gtts.rows {
		if e.PlaceGTT != nil {
			in.Ref = strconv.FormatInt(g.ID, 10)
			if !s.claimed[claim(in)] && e.PlaceGTT.Made(g) && after(g.CreatedAt, e.After) {
				return in.Ref, true
			}
			continue
		}
		if g.ID == e.GTT {
			return id, e.DeleteGTT && g.Status == "deleted" || e.ModifyGTT != nil && e.ModifyGTT.Made(g)
		}
	}
	return id, e.DeleteGTT
}

// findAlert looks for a change of alerts, which have no tags either.
func (s *shelf) findAlert(in kite.Intent) (ref string, found bool) {
	e := in.Expect
	left := false
	for _, a := range s.alerts.rows {
		switch {
		case e.CreateAlert != nil:
			in.Ref = a.UUID
			if !s.claimed[claim(in)] && e.CreateAlert.Made(a) && after(a.CreatedAt, e.After) {
				return a.UUID, true
			}
		case e.ModifyAlert != nil && strings.EqualFold(a.UUID, e.Alerts):
			return e.Alerts, e.ModifyAlert.Made(a)
		case e.DeleteAlerts && a.Status != "deleted" && strings.Contains(strings.ToLower(e.Alerts), strings.ToLower(a.UUID)):
			left = true
		}
	}
	return e.Alerts, e.DeleteAlerts && !left
}
