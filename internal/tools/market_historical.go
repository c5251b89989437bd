package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

type historicalInput struct {
	Token      uint32 `json:"instrument_token" jsonschema:"Number of the instrument, from search." check:"min=1,max=4294967295"`
	Interval   string `json:"interval" jsonschema:"Length of a candle. One call covers at most 60 days of minute, 100 of 3minute to 10minute, 200 of 15minute and 30minute, 400 of 60minute, 2000 of day." check:"enum=minute|3minute|5minute|10minute|15minute|30minute|60minute|day"`
	From       string `json:"from_date" jsonschema:"Begin in IST: YYYY-MM-DD HH:MM:SS, or YYYY-MM-DD for 00:00:00." check:"form=time"`
	To         string `json:"to_date" jsonschema:"End in IST, as from_date; YYYY-MM-DD is 23:59:59." check:"form=time"`
	Continuous bool   `json:"continuous,omitempty" jsonschema:"Join earlier contracts of a future; day candles only." check:"default=false"`
	OI         bool   `json:"oi,omitempty" jsonschema:"Add open interest to each candle." check:"default=false"`
}

// check holds the range against what Kite gives in one call.
func (in *historicalInput) check() []string {
	var wrong []string
	if in.Continuous && in.Interval != "" && in.Interval != "day" {
		wrong = append(wrong, "continuous: only with interval day, got "+in.Interval)
	}
	from, to := in.span()
	each, known := kite.FindInterval(in.Interval)
	switch {
	case from.IsZero() || to.IsZero():
	case to.Before(from):
		wrong = append(wrong, fmt.Sprintf("to_date: must not be before from_date, got %s after %s", in.To, in.From))
	case known && !each.Holds(from, to):
		wrong = append(wrong, fmt.Sprintf("to_date: at most %d days after from_date for interval %s, got %s after %s; ask in windows", each.MaxDays, each.Name, in.To, in.From))
	}
	return wrong
}

// checkContract refuses to join the contracts of what is no future. Without an instruments master Kite decides.
func (in *historicalInput) checkContract(ctx context.Context, env *Env) error {
	if !in.Continuous {
		return nil
	}
	master, err := env.Instruments.Get(ctx)
	if err != nil {
		return nil //nolint:nilerr // Kite knows its instruments, too
	}
	if found, ok := master.ByToken(in.Token); ok && found.Type != "FUT" {
		return invalid("continuous: only for futures, " + found.ID() + " is none")
	}
	return nil
}

// span returns both ends of the range; zero for one that was refused.
func (in *historicalInput) span() (from, to time.Time) {
	if t, ok := istTime(in.From, false); ok {
		from = t
	}
	if t, ok := istTime(in.To, true); ok {
		to = t
	}
	return from, to
}

// candles are the candles of one instrument, oldest first.
type candles struct {
	Data []kite.Candle `json:"data"`
	stamp
}

func marketHistorical() Mode {
	return Read("historical", ModeSpec{
		Title:       "Historical candles",
		Description: "candles with open, high, low, close and volume; indicators need a computation tool of the host, the server has no indicator engine",
		Tags:        []string{"candles", "chart", "history", "OHLCV", "technical analysis", "moving average", "RSI", "backtest"},
		Examples:    []string{`market {"mode":"historical","instrument_token":408065,"interval":"day","from_date":"2026-01-01","to_date":"2026-06-30"}`},
	}, historical)
}

func historical(ctx context.Context, env *Env, in historicalInput) (candles, error) {
	c, err := env.Kite.Client(ctx)
	if err != nil {
		return candles{}, err
	}
	if err := in.checkContract(ctx, env); err != nil {
		return candles{}, err
	}
	from, to := in.span()
	all, err := c.Historical(ctx, kite.CandleQuery{Token: in.Token, Interval: in.Interval, From: from, To: to, Continuous: in.Continuous, OI: in.OI})
	if err != nil {
		return candles{}, explainCandles(err)
	}
	out := candles{Data: make([]kite.Candle, 0, len(all)), stamp: stamp{Meta: Meta{
		"instrument_token": in.Token, "interval": in.Interval,
		"note": "candles only: this server has no indicator engine, compute indicators with a tool of the host; the candle of a running interval is not finished",
	}}}
	for _, candle := range all {
		if !candle.Time.IsZero() { // a row without a readable time belongs nowhere
			out.Data = append(out.Data, candle)
		}
	}
	out.Meta["count"] = len(out.Data)
	if id := knownAs(env, in.Token); id != "" {
		out.Meta["instrument"] = id
	}
	if n := len(all) - len(out.Data); n > 0 {
		out.Meta["unreadable"] = n
	}
	return out, nil
}

// knownAs is the id of an instrument, EXCHANGE:TRADINGSYMBOL, when the instruments master is there anyway: candles are
// not worth a download.
func knownAs(env *Env, token uint32) string {
	if env.Instruments == nil {
		return ""
	}
	master := env.Instruments.Loaded()
	if master == nil {
		return ""
	}
	found, ok := master.ByToken(token)
	if !ok {
		return ""
	}
	return found.ID()
}

// explainCandles says where tokens come from when Kite refuses the request: what
// else it could refuse was checked before it was asked.
func explainCandles(err error) error {
	f := Explain(err)
	if f.Code != Code(kite.KindRejected) || f.Hint != "" {
		return err
	}
	hinted := *f
	hinted.Hint = "find the token with mode search of market; contracts that expired have none"
	return &hinted
}
