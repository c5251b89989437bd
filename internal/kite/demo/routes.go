package demo

import (
	"net/http"
	"slices"
	"strings"
)

// route is one method of one path of the API. The name is what faults address: a rule for "holdings" also meets
// "holdings.summary".
type route struct {
	name   string
	method string
	path   string // * stands for one path element
	family string // calls that Kite counts together
	access access
	answer func(c call) (any, *apiError)
}

// access says what a route needs besides its request.
type access int

const (
	needBook   access = iota // a session and the user's book
	needUser                 // a session
	needHeader               // the version header only
	needNone
)

// The families of calls that are limited together.
const (
	familyQuote   = "quote"
	familyCandles = "historical"
	familyOrders  = "orders"
	familyOther   = "other"
)

// routeTable lists the API. Fixed paths come before those with a * in their place.
func routeTable() []route {
	const get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	return slices.Concat([]route{
		{"session.post", post, "/session/token", familyOther, needHeader, answerLogin},
		{"session.delete", del, "/session/token", familyOther, needHeader, answerLogout},
		{"session.renew", post, "/session/refresh_token", familyOther, needHeader, answerRenew},
		{"profile", get, "/user/profile", familyOther, needBook, answerProfile},
		{"profile.full", get, "/user/profile/full", familyOther, needBook, answerFullProfile},
		{"margins", get, "/user/margins", familyOther, needBook, answerMargins},
		{"margins.segment", get, "/user/margins/*", familyOther, needBook, answerSegment},
		{"holdings", get, "/portfolio/holdings", familyOther, needBook, answerHoldings},
		{"holdings.summary", get, "/portfolio/holdings/summary", familyOther, needBook, answerSummary},
		{"holdings.compact", get, "/portfolio/holdings/compact", familyOther, needBook, answerCompact},
		{"holdings.auctions", get, "/portfolio/holdings/auctions", familyOther, needBook, answerAuctions},
		{"holdings.authorise", post, "/portfolio/holdings/authorise", familyOther, needBook, answerAuthorise},
		{"positions", get, "/portfolio/positions", familyOther, needBook, answerPositions},
		{"positions.put", put, "/portfolio/positions", familyOther, needBook, answerConvert},
		{"orders", get, "/orders", familyOther, needBook, answerOrders},
		{"orders.history", get, "/orders/*", familyOther, needBook, answerHistory},
		{"orders.trades", get, "/orders/*/trades", familyOther, needBook, answerOrderTrades},
		{"orders.post", post, "/orders/*", familyOrders, needBook, answerPlace},
		{"orders.put", put, "/orders/*/*", familyOrders, needBook, answerModify},
		{"orders.delete", del, "/orders/*/*", familyOrders, needBook, answerCancel},
		{"trades", get, "/trades", familyOther, needBook, answerTrades},
		{"calc.margins", post, "/margins/orders", familyOther, needBook, answerOrderMargins},
		{"calc.basket", post, "/margins/basket", familyOther, needBook, answerBasket},
		{"calc.charges", post, "/charges/orders", familyOther, needBook, answerCharges},
		{"gtt", get, "/gtt/triggers", familyOther, needBook, answerGTTs},
		{"gtt.get", get, "/gtt/triggers/*", familyOther, needBook, answerGTT},
		{"gtt.post", post, "/gtt/triggers", familyOther, needBook, answerPlaceGTT},
		{"gtt.put", put, "/gtt/triggers/*", familyOther, needBook, answerModifyGTT},
		{"gtt.delete", del, "/gtt/triggers/*", familyOther, needBook, answerDeleteGTT},
		{"alerts", get, "/alerts", familyOther, needBook, answerAlerts},
		{"alerts.get", get, "/alerts/*", familyOther, needBook, answerAlert},
		{"alerts.history", get, "/alerts/*/history", familyOther, needBook, answerAlertHistory},
		{"alerts.post", post, "/alerts", familyOther, needBook, answerCreateAlert},
		{"alerts.put", put, "/alerts/*", familyOther, needBook, answerModifyAlert},
		{"alerts.delete", del, "/alerts", familyOther, needBook, answerDeleteAlerts},
	}, marketRoutes(get), fundRoutes(get, post, put, del))
}

func marketRoutes(get string) []route {
	full := func(u *universe, in *instrument, at instant) any { return u.quote(in, at) }
	ltp := func(u *universe, in *instrument, at instant) any { return u.ltp(in, at) }
	day := func(u *universe, in *instrument, at instant) any { return u.ohlc(in, at) }
	return []route{
		{"quote", get, "/quote", familyQuote, needUser, answerQuotes(500, full)},
		{"quote.ltp", get, "/quote/ltp", familyQuote, needUser, answerQuotes(1000, ltp)},
		{"quote.ohlc", get, "/quote/ohlc", familyQuote, needUser, answerQuotes(1000, day)},
		{"instruments", get, "/instruments", familyOther, needUser, answerInstruments},
		{"instruments.exchange", get, "/instruments/*", familyOther, needUser, answerInstruments},
		{"instruments.json", get, "/instruments.json", familyOther, needNone, answerInstrumentsJSON},
		{"historical", get, "/instruments/historical/*/*", familyCandles, needUser, answerCandles},
	}
}

func fundRoutes(get, post, put, del string) []route {
	return []route{
		{"mf.holdings", get, "/mf/holdings", familyOther, needBook, answerFundHoldings},
		{"mf.holdings.get", get, "/mf/holdings/*", familyOther, needBook, answerFundHolding},
		{"mf.orders", get, "/mf/orders", familyOther, needBook, answerFundOrders},
		{"mf.orders.get", get, "/mf/orders/*", familyOther, needBook, answerFundOrder},
		{"mf.orders.post", post, "/mf/orders", familyOther, needBook, answerPlaceFund},
		{"mf.orders.delete", del, "/mf/orders/*", familyOther, needBook, answerCancelFund},
		{"mf.sips", get, "/mf/sips", familyOther, needBook, answerSIPs},
		{"mf.sips.get", get, "/mf/sips/*", familyOther, needBook, answerSIP},
		{"mf.sips.post", post, "/mf/sips", familyOther, needBook, answerPlaceSIP},
		{"mf.sips.put", put, "/mf/sips/*", familyOther, needBook, answerModifySIP},
		{"mf.sips.delete", del, "/mf/sips/*", familyOther, needBook, answerCancelSIP},
		{"mf.allotments", get, "/mf/allotments", familyOther, needBook, answerAllotments},
		{"mf.instruments", get, "/mf/instruments", familyOther, needUser, answerFundList},
	}
}

// match returns what stands at the stars of a route's path.
func (rt route) match(path string) (args []string, ok bool) {
	want, got := strings.Split(rt.path, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case w == "*" && got[i] != "":
			args = append(args, got[i])
		case w != got[i]:
			return nil, false
		}
	}
	return args, true
}

// findRoute returns the route of a request, or the methods that its path has.
func (x *Exchange) findRoute(method, path string) (rt route, args []string, allow []string) {
	for _, rt := range x.routes {
		args, ok := rt.match(path)
		switch {
		case !ok:
		case rt.method == method:
			return rt, args, nil
		case !slices.Contains(allow, rt.method):
			allow = append(allow, rt.method)
		}
	}
	slices.Sort(allow)
	return route{}, nil, allow
}
