package kite_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/kite"
)

// Prices are exact to four decimals; the noise of Kite's floating-point numbers is rounded away.
func TestParsePrice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   string
		want kite.Price
		text string
	}{
		{"0", 0, "0"},
		{"1712.2", 17_122_000, "1712.2"},
		{"89.4025", 894_025, "89.4025"},
		{"-0.0025", -25, "-0.0025"},
		{"-3.949999999999932", -39_500, "-3.95"},
		{"0.5999999999999659", 6_000, "0.6"},
		{"801.78125", 8_017_813, "801.7813"},
		{"-801.78125", -8_017_813, "-801.7813"},
		{"0.00005", 1, "0.0001"},
		{"0.00004999", 0, "0"},
		{"1.5e10", 150_000_000_000_000, "15000000000"},
		{"15E-4", 15, "0.0015"},
		{"1e-400", 0, "0"},
		{"922337203685477.5807", 9_223_372_036_854_775_807, "922337203685477.5807"},
		{"-922337203685477.5807", -9_223_372_036_854_775_807, "-922337203685477.5807"},
	} {
		got, err := kite.ParsePrice(tc.in)
		if err != nil || got != tc.want {
			t.Errorf("ParsePrice(%s) = %d, %v; want %d", tc.in, int64(got), err, int64(tc.want))
		}
		if got.String() != tc.text {
			t.Errorf("String of %s = %s, want %s", tc.in, got, tc.text)
		}
		if b, err := json.Marshal(got); err != nil || string(b) != tc.text {
			t.Errorf("JSON of %s = %s, %v", tc.in, b, err)
		}
	}
}

// What is no number in range is an error that quotes no more than a glimpse of it.
func TestParsePriceErrors(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", " ", "-", ".", "+1", "1.", ".5", "1.2.3", "--1", "1,000", "NaN", "Inf", "0x10", "1/3", "1_000", "ten", "1e", "e5", "1e400", "1e999999999999",
		"922337203685477.5808", "922337203685478", "99999999999999999999", strings.Repeat("9", 10_000), "1 ", "\u0661",
	} {
		if got, err := kite.ParsePrice(in); err == nil {
			t.Errorf("ParsePrice(%q) = %v, want an error", in, got)
		} else if len(err.Error()) > 200 {
			t.Errorf("error of %d bytes", len(err.Error()))
		}
	}
	if got, err := kite.ParsePrice(json.Number("2.5")); err != nil || got != 25_000 {
		t.Errorf("json.Number: %v, %v", got, err)
	}
	var p kite.Price
	if err := json.Unmarshal([]byte("null"), &p); err != nil || p != 0 {
		t.Errorf("null = %v, %v", p, err)
	}
	if err := json.Unmarshal([]byte(`"text"`), &p); err == nil {
		t.Error("text must not be a price")
	}
}

// The parser agrees with arbitrary-precision arithmetic on everything it accepts, and what it prints it reads back.
func FuzzParsePrice(f *testing.F) {
	for _, s := range []string{"0", "-0", "1712.2", "0.00005", "-3.949999999999932", "1.5e10", "1e-5", "922337203685477.5807", "00.1", "1.", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := kite.ParsePrice(s)
		if err != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q accepted, but it is no number", s)
		}
		diff := new(big.Rat).Sub(exact, big.NewRat(int64(got), 10_000))
		if diff.Abs(diff).Cmp(big.NewRat(1, 20_000)) > 0 {
			t.Errorf("%q = %v, off by %s", s, got, diff.FloatString(8))
		}
		if back, err := kite.ParsePrice(got.String()); err != nil || back != got {
			t.Errorf("%q = %v reads back as %v, %v", s, got, back, err)
		}
	})
}
