package demo

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// sip is a plan that buys units of a fund regularly. The demo keeps plans; their instalments buy nothing.
type sip struct {
	SIPID                string           `json:"sip_id"`
	RegNumber            nullable         `json:"sip_reg_num"`
	TradingSymbol        string           `json:"tradingsymbol"`
	Fund                 string           `json:"fund"`
	Status               string           `json:"status"`
	Frequency            string           `json:"frequency"`
	InstalmentAmount     amount           `json:"instalment_amount"`
	Instalments          int64            `json:"instalments"`
	CompletedInstalments int64            `json:"completed_instalments"`
	PendingInstalments   int64            `json:"pending_instalments"`
	InstalmentDay        int64            `json:"instalment_day"`
	NextInstalment       string           `json:"next_instalment"`
	SIPType              string           `json:"sip_type"`
	StepUp               map[string]int64 `json:"step_up"`
	Tag                  nullable         `json:"tag"`
	TransactionType      string           `json:"transaction_type"`
	DividendType         string           `json:"dividend_type"`
	Created              string           `json:"created"`
	LastInstalment       string           `json:"last_instalment"`
	TriggerPrice         amount           `json:"trigger_price"`
}

func answerSIPs(c call) (any, *apiError) { return rows(c.d.Funds.SIPs), nil }

func (c call) findSIP() (*sip, *apiError) {
	i := slices.IndexFunc(c.d.Funds.SIPs, func(s sip) bool { return s.SIPID == c.args[0] })
	if i < 0 {
		return nil, unknown("SIP")
	}
	return &c.d.Funds.SIPs[i], nil
}

func answerSIP(c call) (any, *apiError) {
	s, e := c.findSIP()
	if e != nil {
		return nil, e
	}
	return s, nil
}

func answerPlaceSIP(c call) (any, *apiError) {
	s := sip{Status: "ACTIVE", TransactionType: buy, DividendType: "growth", StepUp: map[string]int64{}, SIPType: "sip"}
	f := &fields{form: c.form}
	s.TradingSymbol = f.word("tradingsymbol", true)
	scheme, ok := findFund(s.TradingSymbol)
	if f.bad == nil && !ok {
		f.fail(invalid("Invalid `tradingsymbol`."))
	}
	s.Fund, s.TriggerPrice, s.Tag = scheme.name, f.money("trigger_price", false), nullable(f.word("tag", false))
	if kind := f.word("sip_type", false, "sip", "amc_sip"); kind != "" {
		s.SIPType = kind
	}
	f.word("frequency", true)
	f.word("amount", true)
	c.d.editSIP(&s, f)
	if f.bad != nil {
		return nil, f.bad
	}
	c.d.changed = true
	c.d.Numbers.MF++
	s.SIPID, s.Created = strconv.FormatInt(892_000_000_000_100+c.d.Numbers.MF, 10), c.d.stamp()
	s.LastInstalment = s.Created
	c.d.Funds.SIPs = append(c.d.Funds.SIPs, s)
	answer := map[string]any{"sip_id": s.SIPID}
	if first := f.money("initial_amount", false); first > 0 {
		o := c.d.fundOrder(scheme, buy, first, 0, "sip")
		c.d.Funds.Orders = append(c.d.Funds.Orders, o)
		answer["order_id"] = o.OrderID
	}
	return answer, nil
}

// editSIP reads the fields that can be changed later.
func (d *desk) editSIP(s *sip, f *fields) {
	given := func(name string) bool { return f.form.Get(name) != "" }
	if given("amount") {
		if s.InstalmentAmount = f.money("amount", false); s.InstalmentAmount < 100*rupee {
			f.fail(invalid("Minimum instalment amount is 100."))
		}
	}
	if given("frequency") {
		s.Frequency = f.word("frequency", true, "weekly", "monthly", "quarterly")
	}
	if given("instalment_day") {
		if s.InstalmentDay = f.count("instalment_day", true); s.InstalmentDay > 28 {
			f.fail(invalid("Invalid `instalment_day`."))
		}
	}
	switch n := f.form.Get("instalments"); n {
	case "":
		s.Instalments = zeroIs(s.Instalments, -1)
	case "-1":
		s.Instalments = -1
	default:
		s.Instalments = f.count("instalments", true)
	}
	s.PendingInstalments = s.Instalments
	if s.Instalments > 0 {
		s.PendingInstalments = s.Instalments - s.CompletedInstalments
	}
	if given("step_up") {
		s.StepUp = map[string]int64{} // a new one: the old belongs to the seed, perhaps
		if json.Unmarshal([]byte(f.form.Get("step_up")), &s.StepUp) != nil {
			f.fail(invalid("Invalid `step_up`."))
		}
	}
	s.NextInstalment = d.nextInstalment(s)
}

func zeroIs(n, instead int64) int64 {
	if n == 0 {
		return instead
	}
	return n
}

// nextInstalment is the next date that the schedule names, moved to an open day.
func (d *desk) nextInstalment(s *sip) string {
	next := d.today() + 7
	if s.Frequency != "weekly" && s.InstalmentDay > 0 {
		t := d.today().midnight()
		for t = t.AddDate(0, 0, 1); int64(t.Day()) != s.InstalmentDay; t = t.AddDate(0, 0, 1) {
		}
		next = dateOf(t)
	}
	for !next.open() {
		next++
	}
	return next.String()
}

func answerModifySIP(c call) (any, *apiError) {
	s, e := c.findSIP()
	if e != nil {
		return nil, e
	}
	f := &fields{form: c.form}
	changed := *s
	if status := f.word("status", false, "active", "paused"); status != "" {
		changed.Status = strings.ToUpper(status)
	}
	c.d.editSIP(&changed, f)
	if f.bad != nil {
		return nil, f.bad
	}
	c.d.changed = true
	*s = changed
	return map[string]string{"sip_id": s.SIPID}, nil
}

func answerCancelSIP(c call) (any, *apiError) {
	s, e := c.findSIP()
	if e != nil {
		return nil, e
	}
	c.d.changed = true
	id := s.SIPID
	c.d.Funds.SIPs = slices.DeleteFunc(c.d.Funds.SIPs, func(s sip) bool { return s.SIPID == id })
	return map[string]string{"sip_id": id}, nil
}
