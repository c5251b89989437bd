package tools

import (
	"context"
	"strings"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// activity is one change of the account that a person was asked about.
type activity struct {
	Time    string           `json:"time"` // RFC 3339 in IST
	Tool    string           `json:"tool"`
	Mode    string           `json:"mode"`
	Action  string           `json:"action"`
	State   kite.IntentState `json:"state"`
	Message string           `json:"message,omitempty"`
	OrderID string           `json:"order_id,omitempty"`
	Trigger string           `json:"trigger_id,omitempty"`
	Alerts  []string         `json:"uuids,omitempty"`
	Tag     string           `json:"tag,omitempty"`
	Client  string           `json:"client,omitempty"` // as it calls itself
	Intent  string           `json:"intent"`
	Updated string           `json:"updated"`
}

func sessionActivity() Mode {
	return Read("activity", ModeSpec{
		Title:       "Changes of the account",
		Description: "what was approved or declined through this program in 30 days and what became of it, newest first; settles lost outcomes by what Kite shows",
		Tags:        []string{"approved", "what did I do", "lost order", "outcome unknown", "audit"},
		Examples:    []string{`session {"mode":"activity","limit":20}`},
	}, readActivity)
}

func readActivity(ctx context.Context, env *Env, in paging) (rows[activity], error) {
	c, account, err := accountID(ctx, env)
	if err != nil || env.Intents == nil {
		return rows[activity]{Data: []activity{}}, err
	}
	meta := Meta{}
	open, err := env.Intents.Reconcile(ctx, account, c.Books())
	if err != nil {
		meta["reconcile_error"] = Explain(err)
	}
	all, err := env.Intents.List(ctx, account)
	if err != nil {
		return rows[activity]{}, err
	}
	meta["open"] = open
	out := make([]activity, 0, len(all))
	for _, i := range all {
		row := activity{
			Time: i.Created.In(kite.IST).Format(time.RFC3339), Tool: i.Tool, Mode: i.Mode, Action: i.Action, State: i.State, Message: i.Message,
			Tag: i.Tag, Client: i.Client, Intent: i.ID, Updated: i.Updated.In(kite.IST).Format(time.RFC3339),
		}
		switch {
		case i.Ref == "":
		case i.Expect.Triggers():
			row.Trigger = i.Ref
		case i.Expect.InAlerts():
			row.Alerts = strings.Split(i.Ref, ",")
		default:
			row.OrderID = i.Ref
		}
		out = append(out, row)
	}
	data, pages := page(out, in)
	return rows[activity]{Data: data, Pagination: pages, stamp: stamp{Meta: meta}}, nil
}
