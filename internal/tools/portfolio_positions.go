package tools

import (
	"context"
	"encoding/json"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type positionsInput struct {
	View string `json:"position_view,omitempty" jsonschema:"net: exposure now, carried positions included; day: today's activity only; all: net rows, then day rows, which must not be added." check:"enum=net|day|all,default=net"`
	paging
}

// positionRow is Kite's row with the view it came from in front.
type positionRow struct {
	view string
	kite.Position
}

// MarshalJSON adds position_view to Kite's fields.
func (p positionRow) MarshalJSON() ([]byte, error) {
	body, err := json.Marshal(p.Position)
	if err != nil {
		return nil, err
	}
	return append([]byte(`{"position_view":"`+p.view+`",`), body[1:]...), nil
}

func portfolioPositions() Mode {
	return Read("positions", ModeSpec{
		Title:       "Positions",
		Description: "open and closed intraday, carried and derivative positions, one row per exchange, symbol and product",
		Tags:        []string{"open positions", "intraday", "F&O", "derivatives", "square off", "exit", "m2m", "short"},
		Examples: []string{
			`portfolio {"mode":"positions"}`,
			`portfolio {"mode":"positions","position_view":"day"}`,
		},
	}, readPositions)
}

func readPositions(ctx context.Context, env *Env, in positionsInput) (rows[positionRow], error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return rows[positionRow]{}, err
	}
	both, err := c.Positions(ctx)
	if err != nil {
		return rows[positionRow]{}, err
	}
	var chosen []positionRow
	if in.View != "day" {
		chosen = appendRows(chosen, "net", both.Net)
	}
	if in.View == "day" || in.View == "all" {
		chosen = appendRows(chosen, "day", both.Day)
	}
	data, pages := page(chosen, in.paging)
	return rows[positionRow]{
		Data: data, Pagination: pages,
		stamp: stamp{Meta: Meta{"counts": map[string]int{"net": len(both.Net), "day": len(both.Day)}}},
	}, nil
}

func appendRows(to []positionRow, view string, from []kite.Position) []positionRow {
	for _, p := range from {
		to = append(to, positionRow{view: view, Position: p})
	}
	return to
}
