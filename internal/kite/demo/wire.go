package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// amount is money in 1/10000 rupee, the unit of the price model.
type amount int64

const rupee amount = 10_000

// MarshalJSON writes the shortest exact decimal number.
func (a amount) MarshalJSON() ([]byte, error) { return appendDecimal(nil, int64(a), 4), nil }

// UnmarshalJSON reads the numbers of the seed, which have at most four decimals.
func (a *amount) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("read amount: %w", err)
	}
	*a = amount(math.Round(f * float64(rupee)))
	return nil
}

// roundTo returns the nearest multiple of a tick, at least one tick.
func (a amount) roundTo(tick amount) amount {
	return max(tick, (a+tick/2)/tick*tick)
}

// percent is in millionths of a percent.
type percent int64

// MarshalJSON writes the shortest exact decimal number.
func (p percent) MarshalJSON() ([]byte, error) { return appendDecimal(nil, int64(p), 6), nil }

// UnmarshalJSON reads the numbers of the seed, which have at most six decimals.
func (p *percent) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("read percent: %w", err)
	}
	*p = percent(math.Round(f * 1e6))
	return nil
}

// percentOf returns part/whole rounded half away from zero. Amounts of the demo account are far from overflowing.
func percentOf(part, whole amount) percent {
	if whole == 0 {
		return 0
	}
	num, den := int64(part)*100_000_000, int64(whole)
	if (num < 0) != (den < 0) {
		return percent((num - den/2) / den)
	}
	return percent((num + den/2) / den)
}

func appendDecimal(b []byte, v int64, places int) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	scale := int64(math.Pow10(places))
	b = strconv.AppendInt(b, v/scale, 10)
	if frac := v % scale; frac != 0 {
		b = append(b, '.')
		b = append(b, strings.TrimRight(fmt.Sprintf("%0*d", places, frac), "0")...)
	}
	return b
}

// parseAmount reads a number of an instruments CSV; empty is 0.
func parseAmount(s string) (amount, error) {
	if s == "" {
		return 0, nil
	}
	var a amount
	err := a.UnmarshalJSON([]byte(s))
	return a, err
}

// stamp is an exchange time as the wire has it: IST, no zone.
func stamp(t time.Time) string { return t.In(ist).Format(time.DateTime) }

// apiError is a refusal as Kite words it.
type apiError struct {
	status  int
	kind    string
	message string
}

func (e *apiError) body() []byte {
	return mustJSON(map[string]any{"status": "error", "message": e.message, "error_type": e.kind, "data": nil})
}

// mustJSON marshals values of our own types, which cannot fail. It leaves & and <
// as they are, like Kite: M&M is a symbol.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte(`{"status":"error","message":"internal error","error_type":"GeneralException","data":null}`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
