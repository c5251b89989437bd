package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type createAlertInput struct {
	UUIDs            []string `json:"uuids,omitempty" jsonschema:"Ids of alerts. get: none means all; create: not used; modify: exactly one; delete: 1 to 50." check:"max=50,form=uuid"`
	Name             string   `json:"name" jsonschema:"Name of the alert." check:"maxbytes=60"`
	AlertType        string   `json:"alert_type" jsonschema:"simple: notifies; ato: places the orders of its basket when it fires." check:"enum=simple|ato"`
	LHSExchange      string   `json:"lhs_exchange" jsonschema:"Exchange on the left, INDICES for an index." check:"enum=NSE|BSE|NFO|BFO|MCX|CDS|BCD|INDICES"`
	LHSTradingSymbol string   `json:"lhs_tradingsymbol" jsonschema:"Symbol on the left, such as INFY or NIFTY 50." check:"form=symbol"`
	LHSAttribute     string   `json:"lhs_attribute" jsonschema:"What is compared, such as LastTradedPrice." check:"maxbytes=40"`
	Operator         string   `json:"operator" jsonschema:"Comparison." check:"enum=<=|>=|<|>|=="`
	RHSType          string   `json:"rhs_type" jsonschema:"Right side: constant, a number, or instrument." check:"enum=constant|instrument"`
	alertRight
}

// check implements checker.
func (in *createAlertInput) check() []string {
	if in.RHSType == "" || in.AlertType == "" {
		return nil
	}
	return in.of(in.RHSType, in.AlertType, true, true)
}

// createAlertPlan is a new alert that nobody has approved yet.
type createAlertPlan struct {
	Account string
	Request kite.AlertRequest
	Text    string
	at      time.Time
}

func alertsCreate() Mode {
	return Change("create", ModeSpec{
		Title: "Create an alert", Ask: "Create this alert", Effect: Destroy,
		Description: "sets an alert after the person's approval; an ato alert places its orders later without asking again",
		Tags:        []string{"tell me when", "watch a price"},
		Examples:    []string{`alerts {"mode":"create","name":"INFY above 1900","alert_type":"simple","lhs_exchange":"NSE","lhs_tradingsymbol":"INFY","lhs_attribute":"LastTradedPrice","operator":">=","rhs_type":"constant","rhs_constant":1900}`},
	}, planCreateAlert, applyCreateAlert)
}

func planCreateAlert(ctx context.Context, env *Env, in createAlertInput) (createAlertPlan, error) {
	r := kite.AlertRequest{
		Name: in.Name, Type: in.AlertType, LHSExchange: in.LHSExchange, LHSTradingSymbol: in.LHSTradingSymbol, LHSAttribute: in.LHSAttribute,
		Operator: in.Operator, RHSType: in.RHSType,
	}
	in.into(&r)
	if wrong := checkAlertInstruments(ctx, env, r); len(wrong) > 0 {
		return createAlertPlan{}, invalid(wrong...)
	}
	text, err := alertText(r)
	if err != nil {
		return createAlertPlan{}, invalid("basket: " + err.Error())
	}
	_, account, err := accountID(ctx, env)
	return createAlertPlan{Account: account, Request: r, Text: text, at: env.Now()}, err
}

// Summary implements Plan.
func (p createAlertPlan) Summary() string {
	return fmt.Sprintf("Account %s: create the %s.", p.Account, p.Text)
}

// Intent implements Plan.
func (p createAlertPlan) Intent(string) kite.Intent {
	return kite.Intent{Account: p.Account, Action: "create the " + p.Text, Expect: kite.Expect{CreateAlert: &p.Request, After: p.at}}
}

func applyCreateAlert(ctx context.Context, env *Env, p createAlertPlan) (alertReceipt, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return alertReceipt{}, err
	}
	a, err := c.CreateAlert(ctx, p.Request)
	if err != nil {
		return alertReceipt{}, err
	}
	return alertReceipt{Alert: a, Intent: env.intent.ID, Note: alertNote}, nil
}
