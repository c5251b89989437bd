package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// alertRight is the right side of a comparison, and what an alert does.
type alertRight struct {
	RHSConstant      *float64        `json:"rhs_constant,omitempty" jsonschema:"Number to compare with; rhs_type constant." check:"min=-1000000000,max=1000000000"`
	RHSExchange      string          `json:"rhs_exchange,omitempty" jsonschema:"Exchange on the right, INDICES for an index; rhs_type instrument." check:"enum=NSE|BSE|NFO|BFO|MCX|CDS|BCD|INDICES"`
	RHSTradingSymbol string          `json:"rhs_tradingsymbol,omitempty" jsonschema:"Symbol on the right; rhs_type instrument." check:"form=symbol"`
	RHSAttribute     string          `json:"rhs_attribute,omitempty" jsonschema:"Attribute on the right; rhs_type instrument." check:"maxbytes=40"`
	Basket           json.RawMessage `json:"basket,omitempty" jsonschema:"Orders that an ato alert places, as Kite's basket object with items, or as a text that holds it." check:"maxbytes=16384"`
}

// into writes what was given into an alert. What belongs to the other type of right side goes.
func (a alertRight) into(r *kite.AlertRequest) {
	if r.RHSType == "instrument" {
		r.RHSConstant = 0
		r.RHSExchange, r.RHSTradingSymbol, r.RHSAttribute = orElse(a.RHSExchange, r.RHSExchange), orElse(a.RHSTradingSymbol, r.RHSTradingSymbol), orElse(a.RHSAttribute, r.RHSAttribute)
	} else {
		r.RHSExchange, r.RHSTradingSymbol, r.RHSAttribute = "", "", ""
		if a.RHSConstant != nil {
			r.RHSConstant = price(*a.RHSConstant)
		}
	}
	if len(a.Basket) > 0 {
		r.Basket = string(a.Basket)
	}
}

// of tells what of the right side does not fit the types that an alert has, or is missing: the right side and the
// basket when they are needed anew.
func (a alertRight) of(rhsType, alertType string, right, basket bool) []string {
	var wrong []string
	rule := func(broken bool, text string) {
		if broken {
			wrong = append(wrong, text)
		}
	}
	constant := rhsType == "constant"
	if a.RHSConstant != nil {
		_, ok := exact(*a.RHSConstant)
		rule(!ok, "rhs_constant: at most 4 decimals")
	}
	rule(constant && right && a.RHSConstant == nil, "rhs_constant: required for rhs_type constant")
	rule(!constant && a.RHSConstant != nil, "rhs_constant: only with rhs_type constant")
	for _, v := range []struct{ name, value string }{{"rhs_exchange", a.RHSExchange}, {"rhs_tradingsymbol", a.RHSTradingSymbol}, {"rhs_attribute", a.RHSAttribute}} {
		rule(!constant && right && v.value == "", v.name+": required for rhs_type instrument")
		rule(constant && v.value != "", v.name+": only with rhs_type instrument")
	}
	rule(alertType == "ato" && basket && len(a.Basket) == 0, "basket: required for alert_type ato")
	rule(alertType == "simple" && len(a.Basket) > 0, "basket: only with alert_type ato")
	if len(a.Basket) > 0 {
		if _, err := basketText(string(a.Basket)); err != nil {
			wrong = append(wrong, "basket: "+err.Error())
		} else if !fullyShown(a.Basket) {
			wrong = append(wrong, "basket: an item has exchange, tradingsymbol and params, and may have type and weight; nothing else is shown to the person")
		}
	}
	return wrong
}

// checkAlertInstruments holds both sides to the instruments master. Indices have names of their own there.
func checkAlertInstruments(ctx context.Context, env *Env, r kite.AlertRequest) []string {
	var wrong []string
	for _, side := range []struct{ name, exchange, symbol string }{{"lhs_", r.LHSExchange, r.LHSTradingSymbol}, {"rhs_", r.RHSExchange, r.RHSTradingSymbol}} {
		if side.exchange == "" || side.exchange == "INDICES" {
			continue
		}
		_, unknown := knownInstrument(masterOf(ctx, env), side.exchange, side.symbol)
		for _, f := range unknown {
			wrong = append(wrong, side.name+f)
		}
	}
	return wrong
}

