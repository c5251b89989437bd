package demo

import (
	"encoding/json"
	"fmt"
	"slices"
)

// parseAlert reads and checks the form of an alert.
func (c call) parseAlert() (alertRow, *apiError) {
	f := &fields{form: c.form}
	row := alertRow{
		Type: f.word("type", true, alertSimple, alertATO), UserID: c.d.User, Name: f.word("name", true), Status: alertEnabled,
		LHSAttribute: f.word("lhs_attribute", true, alertAttributes()...), LHSExchange: f.word("lhs_exchange", true),
		LHSTradingSymbol: f.word("lhs_tradingsymbol", true), Operator: f.word("operator", true, "<=", ">=", "<", ">", "=="),
		RHSType: f.word("rhs_type", true, "constant", "instrument"),
	}
	switch row.RHSType {
	case "constant":
		f.word("rhs_constant", true)
		row.RHSConstant = f.money("rhs_constant", true)
	case "instrument":
		row.RHSAttribute = f.word("rhs_attribute", true, alertAttributes()...)
		row.RHSExchange, row.RHSTradingSymbol = f.word("rhs_exchange", true), f.word("rhs_tradingsymbol", true)
		if f.bad == nil && c.d.alertInstrument(row.RHSExchange, row.RHSTradingSymbol) == nil {
			f.fail(invalid("Invalid `rhs_tradingsymbol`."))
		}
	}
	if f.bad == nil && c.d.alertInstrument(row.LHSExchange, row.LHSTradingSymbol) == nil {
		f.fail(invalid("Invalid `lhs_tradingsymbol`."))
	}
	if row.Type == alertATO {
		var b basket
		text := f.word("basket", true)
		if f.bad == nil && (json.Unmarshal([]byte(text), &b) != nil || len(b.Items) == 0) {
			f.fail(invalid("Invalid `basket`."))
		}
		row.Basket = json.RawMessage(text)
	}
	return row, f.bad
}

func answerAlerts(c call) (any, *apiError) {
	query := c.r.URL.Query()
	rows := []alertRow{}
	for _, a := range c.d.Alerts {
		status, kind := query.Get("status"), query.Get("type")
		if status == "" || status == a.Status {
			if kind == "" || kind == a.Type {
				rows = append(rows, a.alertRow)
			}
		}
	}
	return rows, nil
}

func (c call) findAlert() (*alert, *apiError) {
	i := slices.IndexFunc(c.d.Alerts, func(a *alert) bool { return a.UUID == c.args[0] })
	if i < 0 {
		return nil, unknown("Alert")
	}
	return c.d.Alerts[i], nil
}

func answerAlert(c call) (any, *apiError) {
	a, e := c.findAlert()
	if e != nil {
		return nil, e
	}
	return a.alertRow, nil
}

func answerAlertHistory(c call) (any, *apiError) {
	a, e := c.findAlert()
	if e != nil {
		return nil, e
	}
	return rows(a.History), nil
}

func answerCreateAlert(c call) (any, *apiError) {
	row, e := c.parseAlert()
	if e != nil {
		return nil, e
	}
	if len(c.d.Alerts) >= maxAlerts {
		return nil, invalid("You have reached the limit of %d alerts.", maxAlerts)
	}
	c.d.changed = true
	c.d.Numbers.Alert++
	row.UUID = fmt.Sprintf("00000000-0000-4000-8000-%012d", 100+c.d.Numbers.Alert)
	row.CreatedAt, row.UpdatedAt = c.d.stamp(), c.d.stamp()
	a := &alert{alertRow: row, History: []alertEvent{}}
	c.d.armAlert(a)
	c.d.Alerts = append(c.d.Alerts, a)
	return row, nil
}

// answerModifyAlert replaces an alert; status alone may be sent to switch it on or off.
func answerModifyAlert(c call) (any, *apiError) {
	a, e := c.findAlert()
	if e != nil {
		return nil, e
	}
	f := &fields{form: c.form}
	status := f.word("status", false, alertEnabled, alertDisabled)
	if f.bad != nil {
		return nil, f.bad
	}
	row := a.alertRow
	if len(c.form) > 1 || status == "" {
		if row, e = c.parseAlert(); e != nil {
			return nil, e
		}
		row.UUID, row.AlertCount, row.CreatedAt, row.Status = a.UUID, a.AlertCount, a.CreatedAt, a.Status
	}
	if status != "" {
		row.Status = status
	}
	c.d.changed = true
	row.UpdatedAt = c.d.stamp()
	a.alertRow, a.Was = row, false
	c.d.armAlert(a)
	return row, nil
}

// answerDeleteAlerts deletes what the uuids name: all of them or, when one is unknown, none.
func answerDeleteAlerts(c call) (any, *apiError) {
	uuids := c.r.URL.Query()["uuid"]
	if len(uuids) == 0 {
		return nil, invalid("Missing `uuid`.")
	}
	known := func(uuid string) bool {
		return slices.ContainsFunc(c.d.Alerts, func(a *alert) bool { return a.UUID == uuid })
	}
	for _, uuid := range uuids {
		if !known(uuid) {
			return nil, unknown("Alert")
		}
	}
	c.d.changed = true
	c.d.Alerts = slices.DeleteFunc(c.d.Alerts, func(a *alert) bool { return slices.Contains(uuids, a.UUID) })
	return nil, nil
}
