package kite

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Price is an amount of money in 1/10000 rupee, fine enough for the 0.0025 ticks of currency contracts. Sums and
// differences of prices are exact.
type Price int64

const priceScale = 10_000

// ParsePrice reads a decimal number. More than four decimals, which Kite sends as floating-point noise
// ("-3.949999999999932"), are rounded half away from zero. Text that is no number, or too large, is an error.
func ParsePrice[S ~string](text S) (Price, error) {
	units, ok := parseDecimal(string(text))
	if !ok {
		return 0, fmt.Errorf("parse price %q: not a decimal number in range", shorten(string(text)))
	}
	return Price(units), nil
}

// String returns the shortest exact decimal: "1712.2", "-0.0025", "0".
func (p Price) String() string { return string(p.append(nil)) }

// MarshalJSON writes the price as an exact JSON number.
func (p Price) MarshalJSON() ([]byte, error) { return p.append(nil), nil }

// UnmarshalJSON reads a JSON number by the rules of ParsePrice; null is 0.
func (p *Price) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*p = 0
		return nil
	}
	v, err := ParsePrice(string(b))
	if err != nil {
		return err
	}
	*p = v
	return nil
}

func (p Price) append(b []byte) []byte {
	whole, frac := p/priceScale, p%priceScale
	if p < 0 && whole == 0 {
		b = append(b, '-')
	}
	b = strconv.AppendInt(b, int64(whole), 10)
	if frac == 0 {
		return b
	}
	frac = max(frac, -frac)
	digits := [5]byte{'.', byte('0' + frac/1000), byte('0' + frac/100%10), byte('0' + frac/10%10), byte('0' + frac%10)}
	return append(b, strings.TrimRight(string(digits[:]), "0")...)
}

// parseDecimal reads a JSON number as units of 1/10000.
func parseDecimal[T string | []byte](s T) (units int64, ok bool) {
	neg := len(s) > 0 && s[0] == '-'
	var mant uint64
	decimals, roundUp, seen := -1, false, false // decimals stays -1 until the point
	for i := range len(s) {
		d := s[i]
		switch {
		case d == '-' && i == 0:
			continue
		case d == '.' && decimals < 0 && seen:
			decimals, seen = 0, false
			continue
		case d == 'e' || d == 'E':
			return parseExponent(string(s))
		case d < '0' || d > '9':
			return 0, false
		}
		seen = true
		if decimals >= 4 {
			if decimals == 4 {
				roundUp = d >= '5'
			}
			decimals++
			continue
		}
		if mant > math.MaxInt64/10 {
			return 0, false
		}
		mant = mant*10 + uint64(d-'0')
		if decimals >= 0 {
			decimals++
		}
	}
	if !seen {
		return 0, false
	}
	for n := max(decimals, 0); n < 4; n++ {
		if mant > math.MaxInt64/10 {
			return 0, false
		}
		mant *= 10
	}
	if roundUp {
		mant++
	}
	if mant > math.MaxInt64 {
		return 0, false
	}
	if neg {
		return -int64(mant), true
	}
	return int64(mant), true
}

// parseExponent is the slow path for numbers such as 1.5e10, which Kite sends for large volumes.
func parseExponent(s string) (units int64, ok bool) {
	if len(s) > 64 || !json.Valid([]byte(s)) {
		return 0, false
	}
	exp, err := strconv.Atoi(s[strings.IndexAny(s, "eE")+1:])
	if err != nil || exp > 40 || exp < -400 {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, false
	}
	return ratUnits(r, priceScale)
}

// ratUnits rounds r x scale to the nearest integer, half away from zero.
func ratUnits(r *big.Rat, scale int64) (int64, bool) {
	num := new(big.Int).Mul(r.Num(), big.NewInt(scale))
	num.Abs(num).Lsh(num, 1).Add(num, r.Denom())
	q := num.Quo(num, new(big.Int).Lsh(r.Denom(), 1))
	if r.Sign() < 0 {
		q.Neg(q)
	}
	return q.Int64(), q.IsInt64()
}

func shorten(s string) string {
	const limit = 40
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}
