package demo

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// orderForm is the request to place an order, read but not yet checked against the market.
type orderForm struct {
	Variety         string
	Exchange        string
	TradingSymbol   string
	Side            string
	Type            string
	Product         string
	Validity        string
	TTL             int64 // minutes
	Quantity        int64
	Disclosed       int64
	Price           amount
	Trigger         amount
	Protection      amount // percent; -1 leaves it to the exchange
	IcebergLegs     int64
	IcebergQuantity int64
	Auction         string
	Autoslice       bool
	Tag             string
	GTT             int64 // trigger that places it
}

// maxQuantity keeps every product of a price and a quantity far from overflowing.
const maxQuantity = 100_000_000

// fields reads typed values out of a form and remembers the first that is wrong.
type fields struct {
	form url.Values
	bad  *apiError
}

func (f *fields) fail(e *apiError) {
	if f.bad == nil {
		f.bad = e
	}
}

// word reads one of some words; empty when there is none and none is needed.
func (f *fields) word(name string, needed bool, allowed ...string) string {
	v := f.form.Get(name)
	switch {
	case v == "" && needed:
		f.fail(invalid("Missing `%s`.", name))
	case v != "" && len(allowed) > 0 && !slices.Contains(allowed, v):
		f.fail(invalid("Invalid `%s`.", name))
	}
	return v
}

