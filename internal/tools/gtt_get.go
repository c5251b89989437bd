package tools

import (
	"context"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type triggerInput struct {
	TriggerID int64 `json:"trigger_id" jsonschema:"Number of the trigger, from list." check:"min=1"`
}

// one is a single object of Kite's that has a meta of its own.
type one[T any] struct {
	Data T `json:"data"`
	stamp
}

func gttGet() Mode {
	return Read("get", ModeSpec{
		Title:       "One trigger",
		Description: "one trigger by id, with why its order failed if it did",
		Tags:        []string{"trigger id", "trigger failed"},
		Examples:    []string{`gtt {"mode":"get","trigger_id":900001}`},
	}, func(ctx context.Context, env *Env, in triggerInput) (one[kite.GTT], error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return one[kite.GTT]{}, err
		}
		trigger, err := c.GTT(ctx, in.TriggerID)
		if err != nil {
			return one[kite.GTT]{}, hinted(err, "mode list of gtt has the ids")
		}
		return one[kite.GTT]{Data: trigger}, nil
	})
}
