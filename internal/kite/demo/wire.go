package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"net/http"
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

// rupees is the amount with two decimals, as messages have it.
func (a amount) rupees() string {
	paise := a.per(100)
	sign := ""
	if paise < 0 {
		sign, paise = "-", -paise
	}
	return fmt.Sprintf("%s%d.%02d", sign, paise/100, paise%100)
}

// per returns a divided by n, rounded half away from zero: an average price, a share of something.
func (a amount) per(n int64) amount {
	if n == 0 {
		return 0
	}
	if (a < 0) != (n < 0) {
		return (a - amount(n)/2) / amount(n)
	}
	return (a + amount(n)/2) / amount(n)
}

// nullable is text that the wire shows as null when it is empty.
type nullable string

// MarshalJSON writes the text, or null.
func (n nullable) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return mustJSON(string(n)), nil
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

// percentOf returns part/whole rounded half away from zero.
func percentOf(part, whole amount) percent {
	if whole == 0 {
		return 0
	}
	if (part < 0) != (whole < 0) {
		return -percent(mulDiv(max(part, -part), 100_000_000, max(whole, -whole)))
	}
	return percent(mulDiv(max(part, -part), 100_000_000, max(whole, -whole)))
}

// mulDiv returns a*b/c, rounded half up, without losing digits on the way. None is negative.
func mulDiv(a, b, c amount) amount {
	high, low := bits.Mul64(hashable(int64(a)), hashable(int64(b)))
	low, carry := bits.Add64(low, hashable(int64(c)/2), 0)
	q, _ := bits.Div64(high+carry, low, hashable(int64(c)))
	return amount(q) //nolint:gosec // what is reckoned here fits: values are bounded, see maxValue
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

// invalid is the answer to a parameter that is missing or wrong.
func invalid(format string, args ...any) *apiError {
	return &apiError{http.StatusBadRequest, "InputException", fmt.Sprintf(format, args...)}
}

// refused is the answer to an order that cannot be placed, changed or found.
func refused(format string, args ...any) *apiError {
	return &apiError{http.StatusBadRequest, "OrderException", fmt.Sprintf(format, args...)}
}

// unknown is the answer to an id that names nothing.
func unknown(what string) *apiError {
	return &apiError{http.StatusNotFound, "InputException", what + " not found"}
}

func (e *apiError) body() []byte {
	return mustJSON(map[string]any{"status": "error", "message": e.message, "error_type": e.kind, "data": nil})
}

// rows is a list that the wire never shows as null.
func rows[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
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
