package kite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// AlertRequest is an alert as it is to be: new, or in place of another.
type AlertRequest struct {
	Name             string `json:"name"`
	Type             string `json:"type"` // simple or ato
	LHSExchange      string `json:"lhs_exchange"`
	LHSTradingSymbol string `json:"lhs_tradingsymbol"`
	LHSAttribute     string `json:"lhs_attribute"`
	Operator         string `json:"operator"`
	RHSType          string `json:"rhs_type"`               // constant or instrument
	RHSConstant      Price  `json:"rhs_constant"`           // of constant
	RHSExchange      string `json:"rhs_exchange,omitempty"` // of instrument, as the next two
	RHSTradingSymbol string `json:"rhs_tradingsymbol,omitempty"`
	RHSAttribute     string `json:"rhs_attribute,omitempty"`
	Basket           string `json:"basket,omitempty"` // of ato: one JSON object
}

// Request returns the alert as a request that would change nothing.
func (a Alert) Request() AlertRequest {
	r := AlertRequest{
		Name: a.Name, Type: a.Type, LHSExchange: a.LHSExchange, LHSTradingSymbol: a.LHSTradingSymbol, LHSAttribute: a.LHSAttribute,
		Operator: a.Operator, RHSType: a.RHSType,
	}
	if a.RHSType == "constant" {
		r.RHSConstant = a.RHSConstant
	} else {
		r.RHSExchange, r.RHSTradingSymbol, r.RHSAttribute = a.RHSExchange, a.RHSTradingSymbol, a.RHSAttribute
	}
	var compact bytes.Buffer
	if raw := readRow(a.Raw).raw("basket"); raw != nil && json.Compact(&compact, raw) == nil && compact.String() != "null" {
		r.Basket = compact.String()
	}
	return r
}

// Made reports whether an alert is as the request wants it. Kite adds to baskets, so only whether there is one counts.
func (r AlertRequest) Made(row Alert) bool {
	is := row.Request()
	if (is.Basket == "") != (r.Basket == "") {
		return false
	}
	is.Basket = r.Basket
	return is == r
}

func (r AlertRequest) form() url.Values {
	f := url.Values{
		"name": {r.Name}, "type": {r.Type}, "lhs_exchange": {r.LHSExchange}, "lhs_tradingsymbol": {r.LHSTradingSymbol},
		"lhs_attribute": {r.LHSAttribute}, "operator": {r.Operator}, "rhs_type": {r.RHSType},
	}
	if r.RHSType == "constant" {
		f.Set("rhs_constant", r.RHSConstant.String())
	} else {
		f.Set("rhs_exchange", r.RHSExchange)
		f.Set("rhs_tradingsymbol", r.RHSTradingSymbol)
		f.Set("rhs_attribute", r.RHSAttribute)
	}
	add(f, "basket", r.Basket)
	return f
}

// CreateAlert sends a new alert, once, and returns it as Kite has it. ErrOutcomeUnknown means that it may exist.
func (c *Client) CreateAlert(ctx context.Context, r AlertRequest) (Alert, error) {
	return c.sendAlert(ctx, "create alert", http.MethodPost, "/alerts", r)
}

// ModifyAlert replaces an alert, once. ErrOutcomeUnknown means that it may be replaced.
func (c *Client) ModifyAlert(ctx context.Context, uuid string, r AlertRequest) (Alert, error) {
	if !ValidUUID(uuid) {
		return Alert{}, fmt.Errorf("modify alert: %w", invalidArgument("the id of an alert is a UUID"))
	}
	return c.sendAlert(ctx, "modify alert", http.MethodPut, "/alerts/"+uuid, r)
}

func (c *Client) sendAlert(ctx context.Context, what, method, path string, r AlertRequest) (Alert, error) {
	raw, err := c.send(ctx, what, method, path, nil, r.form())
	if err != nil {
		return Alert{}, err
	}
	a := readAlert(raw)
	if !ValidUUID(a.UUID) {
		return Alert{}, fmt.Errorf("%s: %w", what, outcomeOf(newError(KindUpstreamUnavailable, "Kite's answer names no alert")))
	}
	return a, nil
}

// DeleteAlerts deletes alerts, once. ErrOutcomeUnknown means that they may be gone.
func (c *Client) DeleteAlerts(ctx context.Context, uuids []string) error {
	query := url.Values{}
	for _, uuid := range uuids {
		if !ValidUUID(uuid) {
			return fmt.Errorf("delete alerts: %w", invalidArgument("the id of an alert is a UUID"))
		}
		query.Add("uuid", strings.ToLower(uuid))
	}
	if len(uuids) == 0 {
		return fmt.Errorf("delete alerts: %w", invalidArgument("no alert is named"))
	}
	_, err := c.send(ctx, "delete alerts", http.MethodDelete, "/alerts", query, nil)
	return err
}
