package tools

import (
	"context"
	"fmt"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type cancelInput struct {
	orderInput
	orderVariety
}

// cancelPlan is the cancelling of a pending order that nobody has approved yet.
type cancelPlan struct {
	Account string
	Variety string
	OrderID string
	Order   string // which order
	left    string // of it, now
}

func ordersCancel() Mode {
	return Change("cancel", ModeSpec{
		Title: "Cancel an order", Ask: "Cancel this order", Effect: Destroy,
		Description: "cancels what is left of a pending order after the person's approval",
		Tags:        []string{"cancel order", "withdraw"},
		Examples:    []string{`orders {"mode":"cancel","order_id":"2044000000000000002"}`},
	}, planCancel, applyCancel)
}

func planCancel(ctx context.Context, env *Env, in cancelInput) (cancelPlan, error) {
	o, account, err := pendingOrder(ctx, env, in.OrderID, in.Variety)
	if err != nil {
		return cancelPlan{}, err
	}
	if o.Variety == "co" && o.ParentOrderID != "" {
		return cancelPlan{}, &Failure{Code: CodeRejected, Message: "the second leg of a cover order cannot be cancelled here; nothing was sent to Kite", Hint: "exit it in Kite's own app"}
	}
	return cancelPlan{
		Account: account, Variety: o.Variety, OrderID: o.OrderID, Order: orderText(o),
		left: fmt.Sprintf("Remaining %d, filled %d; what is filled stays.", o.Remaining(), o.FilledQuantity),
	}, nil
}

// Summary implements Plan.
func (p cancelPlan) Summary() string {
	return fmt.Sprintf("Account %s: cancel %s.", p.Account, p.Order)
}

// aside implements asider.
func (p cancelPlan) aside() string { return p.left }

// Intent implements Plan.
func (p cancelPlan) Intent(string) kite.Intent {
	return kite.Intent{Account: p.Account, Action: "cancel " + p.Order, Ref: p.OrderID, Expect: kite.Expect{Cancel: p.OrderID}}
}

func applyCancel(ctx context.Context, env *Env, p cancelPlan) (orderReceipt, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return orderReceipt{}, err
	}
	got, err := c.CancelOrder(ctx, p.Variety, p.OrderID)
	if err != nil {
		return orderReceipt{}, err
	}
	return newReceipt(env, got), nil
}
