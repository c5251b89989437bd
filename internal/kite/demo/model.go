package demo

import "math/bits"

// The price model: a price for every instrument, open day and second, computed from hashes with integers only. Nothing
// is stored, so a quote, a candle and a fill of the same second always agree, on any machine.

// octave is one layer of noise: how far it moves the price, in parts per million, and its period in trading seconds.
type octave struct{ ppm, period int64 }

func octaves() [8]octave {
	return [8]octave{
		{160_000, 512 * sessionLength},
		{60_000, 96 * sessionLength},
		{24_000, 20 * sessionLength},
		{9_000, 5 * sessionLength},
		{5_000, sessionLength},
		{2_500, 5400},
		{1_200, 1200},
		{500, 240},
	}
}

const (
	gapPPM     = 4000 // largest jump between two days
	gapOctave  = 99   // hash lanes: one number per purpose, so that no two draws are related
	volumeLane = 201
)

// mix hashes its arguments: the finaliser of splitmix64 over a running state.
func mix(xs ...uint64) uint64 {
	const golden = 0x9E3779B97F4A7C15
	z := uint64(golden)
	for _, x := range xs {
		z += x + golden
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
	}
	return z
}

// hashable is the argument form of a counter. Only its bits matter.
func hashable(i int64) uint64 {
	return uint64(i) //nolint:gosec // a hash takes any bits
}

// lattice is the noise at whole multiples of a period, -32768 to 32767.
func lattice(seed, oct uint64, i int64) int64 {
	return int64(mix(seed, oct, hashable(i))>>48) - 32768
}

// wave is one octave of noise. It remembers the two lattice points around the last second asked for, because a bar asks
// for hundreds of seconds between the same two.
type wave struct {
	known bool
	i     int64
	a, b  int64
}

// at joins the lattice points around t by a smoothstep in 16-bit fixed point.
func (w *wave) at(seed, oct uint64, t, period int64) int64 {
	i, r := t/period, t%period
	if !w.known || w.i != i {
		*w = wave{true, i, lattice(seed, oct, i), lattice(seed, oct, i+1)}
	}
	f := r << 16 / period
	s := (f * f >> 16) * (3<<16 - 2*f) >> 16
	return w.a + (w.b-w.a)*s/65536
}

// process is the random walk of one instrument.
type process struct {
	base   amount
	tick   amount
	seed   uint64
	volx   int64 // liveliness in percent
	minvol int64 // average quantity of a minute
}

// walk is a process on one day.
type walk struct {
	process
	start int64 // trading seconds before the day
	gap   int64 // ppm
	waves [8]wave
}

func (p process) on(d date) *walk {
	di := d.index()
	return &walk{process: p, start: di * sessionLength, gap: gapPPM * lattice(p.seed, gapOctave, di) / 32768}
}

// price is the price at a second of the day.
func (w *walk) price(sec int) amount {
	ppm := w.gap
	for k, o := range octaves() {
		ppm += o.ppm * w.waves[k].at(w.seed, uint64(k), w.start+int64(sec), o.period) / 32768
	}
	return (w.base * amount(1_000_000+w.volx*ppm/100) / 1_000_000).roundTo(w.tick)
}

// minuteVolume is the quantity traded in minute m of a day.
func minuteVolume(seed uint64, minvol int64, d date, m int) int64 {
	return minvol * int64(40+mix(seed, volumeLane, hashable(d.index()), hashable(int64(m)))%121) / 100
}

// bar is a candle. Turnover, the sum of close x volume of its minutes, gives the average price.
type bar struct {
	open, high, low, close amount
	volume                 int64
	turnover               int64
}

// minuteSeconds are the seconds of a minute at which a bar looks at the price.
func minuteSeconds() [4]int { return [4]int{0, 20, 40, 59} }

// minuteBar is the candle of minute m, 0 to 374, as far as it has happened at second upto of the day.
func (c *course) minuteBar(m, upto int) bar {
	open := c.price(m * 60)
	b := bar{open: open, high: open, low: open, close: open}
	for _, s := range minuteSeconds() {
		if m*60+s > upto {
			break
		}
		b.close = c.price(m*60 + s)
		b.high, b.low = max(b.high, b.close), min(b.low, b.close)
	}
	b.volume = minuteVolume(c.in.walk.seed, c.in.walk.minvol, c.day, m)
	if seen := upto - m*60 + 1; seen < 60 {
		b.volume = b.volume * int64(seen) / 60
		b.close = c.price(upto)
	}
	b.turnover = int64(b.close) * b.volume
	return b
}

// dayBar is the candle of the day up to and including second upto: the sum of its minutes.
func (c *course) dayBar(upto int) bar {
	day := c.minuteBar(0, upto)
	for m := 1; m <= upto/60; m++ {
		day.add(c.minuteBar(m, upto))
	}
	return day
}

// average is the volume-weighted price of the bar, 0 when nothing was traded.
func (b bar) average(tick amount) amount {
	if b.volume == 0 {
		return 0
	}
	return amount(b.turnover / b.volume).roundTo(tick)
}

const yearSeconds = 31_536_000

// forward is the price of a future: spot plus 6.5 percent a year.
func forward(spot amount, seconds int64) amount {
	return spot + spot*amount(65*seconds)/(1000*yearSeconds)
}

// option is the price of a call or put: what it is worth now, plus a time value that falls with the square of the
// distance from the strike. The same time value on both sides keeps the put-call parity exact before rounding.
func option(call bool, fwd, strike, tick amount, sigmaPPM, seconds int64) amount {
	root := amount(isqrt(seconds * 1_000_000 / yearSeconds))
	move := fwd * amount(sigmaPPM) / 1_000_000 * root / 1000 // one standard move until expiry
	value := fwd - strike
	distance := max(value, -value)
	if !call {
		value = -value
	}
	value = max(value, 0)
	if move+distance > 0 {
		q := 1000 * move / (move + distance)
		value += 4 * move / 10 * q * q / 1_000_000
	}
	return value.roundTo(tick)
}

// isqrt is the integer square root, by Newton's method from above.
func isqrt(n int64) int64 {
	if n < 2 {
		return max(n, 0)
	}
	x := int64(1) << ((bits.Len64(hashable(n)) + 1) / 2)
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}
