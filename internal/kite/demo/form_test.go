package demo

import (
	"net/url"
	"testing"
	"time"
)

// What the form accepts is within the bounds that the arithmetic of the engine needs, and whatever is accepted can be
// placed, modified and cancelled on a book without a panic.
func FuzzOrderForm(f *testing.F) {
	for _, s := range []string{
		"exchange=NSE&tradingsymbol=INFY&transaction_type=BUY&order_type=LIMIT&product=CNC&quantity=3&price=1900",
		"exchange=NSE&tradingsymbol=INFY&transaction_type=BUY&order_type=MARKET&product=MIS&quantity=3.0&market_protection=-1&validity=IOC&tag=demopartial",
		"exchange=NFO&tradingsymbol=NIFTY26DECFUT&transaction_type=SELL&order_type=SL&product=NRML&quantity=65&price=25000&trigger_price=25100&autoslice=true",
		"quantity=1e400&price=NaN", "%zz", "quantity=99999999999999999999&price=-0.00001", "price=.&trigger_price=-", "",
	} {
		for i := range uint8(6) {
			f.Add(i, s)
		}
	}
	accounts, err := loadAccounts()
	if err != nil {
		f.Fatal(err)
	}
	u, err := builtInUniverse()
	if err != nil {
		f.Fatal(err)
	}
	start := momentOf(time.Date(2026, 12, 2, 11, 15, 0, 0, ist))
	varieties := []string{varietyRegular, varietyAMO, varietyCO, varietyIceberg, varietyAuction, "bo"}
	f.Fuzz(func(t *testing.T, variety uint8, body string) {
		form, e := formOf([]byte(body))
		if e != nil {
			return
		}
		o, e := parseOrderForm(varieties[int(variety)%len(varieties)], form)
		if e != nil {
			if e.status != 400 || e.kind != "InputException" || e.message == "" {
				t.Errorf("refusal %+v", e)
			}
			return
		}
		if o.Quantity < 0 || o.Quantity > maxQuantity || o.Price < 0 || o.Trigger < 0 || len(o.Tag) > 20 {
			t.Errorf("accepted %+v", o)
		}
		d := &desk{book: newBook(accounts[User], u, hours{}, start), seed: accounts[User], u: u}
		if _, e := d.place(o); e != nil {
			return
		}
		d.advance(start + 90)
		for _, o := range d.Orders {
			if o.FilledQuantity > o.Quantity || o.FilledQuantity < 0 || o.Spent < 0 {
				t.Errorf("order %+v", o.orderRow)
			}
		}
	})
}

// Decimals are read exactly or not at all.
func TestParseDecimal(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]amount{"0": 0, "1": 10_000, "-1": -10_000, "1.5": 15_000, "1.50000": 15_000, ".5": 5_000, "5.": 50_000, "0.0001": 1, "999999999.9999": 9_999_999_999_999} {
		if got, ok := parseDecimal(s); !ok || got != want {
			t.Errorf("%q is %d, %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", ".", "-", "+1", "1e3", "0.00001", "1,5", "1.2.3", " 1", "1000000000", "NaN", "٣", "--1"} {
		if got, ok := parseDecimal(s); ok {
			t.Errorf("%q is read as %d", s, got)
		}
	}
	form := url.Values{"quantity": {"-0"}}
	if n := (&fields{form: form}).count("quantity", true); n != 0 {
		t.Errorf("minus zero is %d", n)
	}
}

// A share that is far from a price cannot be there sooner than quiet says.
func TestQuietIsSafe(t *testing.T) {
	t.Parallel()
	accounts, err := loadAccounts()
	if err != nil {
		t.Fatal(err)
	}
	u := testUniverse(t)
	for _, id := range []string{"NSE:INFY", "NSE:IDEA", "NSE:INDIA VIX", "NFO:NIFTY26DECFUT", "NSE:BAJAJ-AUTO", "CDS:USDINR26DECFUT", "MCX:GOLDM26DECFUT"} {
		in := u.byID[id]
		for day := date(20780); day < 20788; day++ {
			if !day.open() {
				continue
			}
			course := in.on(day)
			d := &desk{book: &book{}, seed: accounts[User], u: u}
			for sec := 0; sec < sessionLength-1; sec += 1999 {
				d.At = momentOf(instant{day, sec}.time())
				from := course.price(sec)
				for _, ticks := range []amount{5, 50, 500} {
					until := int(d.quiet(in, ticks*in.tick) - d.At)
					for s := sec + 1; s < min(sec+until, sessionLength); s++ {
						if moved := course.price(s) - from; moved >= ticks*in.tick || -moved >= ticks*in.tick {
							t.Fatalf("%s moved %d ticks in %d of %d seconds", id, ticks, s-sec, until)
						}
					}
				}
			}
		}
	}
}
