package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type modifyAlertInput struct {
	UUIDs            []string `json:"uuids" jsonschema:"Ids of alerts. get: none means all; create: not used; modify: exactly one; delete: 1 to 50." check:"max=50,form=uuid"`
	Name             string   `json:"name,omitempty" jsonschema:"Name of the alert." check:"maxbytes=60"`
	AlertType        string   `json:"alert_type,omitempty" jsonschema:"simple: notifies; ato: places the orders of its basket when it fires." check:"enum=simple|ato"`
	LHSExchange      string   `json:"lhs_exchange,omitempty" jsonschema:"Exchange on the left, INDICES for an index." check:"enum=NSE|BSE|NFO|BFO|MCX|CDS|BCD|INDICES"`
	LHSTradingSymbol string   `json:"lhs_tradingsymbol,omitempty" jsonschema:"Symbol on the left, such as INFY or NIFTY 50." check:"form=symbol"`
	LHSAttribute     string   `json:"lhs_attribute,omitempty" jsonschema:"What is compared, such as LastTradedPrice." check:"maxbytes=40"`
	Operator         string   `json:"operator,omitempty" jsonschema:"Comparison." check:"enum=<=|>=|<|>|=="`
	RHSType          string   `json:"rhs_type,omitempty" jsonschema:"Right side: constant, a number, or instrument." check:"enum=constant|instrument"`
	alertRight
}

// check implements checker.
func (in *modifyAlertInput) check() []string {
	if len(unique(in.UUIDs)) != 1 {
		return []string{fmt.Sprintf("uuids: exactly one for mode modify, got %d", len(in.UUIDs))}
	}
	return nil
}

// modifyAlertPlan is a change of an alert that nobody has approved yet.
type modifyAlertPlan struct {
	Account  string
	UUID     string
	Old, New string
	Request  kite.AlertRequest
}

func alertsModify() Mode {
	return Change("modify", ModeSpec{
		Title: "Modify an alert", Ask: "Modify this alert", Effect: Destroy,
		Description: "changes an alert after the person's approval; what is not given stays as it is",
		Tags:        []string{"change alert"},
		Examples:    []string{`alerts {"mode":"modify","uuids":["00000000-0000-4000-8000-000000000001"],"rhs_constant":27500}`},
	}, planModifyAlert, applyModifyAlert)
}

func planModifyAlert(ctx context.Context, env *Env, in modifyAlertInput) (modifyAlertPlan, error) {
	c, account, err := accountID(ctx, env)
	if err != nil {
		return modifyAlertPlan{}, err
	}
	stored, err := c.Alert(ctx, in.UUIDs[0])
	if err != nil {
		return modifyAlertPlan{}, hinted(err, "alerts mode get without uuids lists all")
	}
	if stored.Status == "deleted" || len(stored.Problems) > 0 {
		return modifyAlertPlan{}, &Failure{Code: CodeRejected, Message: "this alert is deleted or has a form that this program does not know; nothing was sent to Kite"}
	}
	old := stored.Request()
	r := old
	r.Name, r.Type, r.LHSExchange, r.LHSTradingSymbol = orElse(in.Name, r.Name), orElse(in.AlertType, r.Type), orElse(in.LHSExchange, r.LHSExchange), orElse(in.LHSTradingSymbol, r.LHSTradingSymbol)
	r.LHSAttribute, r.Operator, r.RHSType = orElse(in.LHSAttribute, r.LHSAttribute), orElse(in.Operator, r.Operator), orElse(in.RHSType, r.RHSType)
	wrong := in.of(r.RHSType, r.Type, r.RHSType != old.RHSType, old.Basket == "")
	in.into(&r)
	if r.Type == "simple" {
		r.Basket = ""
	}
	if r == old && len(wrong) == 0 {
		wrong = append(wrong, "nothing would change: the alert is like that already")
	}
	if wrong = append(wrong, checkAlertInstruments(ctx, env, r)...); len(wrong) > 0 {
		return modifyAlertPlan{}, invalid(wrong...)
	}
	p := modifyAlertPlan{Account: account, UUID: strings.ToLower(stored.UUID), Request: r}
	if p.Old, err = alertText(old); err == nil {
		p.New, err = alertText(r)
	}
	if err != nil {
		return p, invalid("basket: " + err.Error())
	}
	return p, nil
}

// Summary implements Plan.
func (p modifyAlertPlan) Summary() string {
	return fmt.Sprintf("Account %s: modify the %s → %s.", p.Account, p.Old, p.New)
}

// Intent implements Plan.
func (p modifyAlertPlan) Intent(string) kite.Intent {
	return kite.Intent{Account: p.Account, Action: "modify the " + p.Old + " → " + p.New, Ref: p.UUID, Expect: kite.Expect{ModifyAlert: &p.Request, Alerts: p.UUID}}
}

func applyModifyAlert(ctx context.Context, env *Env, p modifyAlertPlan) (alertReceipt, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return alertReceipt{}, err
	}
	a, err := c.ModifyAlert(ctx, p.UUID, p.Request)
	if err != nil {
		return alertReceipt{}, err
	}
	return alertReceipt{Alert: a, Intent: env.intent.ID, Note: alertNote}, nil
}
