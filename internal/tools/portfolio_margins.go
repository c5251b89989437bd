package tools

import "context"

func portfolioMargins() Mode {
	return Read("margins", ModeSpec{
		Title:       "Funds and margins",
		Description: "available and used funds of the equity and commodity segments in rupees; enabled false means the segment is off, not empty",
		Tags:        []string{"funds", "cash", "balance", "margin", "collateral"},
		Examples:    []string{`portfolio {"mode":"margins"}`},
	}, func(ctx context.Context, env *Env, _ noInput) (passthrough, error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return passthrough{}, err
		}
		margins, err := c.Margins(ctx)
		return passthrough{object: margins}, err
	})
}
