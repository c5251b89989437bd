package kite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"
)

// Alert is a price alert: a comparison that notifies when it begins to hold, and for type ato places a basket of
// orders. It marshals as Kite's own object.
type Alert struct {
	UUID             string
	Name             string
	Type             string // simple or ato
	Status           string // enabled, disabled or deleted
	DisabledReason   string
	LHSExchange      string // INDICES for an index
	LHSTradingSymbol string
	LHSAttribute     string // such as LastTradedPrice
	Operator         string
	RHSType          string // constant or instrument
	RHSConstant      Price
	RHSExchange      string
	RHSTradingSymbol string
	RHSAttribute     string
	AlertCount       int64 // times it fired
	CreatedAt        time.Time
	UpdatedAt        time.Time
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's object, unmodified.
	Raw json.RawMessage
}

// MarshalJSON returns Raw.
func (a Alert) MarshalJSON() ([]byte, error) { return rawObject(a.Raw), nil }

// AlertFilter narrows a list of alerts; empty fields do not.
type AlertFilter struct {
	Status string // enabled, disabled or deleted
	Type   string // simple or ato
}

// Fits reports whether an alert passes the filter.
func (f AlertFilter) Fits(a Alert) bool {
	return (f.Status == "" || f.Status == a.Status) && (f.Type == "" || f.Type == a.Type)
}

// Alerts reads the alerts that pass the filter, in Kite's order.
func (c *Client) Alerts(ctx context.Context, filter AlertFilter) ([]Alert, error) {
	query := url.Values{}
	if filter.Status != "" {
		query.Set("status", filter.Status)
	}
	if filter.Type != "" {
		query.Set("type", filter.Type)
	}
	raw, err := c.get(ctx, "alerts", "/alerts", query, paceOther)
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "alerts", readAlert)
}

// Alert reads one alert. One that Kite does not have is ErrNotFound.
func (c *Client) Alert(ctx context.Context, uuid string) (Alert, error) {
	raw, err := c.getAlert(ctx, "alert", uuid, "")
	if err != nil {
		return Alert{}, err
	}
	a := readAlert(raw)
	if a.UUID == "" {
		return Alert{}, fmt.Errorf("read alert: %w", emptyAnswer("alert"))
	}
	return a, nil
}

func readAlert(raw json.RawMessage) Alert {
	r := readRow(raw)
	a := Alert{
		UUID:             r.text("uuid"),
		Name:             r.text("name"),
		Type:             r.text("type"),
		Status:           r.text("status"),
		DisabledReason:   r.text("disabled_reason"),
		LHSExchange:      r.text("lhs_exchange"),
		LHSTradingSymbol: r.text("lhs_tradingsymbol"),
		LHSAttribute:     r.text("lhs_attribute"),
		Operator:         r.text("operator"),
		RHSType:          r.text("rhs_type"),
		RHSConstant:      r.price("rhs_constant"),
		RHSExchange:      r.text("rhs_exchange"),
		RHSTradingSymbol: r.text("rhs_tradingsymbol"),
		RHSAttribute:     r.text("rhs_attribute"),
		AlertCount:       r.count("alert_count"),
		CreatedAt:        r.when("created_at"),
		UpdatedAt:        r.when("updated_at"),
		Raw:              raw,
	}
	a.Problems = r.problems
	return a
}

// AlertEvent is one time that an alert fired, with the quotes it saw. It marshals as Kite's own object.
type AlertEvent struct {
	UUID      string
	Type      string
	Condition string // as Kite words it
	CreatedAt time.Time
	// Problems names the fields that could not be read.
	Problems []string
	// Raw is Kite's object, unmodified.
	Raw json.RawMessage
}

// MarshalJSON returns Raw.
func (e AlertEvent) MarshalJSON() ([]byte, error) { return rawObject(e.Raw), nil }

// AlertHistory reads when an alert fired. An alert that Kite does not have is ErrNotFound.
func (c *Client) AlertHistory(ctx context.Context, uuid string) ([]AlertEvent, error) {
	raw, err := c.getAlert(ctx, "alert history", uuid, "/history")
	if err != nil {
		return nil, err
	}
	return decodeList(raw, "alert history", func(raw json.RawMessage) AlertEvent {
		r := readRow(raw)
		e := AlertEvent{
			UUID: r.text("uuid"), Type: r.text("type"), Condition: r.text("condition"), CreatedAt: r.when("created_at"), Raw: raw,
		}
		e.Problems = r.problems
		return e
	})
}

// ValidUUID reports whether text has the form of the ids of alerts, so that it cannot lead a path elsewhere.
func ValidUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, b := range []byte(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
		if dash != (b == '-') || !dash && !hex {
			return false
		}
	}
	return true
}

func (c *Client) getAlert(ctx context.Context, what, uuid, rest string) (json.RawMessage, error) {
	if !ValidUUID(uuid) {
		return nil, fmt.Errorf("read %s: %w", what, invalidArgument("the id of an alert is a UUID"))
	}
	raw, err := c.get(ctx, what, "/alerts/"+uuid+rest, nil, paceOther)
	return raw, orNotFound(err)
}
