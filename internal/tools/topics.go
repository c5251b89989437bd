package tools

import (
	"fmt"
	"slices"
	"strings"
)

// topic is a page of kite_help: about the server, not about trading. The
// workflows are in the catalog.
type topic struct {
	name    string
	title   string
	tools   []string // what it is about; without one of them visible it is left out
	changes bool     // it is about changes: left out where nothing can be changed
	keys    []string
	related []string
	content func(g Guide) string
}

// visibleTopics returns the topics that make sense for this caller, in order.
func (g Guide) visibleTopics() []topic {
	return slices.DeleteFunc(topics(), func(t topic) bool {
		return len(t.tools) > 0 && !slices.ContainsFunc(t.tools, g.Has) || t.changes && !g.changes()
	})
}

// changes reports whether the caller has a tool that alters an account.
func (g Guide) changes() bool {
	return slices.ContainsFunc(g.Tools(), func(t *Tool) bool { return t.Effect() >= Write })
}

func fixed(text string) func(Guide) string { return func(Guide) string { return text } }

func topics() []topic {
	return []topic{
		{
			name: "overview", title: "What this server does", keys: []string{"/"}, related: []string{"getting_started", "categories", "workflows"},
			content: aboutServer,
		},
		{name: "categories", title: "Tool categories", related: []string{"overview"}, content: aboutCategories},
		{
			name: "getting_started", title: "First calls", keys: []string{"/"}, related: []string{"authentication", "workflows"},
			content: firstCalls,
		},
		{
			name: "authentication", title: "Logging in to Kite", tools: []string{"session", "portfolio", "market"}, keys: []string{"/troubleshooting/authentication"}, related: []string{"troubleshooting"},
			content: fixed("Account and price calls need a Kite session of the person whose account it is. Sessions end about 06:00 IST the next morning; a call then answers session_expired and says how to log in again: the person runs kite-mcp login, or opens the link of session mode login, if there is one, in a browser on the machine of this server. One login serves every local server and command of that user, at once and without a restart. permission_denied is different: the app or the account may not make this call, and logging in again does not change that. Search of instruments without live quotes, help and Skills need no session. Never paste tokens or secrets into a conversation."),
		},
		{
			name: "orders", title: "Orders", tools: []string{"orders"}, keys: []string{"/orders", "/orders/prepare", "/orders/reconcile"}, related: []string{"approval", "limits"},
			content: aboutOrders,
		},
		{
			name: "market_data", title: "Prices and instruments", tools: []string{"market"}, keys: []string{"/market-data", "/market-data/resolve", "/troubleshooting/data"}, related: []string{"limits"},
			content: fixed("Find the exact EXCHANGE:TRADINGSYMBOL with market search, then ask for the least that is enough: ltp, ohlc or quote. An id without a price is named in meta.missing; it is not zero. Results are snapshots with the time of receipt in meta.fetched_at."),
		},
		{
			name: "approval", title: "Approval of changes", changes: true, tools: []string{"orders", "gtt", "alerts"}, keys: []string{"/orders/prepare"}, related: []string{"orders"},
			content: fixed("Every change of an account is planned, shown to the person in the client's own form, and sent once after consent. Documentation, prompts and earlier consent never count. A client that cannot show the form is refused, and nothing is sent."),
		},
		{
			name: "limits", title: "Limits", tools: []string{"portfolio", "market"}, keys: []string{"/troubleshooting/data"}, related: []string{"troubleshooting"},
			content: fixed("Lists come in pages of up to 500 rows; follow pagination.next_from while has_more is true. A full quote takes up to 500 ids, ltp and ohlc up to 1000. One price call a second reaches Kite; a call that would wait too long answers rate_limited with the seconds to wait. A call ends after 10 seconds."),
		},
		{
			name: "views", title: "Screens of the Kite app", tools: []string{"open_kite_view"}, related: []string{"overview"},
			content: fixed("Clients with MCP Apps can open a screen with open_kite_view. The screens read the same data as the tools."),
		},
		{name: "workflows", title: "Step-by-step workflows", keys: []string{"/"}, related: []string{"getting_started"}, content: aboutWorkflows},
		{
			name: "troubleshooting", title: "When something fails", keys: []string{"/troubleshooting", "/troubleshooting/authentication", "/troubleshooting/data"}, related: []string{"authentication", "limits"},
			content: fixed("A failed call has isError and says what happened and what to do next; _meta[\"trade.kite/error\"] has the code and whether repeating helps. invalid_argument lists every violation at once. rate_limited, upstream_unavailable and timeout may be repeated for reads. Rows that Kite left out are missing, not zero."),
		},
	}
}

func aboutServer(g Guide) string {
	var names []string
	for _, t := range g.Tools() {
		names = append(names, t.Name)
	}
	text := "Reads a Zerodha Kite account and market data. Times are IST, amounts are rupees. The tools you can call: " + strings.Join(names, ", ") + "."
	if g.demo {
		text += " This server runs on demo data."
	}
	return text
}

func aboutOrders(g Guide) string {
	text := "The book holds today's orders only; an empty one says nothing about earlier days. An order id says that Kite received the order, not that it was filled: read its history and its trades. While an order is open, quantity minus filled_quantity is what is left; a cancelled order may have been filled in part."
	if g.changes() {
		text += " Prepare an order completely, show it, and place it once after approval. After a timeout do not repeat: look the order up first."
	}
	return text
}

func aboutCategories(g Guide) string {
	var b strings.Builder
	for _, c := range g.Categories() {
		fmt.Fprintf(&b, "- %s (%d): %s\n", c.Category, c.ToolCount, c.Description)
	}
	return b.String()
}

// firstCalls shows the first example of every data tool the caller has.
func firstCalls(g Guide) string {
	var b strings.Builder
	b.WriteString("Try, in this order:\n")
	for _, t := range g.Tools() {
		if examples := g.Metadata(t).Examples; t.Category != Help && len(examples) > 0 {
			b.WriteString("- " + examples[0] + "\n")
		}
	}
	b.WriteString("kite_help with a tool's name explains all its modes.\n")
	return b.String()
}

func aboutWorkflows(g Guide) string {
	switch {
	case g.profile.Skills:
		return "Workflows are Agent Skills here: call skills/list, then read the skill:// resources of the one that fits."
	case g.Has("help"):
		return `Workflows are pages of the help tool: start with help {"key":"/"} and follow the keys.`
	default:
		return "Workflows are resources here: call resources/list and read the skill:// URIs."
	}
}