// count reads a whole number that is not negative. Kite's forms may write it as 10.0.
func (f *fields) count(name string, needed bool) int64 {
	v := f.form.Get(name)
	if v == "" {
		if needed {
			f.fail(invalid("Missing `%s`.", name))
		}
		return 0
	}
	whole, frac, _ := strings.Cut(v, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 || n > maxQuantity || strings.Trim(frac, "0") != "" || strings.HasPrefix(v, "+") {
		f.fail(invalid("Invalid `%s`.", name))
		return 0
	}
	return n
}

// money reads a decimal number with at most four places; negative only where that is allowed.
func (f *fields) money(name string, negative bool) amount {
	v := f.form.Get(name)
	if v == "" {
		return 0
	}
	a, ok := parseDecimal(v)
	if !ok || a < 0 && !negative {
		f.fail(invalid("Invalid `%s`.", name))
		return 0
	}
	return a
}

// parseDecimal reads what people write as a price: digits, at most one point, at most four places that count. It
// takes no exponents and nothing above a hundred million.
func parseDecimal(s string) (amount, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	frac = strings.TrimRight(frac, "0")
	if whole == "" && frac == "" || len(whole) > 9 || len(frac) > 4 {
		return 0, false
	}
	text := whole + frac + strings.Repeat("0", 4-len(frac))
	for _, r := range text {
		if r < '0' || r > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	if negative {
		n = -n
	}
	return amount(n), true
}

// parseOrderForm reads the form of POST /orders/{variety}. It checks each value by itself.
func parseOrderForm(variety string, form url.Values) (orderForm, *apiError) {
	f := &fields{form: form}
	if !slices.Contains([]string{varietyRegular, varietyAMO, varietyCO, varietyIceberg, varietyAuction}, variety) {
		f.fail(invalid("Invalid `variety`."))
	}
	o := orderForm{
		Variety:         variety,
		Exchange:        f.word("exchange", true),
		TradingSymbol:   f.word("tradingsymbol", true),
		Side:            f.word("transaction_type", true, buy, sell),
		Type:            f.word("order_type", true, typeMarket, typeLimit, typeSL, typeSLM),
		Product:         f.word("product", true, productCNC, productMIS, productNRML, productMTF),
		Validity:        f.word("validity", false, validDay, validIOC, validTTL),
		TTL:             f.count("validity_ttl", false),
		Quantity:        f.count("quantity", true),
		Disclosed:       f.count("disclosed_quantity", false),
		Price:           f.money("price", false),
		Trigger:         f.money("trigger_price", false),
		Protection:      f.money("market_protection", true),
		IcebergLegs:     f.count("iceberg_legs", false),
		IcebergQuantity: f.count("iceberg_quantity", false),
		Auction:         f.word("auction_number", false),
		Autoslice:       f.word("autoslice", false, "true", "false") == "true",
		Tag:             f.word("tag", false),
	}
	if o.Validity == "" {
		o.Validity = validDay
	}
	// Prices that an order type has no use for are ignored.
	if o.Type == typeMarket || o.Type == typeSLM {
		o.Price = 0
	}
	if (o.Type == typeMarket || o.Type == typeLimit) && variety != varietyCO {
		o.Trigger = 0
	}
	if len(o.Tag) > 20 || strings.ContainsFunc(o.Tag, notAlphanumeric) {
		f.fail(invalid("Invalid `tag`. It should be alphanumeric and at most 20 characters long."))
	}
	return o, f.bad
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// check holds an order against the instrument and the market, in the order in which Kite does: parameters, permission,
// freeze quantity.
func (d *desk) check(o orderForm) (*instrument, *apiError) {
	in, ok := d.u.byID[o.Exchange+":"+o.TradingSymbol]
	if !ok || in.index() || in.expired(d.instant()) {
		return nil, invalid("The instrument you are placing an order for has either expired or does not exist.")
	}
	for _, check := range []func(orderForm, *instrument) *apiError{
		checkProduct, checkQuantity, checkValidity, checkPrices, d.checkBand, d.checkVariety, d.checkPermission, checkFreeze,
	} {
		if e := check(o, in); e != nil {
			return nil, e
		}
	}
	return in, nil
}

func checkProduct(o orderForm, in *instrument) *apiError {
	delivery := o.Product == productCNC || o.Product == productMTF
	switch {
	case delivery && in.derivative():
		return invalid("Product `%s` is not allowed for %s instruments.", o.Product, in.exchange)
	case o.Product == productNRML && !in.derivative():
		return invalid("Product `NRML` is only allowed for derivatives.")
	case o.Variety == varietyCO && o.Product != productMIS:
		return invalid("Cover orders are only allowed with product `MIS`.")
	case o.Variety == varietyCO && o.Type != typeMarket && o.Type != typeLimit:
		return invalid("Cover orders are only allowed with order type `MARKET` or `LIMIT`.")
	}
	return nil
}

func checkQuantity(o orderForm, in *instrument) *apiError {
	switch {
	case o.Quantity <= 0:
		return invalid("Invalid `quantity`.")
	case o.Quantity%in.lot != 0:
		return invalid("Quantity should be a multiple of the lot size %d.", in.lot)
	case o.Disclosed > o.Quantity:
		return invalid("Disclosed quantity cannot be more than the quantity.")
	case o.Variety != varietyIceberg && (o.IcebergLegs > 0 || o.IcebergQuantity > 0):
		return invalid("`iceberg_legs` and `iceberg_quantity` are only allowed with the variety `iceberg`.")
	case o.Variety != varietyIceberg:
		return nil
	case o.IcebergLegs < 2 || o.IcebergLegs > 50:
		return invalid("Iceberg legs should be between 2 and 50.")
	case o.IcebergQuantity <= 0 || o.IcebergQuantity%in.lot != 0:
		return invalid("Invalid `iceberg_quantity`.")
	case (o.Quantity+o.IcebergQuantity-1)/o.IcebergQuantity != o.IcebergLegs:
		return invalid("Iceberg legs do not add up to the quantity.")
	}
	return nil
}

func checkValidity(o orderForm, in *instrument) *apiError {
	switch {
	case o.Validity == validIOC && in.exchange == "MCX":
		return invalid("Validity `IOC` is not allowed for MCX.")
	case o.Validity == validIOC && (o.Variety == varietyIceberg || o.Variety == varietyCO):
		return invalid("Validity `IOC` is not allowed for the variety `%s`.", o.Variety)
	case o.Validity == validTTL && (o.TTL < 1 || o.TTL > 375):
		return invalid("Invalid `validity_ttl`.")
	}
	return nil
}

// checkPrices looks at each price by itself and at what the order type needs.
func checkPrices(o orderForm, in *instrument) *apiError {
	market := o.Type == typeMarket || o.Type == typeSLM
	stop := o.Type == typeSL || o.Type == typeSLM
	switch {
	case market && (o.Protection == 0 || o.Protection < 0 && o.Protection != -rupee || o.Protection > 100*rupee):
		return invalid("Market orders without market protection are not allowed via API. Set `market_protection` to -1 or a percentage.")
	case !market && o.Price == 0:
		return invalid("Missing `price`.")
	case (stop || o.Variety == varietyCO) && o.Trigger == 0:
		return invalid("Missing `trigger_price`.")
	case !market && o.Price%in.tick != 0, o.Trigger%in.tick != 0:
		return invalid("Tick size for this script is %s. Kindly enter price in the multiple of tick size for this script.", decimal(in.tick))
	case o.Type == typeSL && o.Side == buy && o.Trigger > o.Price:
		return invalid("Trigger price for stoploss buy orders cannot be above the limit price.")
	case o.Type == typeSL && o.Side == sell && o.Trigger < o.Price:
		return invalid("Trigger price for stoploss sell orders cannot be below the limit price.")
	}
	return nil
}

// maxValue is the largest value of an order, a trillion rupees: sums of such values do not overflow.
const maxValue = 1_000_000_000_000 * rupee

func tooLarge(in *instrument, quantity int64, price amount) bool {
	return amount(quantity*in.multiplier()) > maxValue/max(price, 1)
}

// checkBand refuses prices beyond the circuit limits of the day.
func (d *desk) checkBand(o orderForm, in *instrument) *apiError {
	lower, upper := d.u.circuits(in, previousClose(in, d.instant()))
	if tooLarge(in, o.Quantity, upper) {
		return invalid("The value of the order is too large.")
	}
	for _, p := range []amount{o.Price, o.Trigger} {
		switch {
		case p == 0:
		case p < lower:
			return invalid("Your order price is lower than the current lower circuit limit of %s. Place an order within the daily range.", decimal(lower))
		case p > upper:
			return invalid("Your order price is higher than the current upper circuit limit of %s. Place an order within the daily range.", decimal(upper))
		}
	}
	return nil
}

func (d *desk) checkVariety(o orderForm, in *instrument) *apiError {
	switch o.Variety {
	case varietyAMO:
		if momentOf(d.instant().time()) == d.At {
			return refused("After market orders can only be placed outside market hours.")
		}
	case varietyAuction:
		if o.Auction == "" {
			return invalid("Missing `auction_number`.")
		}
		open := slices.ContainsFunc(d.auctions(), func(a auction) bool {
			return a.TradingSymbol == in.symbol && a.Exchange == in.exchange && a.AuctionNumber == o.Auction
		})
		if !open || o.Side != sell || o.Product != productCNC || o.Type != typeLimit {
			return invalid("Invalid `auction_number`.")
		}
	}
	return nil
}

func (d *desk) checkPermission(_ orderForm, in *instrument) *apiError {
	if in.exchange == "MCX" && !d.Margins.Commodity.Enabled {
		return &apiError{http.StatusForbidden, "PermissionException", "Your account is not enabled for the commodity segment."}
	}
	return nil
}

// maxSlices is how many orders autoslice makes at most.
const maxSlices = 10

func checkFreeze(o orderForm, in *instrument) *apiError {
	freeze := in.freeze()
	each := o.Quantity
	if o.Variety == varietyIceberg {
		each = o.IcebergQuantity
	}
	switch {
	case freeze == 0 || each <= freeze:
		return nil
	case !o.Autoslice || o.Variety != varietyRegular:
		return invalid("Quantity exceeds the freeze quantity of %d for %s. Set `autoslice` or use an iceberg order.", freeze, in.symbol)
	case (each+freeze-1)/freeze > maxSlices:
		return invalid("Autoslice makes at most %d orders.", maxSlices)
	}
	return nil
}

// freeze is the largest quantity of one order, 0 for no limit: 27 lots of a derivative, which is 1,755 of NIFTY.
func (in *instrument) freeze() int64 {
	if !in.derivative() {
		return 0
	}
	return 27 * in.lot
}

// decimal is an amount as messages have it, without trailing zeros.
func decimal(a amount) string { return string(appendDecimal(nil, int64(a), 4)) }