// fullyShown reports whether the items of a basket hold nothing that basketText would keep from the person.
func fullyShown(basket []byte) bool {
	var members struct {
		Items []map[string]json.RawMessage `json:"items"`
	}
	if json.Unmarshal(basket, &members) != nil {
		return false
	}
	for _, item := range members.Items {
		for name := range item {
			if !slices.Contains([]string{"exchange", "tradingsymbol", "params", "type", "weight"}, name) {
				return false
			}
		}
	}
	return true
}

// alertText is an alert as the person knows it, with every order that it would place.
func alertText(r kite.AlertRequest) (string, error) {
	right := r.RHSConstant.String()
	if r.RHSType == "instrument" {
		right = plain(r.RHSAttribute) + " of " + plain(r.RHSExchange+":"+r.RHSTradingSymbol)
	}
	operator := r.Operator
	if !slices.Contains([]string{"<=", ">=", "<", ">", "=="}, operator) { // in an alert that Kite has
		operator = quoted(operator)
	}
	text := fmt.Sprintf("alert %s: when %s of %s %s %s, ", quoted(r.Name), plain(r.LHSAttribute), plain(r.LHSExchange+":"+r.LHSTradingSymbol), operator, right)
	if r.Type != "ato" {
		return text + "notify", nil
	}
	orders, err := basketText(r.Basket)
	if err != nil {
		return "", err
	}
	return text + "place without asking again: " + orders, nil
}

// basketText describes every order of a basket in full: approving the alert approves them.
func basketText(text string) (string, error) {
	var basket struct {
		Items []struct {
			Exchange string                     `json:"exchange"`
			Symbol   string                     `json:"tradingsymbol"`
			Weight   json.RawMessage            `json:"weight"`
			Params   map[string]json.RawMessage `json:"params"`
		} `json:"items"`
	}
	const most = 20 // Kite's own limit of a basket
	if json.Unmarshal([]byte(text), &basket) != nil || len(basket.Items) == 0 || len(basket.Items) > most {
		return "", fmt.Errorf("must have 1 to %d items, each with exchange, tradingsymbol and params", most)
	}
	orders := make([]string, len(basket.Items))
	for i, item := range basket.Items {
		side, quantity := word(item.Params["transaction_type"]), word(item.Params["quantity"])
		if n, err := strconv.ParseInt(quantity, 10, 64); err != nil || n < 1 || side != "BUY" && side != "SELL" || item.Exchange == "" || item.Symbol == "" {
			return "", fmt.Errorf("item %d needs exchange, tradingsymbol, and params with transaction_type and a whole quantity", i+1)
		}
		parts := []string{fmt.Sprintf("%s %s %s", side, quantity, plain(item.Exchange+":"+item.Symbol))}
		for _, name := range slices.Sorted(maps.Keys(item.Params)) {
			if v := word(item.Params[name]); name != "transaction_type" && name != "quantity" && v != "" && v != "0" && v != "null" && v != "[]" {
				parts = append(parts, oneWord(name)+" "+oneWord(v))
			}
		}
		// Kite's own baskets repeat the quantity as the weight.
		if w := word(item.Weight); w != "" && w != "0" && w != "null" && w != quantity {
			parts = append(parts, "weight "+oneWord(w))
		}
		orders[i] = strings.Join(parts, ", ")
	}
	return strings.Join(orders, "; "), nil
}

// oneWord is plain for what has no blanks.
func oneWord(s string) string {
	if strings.Contains(s, " ") {
		return quoted(s)
	}
	return plain(s)
}

// word is a JSON value in one line; a text without its quotation marks.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return ""
	}
	return compact.String()
}

// alertReceipt is the result of creating and modifying.
type alertReceipt struct {
	Alert  kite.Alert `json:"alert"`
	Intent string     `json:"intent"` // in session mode activity
	Note   string     `json:"note"`
	stamp
}

func (r *alertReceipt) receipt() string { return r.Alert.UUID }

const alertNote = "An alert that fires is no proof of a trade; alerts mode get with history tells what it did"
