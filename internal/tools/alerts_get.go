package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type alertsInput struct {
	UUIDs   []string `json:"uuids,omitempty" jsonschema:"Ids of alerts. get: none means all; create: not used; modify: exactly one; delete: 1 to 50." check:"max=50,form=uuid"`
	Status  string   `json:"status,omitempty" jsonschema:"Only alerts in this state." check:"enum=enabled|disabled|deleted"`
	Type    string   `json:"type,omitempty" jsonschema:"simple: notifies; ato: places orders." check:"enum=simple|ato"`
	History bool     `json:"history,omitempty" jsonschema:"Add when and at which prices each alert of the page fired." check:"default=false"`
	paging
}

// alertList is a page of alerts. Histories are by uuid; those that failed are in meta.history_errors.
type alertList struct {
	Data       []kite.Alert                 `json:"data"`
	Pagination Pagination                   `json:"pagination"`
	Histories  map[string][]kite.AlertEvent `json:"histories,omitempty"`
	stamp
}

func alertsGet() Mode {
	return Read("get", ModeSpec{
		Title:       "Alerts",
		Description: "all alerts, or those named, with their conditions and how often they fired",
		Tags:        []string{"price alert", "notify", "ATO", "alert history"},
		Examples: []string{
			`alerts {"mode":"get","status":"enabled"}`,
			`alerts {"mode":"get","uuids":["00000000-0000-4000-8000-000000000002"],"history":true}`,
		},
	}, readAlerts)
}

func readAlerts(ctx context.Context, env *Env, in alertsInput) (alertList, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return alertList{}, err
	}
	filter := kite.AlertFilter{Status: in.Status, Type: in.Type}
	all, err := c.Alerts(ctx, filter)
	if err != nil {
		return alertList{}, err
	}
	if len(in.UUIDs) > 0 {
		if all, err = named(ctx, c, all, filter, unique(in.UUIDs)); err != nil {
			return alertList{}, err
		}
	}
	data, pages := page(all, in.paging)
	out := alertList{Data: data, Pagination: pages}
	if in.History {
		out.addHistories(ctx, c)
	}
	return out, nil
}

// named picks alerts by uuid out of those that pass the filter. One that is not among them is looked up: it may be
// filtered out, or listed only under its state, or not exist, which is an error.
func named(ctx context.Context, c *kite.Client, all []kite.Alert, filter kite.AlertFilter, uuids []string) ([]kite.Alert, error) {
	wanted := func(a kite.Alert) func(string) bool {
		return func(uuid string) bool { return strings.EqualFold(uuid, a.UUID) }
	}
	found := slices.DeleteFunc(slices.Clone(all), func(a kite.Alert) bool { return !slices.ContainsFunc(uuids, wanted(a)) })
	var unknown []string
	for _, uuid := range uuids {
		if slices.ContainsFunc(found, func(a kite.Alert) bool { return wanted(a)(uuid) }) {
			continue
		}
		a, err := c.Alert(ctx, uuid)
		switch {
		case errors.Is(err, kite.ErrNotFound):
			unknown = append(unknown, uuid)
		case err != nil:
			return nil, err
		case filter.Fits(a):
			found = append(found, a)
		}
	}
	if len(unknown) > 0 {
		return nil, &Failure{Code: CodeNotFound, Message: "Kite has no alert " + strings.Join(unknown, ", "), Hint: "mode get of alerts without uuids lists all"}
	}
	return found, nil
}

// addHistories reads the history of every alert on the page. One that fails is named and costs nothing else.
func (l *alertList) addHistories(ctx context.Context, c *kite.Client) {
	l.Histories = map[string][]kite.AlertEvent{}
	failed := map[string]*Failure{}
	for _, a := range l.Data {
		events, err := c.AlertHistory(ctx, a.UUID)
		if err != nil {
			failed[a.UUID] = Explain(err)
			continue
		}
		l.Histories[a.UUID] = events
	}
	if len(failed) > 0 {
		l.Meta = Meta{"history_errors": failed}
	}
}
