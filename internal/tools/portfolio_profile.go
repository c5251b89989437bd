package tools

import "context"

type noInput struct{}

func portfolioProfile() Mode {
	return Read("profile", ModeSpec{
		Title:       "Profile",
		Description: "who is logged in, with the exchanges, products and order types enabled for the account",
		Tags:        []string{"user", "client id", "exchanges", "products"},
		Examples:    []string{`portfolio {"mode":"profile"}`},
	}, func(ctx context.Context, env *Env, _ noInput) (passthrough, error) {
		c, err := env.Kite.Client(ctx)
		if err != nil {
			return passthrough{}, err
		}
		profile, err := c.Profile(ctx)
		return passthrough{object: profile}, err
	})
}
