package tools

import (
	"context"
	"fmt"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// deleteGTTPlan is the removal of a trigger that nobody has approved yet.
type deleteGTTPlan struct {
	Account string
	ID      int64
	Old     string
}

func gttDelete() Mode {
	return Change("delete", ModeSpec{
		Title: "Delete a trigger", Ask: "Delete this trigger", Effect: Destroy,
		Description: "removes an active trigger after the person's approval",
		Tags:        []string{"remove a stop", "cancel trigger"},
		Examples:    []string{`gtt {"mode":"delete","trigger_id":900001}`},
	}, planDeleteGTT, applyDeleteGTT)
}

func planDeleteGTT(ctx context.Context, env *Env, in triggerInput) (deleteGTTPlan, error) {
	_, account, old, err := activeTrigger(ctx, env, in.TriggerID)
	if err != nil {
		return deleteGTTPlan{}, err
	}
	return deleteGTTPlan{Account: account, ID: old.ID, Old: triggerText(old.Request())}, nil
}

// Summary implements Plan.
func (p deleteGTTPlan) Summary() string {
	return fmt.Sprintf("Account %s: delete the %s (trigger %d).", p.Account, p.Old, p.ID)
}

// Intent implements Plan.
func (p deleteGTTPlan) Intent(string) kite.Intent {
	return kite.Intent{Account: p.Account, Action: fmt.Sprintf("delete trigger %d, %s", p.ID, p.Old), Ref: units(p.ID), Expect: kite.Expect{DeleteGTT: true, GTT: p.ID}}
}

func applyDeleteGTT(ctx context.Context, env *Env, p deleteGTTPlan) (triggerReceipt, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return triggerReceipt{}, err
	}
	id, err := c.DeleteGTT(ctx, p.ID)
	if err != nil {
		return triggerReceipt{}, err
	}
	return newTriggerReceipt(env, id, "Kite took the trigger away; orders that it placed earlier are not touched"), nil
}
