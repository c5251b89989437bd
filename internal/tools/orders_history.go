package tools

import (
	"context"
	"errors"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type orderInput struct {
	OrderID string `json:"order_id" jsonschema:"Id from list, as text." check:"form=order_id"`
}

func ordersHistory() Mode {
	return Read("history", ModeSpec{
		Title:       "History of an order",
		Description: "every state one order went through, oldest first; the last row is the current one",
		Tags:        []string{"order status", "trail", "why rejected"},
		Examples:    []string{`orders {"mode":"history","order_id":"2044000000000000001"}`},
	}, func(ctx context.Context, env *Env, in orderInput) (rows[kite.Order], error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return rows[kite.Order]{}, err
		}
		states, err := c.OrderHistory(ctx, in.OrderID)
		if err != nil {
			return rows[kite.Order]{}, hinted(err, whereOrderIDsAre)
		}
		return whole(states), nil
	})
}

// hinted adds to a look-up that found nothing where the right ids are.
func hinted(err error, hint string) error {
	if !errors.Is(err, kite.ErrNotFound) {
		return err
	}
	f := Explain(err)
	f.Hint = hint
	return f
}
