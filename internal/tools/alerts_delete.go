package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type deleteAlertsInput struct {
	UUIDs []string `json:"uuids" jsonschema:"Ids of alerts. get: none means all; create: not used; modify: exactly one; delete: 1 to 50." check:"max=50,form=uuid"`
}

// check implements checker.
func (in *deleteAlertsInput) check() []string {
	if len(in.UUIDs) == 0 {
		return []string{"uuids: name at least one"}
	}
	return nil
}

// deleteAlertsPlan is the removal of alerts that nobody has approved yet.
type deleteAlertsPlan struct {
	Account string
	UUIDs   []string
	Texts   []string
}

// alertsDeleted is the result of deleting.
type alertsDeleted struct {
	Success bool     `json:"success"`
	UUIDs   []string `json:"deleted_uuids"`
	Count   int      `json:"deleted_count"`
	Intent  string   `json:"intent"` // in session mode activity
	stamp
}

func (r *alertsDeleted) receipt() string { return strings.Join(r.UUIDs, ",") }

func alertsDelete() Mode {
	return Change("delete", ModeSpec{
		Title: "Delete alerts", Ask: "Delete these alerts", Effect: Destroy,
		Description: "removes alerts after the person's approval, all that are named or none",
		Tags:        []string{"remove alert"},
		Examples:    []string{`alerts {"mode":"delete","uuids":["00000000-0000-4000-8000-000000000001"]}`},
	}, planDeleteAlerts, applyDeleteAlerts)
}

func planDeleteAlerts(ctx context.Context, env *Env, in deleteAlertsInput) (deleteAlertsPlan, error) {
	c, account, err := accountID(ctx, env)
	if err != nil {
		return deleteAlertsPlan{}, err
	}
	all, err := c.Alerts(ctx, kite.AlertFilter{})
	if err != nil {
		return deleteAlertsPlan{}, err
	}
	found, err := named(ctx, c, all, kite.AlertFilter{}, unique(in.UUIDs))
	if err != nil {
		return deleteAlertsPlan{}, err
	}
	p := deleteAlertsPlan{Account: account}
	for _, a := range found {
		if a.Status == "deleted" {
			return p, &Failure{Code: CodeRejected, Message: "alert " + a.UUID + " is deleted already; nothing was sent to Kite"}
		}
		p.UUIDs = append(p.UUIDs, strings.ToLower(a.UUID))
		p.Texts = append(p.Texts, quoted(a.Name)+" on "+plain(a.LHSExchange+":"+a.LHSTradingSymbol))
	}
	return p, nil
}

func (p deleteAlertsPlan) text() string {
	if len(p.Texts) == 1 {
		return "delete the alert " + p.Texts[0]
	}
	return fmt.Sprintf("delete %d alerts: %s", len(p.Texts), strings.Join(p.Texts, ", "))
}

// Summary implements Plan.
func (p deleteAlertsPlan) Summary() string {
	return fmt.Sprintf("Account %s: %s.", p.Account, p.text())
}

// Intent implements Plan.
func (p deleteAlertsPlan) Intent(string) kite.Intent {
	uuids := strings.Join(p.UUIDs, ",")
	return kite.Intent{Account: p.Account, Action: p.text(), Ref: uuids, Expect: kite.Expect{DeleteAlerts: true, Alerts: uuids}}
}

func applyDeleteAlerts(ctx context.Context, env *Env, p deleteAlertsPlan) (alertsDeleted, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return alertsDeleted{}, err
	}
	if err := c.DeleteAlerts(ctx, p.UUIDs); err != nil {
		return alertsDeleted{}, err
	}
	return alertsDeleted{Success: true, UUIDs: p.UUIDs, Count: len(p.UUIDs), Intent: env.intent.ID}, nil
}
