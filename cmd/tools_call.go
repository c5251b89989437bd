package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/kite-mcp/kite-mcp/internal/render"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

type toolsCallOptions struct {
	app   *App
	as    string
	name  string
	pairs []string
	args  string
}

func newToolsCall(app *App) *cobra.Command {
	opts := toolsCallOptions{app: app}
	c := formats(remote(&cobra.Command{
		Use: "call NAME [k=v...]", Short: "Call one tool",
		Long: "Calls a tool like an MCP client and prints its result. Arguments are NAME=VALUE\n" +
			"words, lists with commas or repeated, or one JSON object with --args. A failed\n" +
			"call exits 1, a missing login 4. What changes an account is shown first and done\n" +
			"after a yes on the terminal, and so is a tool of another server that is not said\n" +
			"to only read. --as apps calls what only clients see that show the Kite app.",
		Example: examples(
			"kite-mcp tools call portfolio mode=positions position_view=day --demo",
			"kite-mcp tools call market mode=ltp instruments=NSE:INFY,NSE:SBIN --demo",
			"kite-mcp tools call orders mode=cancel order_id=2044000000000000002 --demo",
			"kite-mcp tools call open_kite_view view=holdings --as apps --demo",
			`kite-mcp tools call help --args '{"key":"/orders"}'`,
			`kite-mcp tools call market mode=ltp instruments=NSE:INFY --stdio "kite-mcp serve --demo"`,
		),
		Args: arguments(1, -1, "the name of one tool"), ValidArgsFunction: app.completeCall,
		RunE: func(c *cobra.Command, args []string) error {
			opts.name, opts.pairs = args[0], args[1:]
			return runToolsCall(c.Context(), opts)
		},
	}), formatText, formatJSON)
	asFlag(c, &opts.as)
	c.Flags().StringVar(&opts.args, "args", "", "the arguments as a `JSON` object, @FILE, or - for stdin")
	return c
}

// callable is one tool, found and ready to be called.
type callable struct {
	name    string
	schema  *jsonschema.Schema // of its arguments, nil without any
	account bool               // its answer is about an account
	call    func(context.Context, json.RawMessage) (tools.Result, error)
}

func runToolsCall(ctx context.Context, opts toolsCallOptions) error {
	app := opts.app
	profile, err := app.profileAs(opts.as)
	if err != nil {
		return err
	}
	src, err := app.tools(ctx, profile, false)
	if err != nil {
		return err
	}
	defer closing(src)
	tool, err := src.find(ctx, opts.name)
	if err != nil {
		return err
	}
	args, err := opts.arguments(ctx, tool)
	if err != nil {
		return err
	}
	result, err := tool.call(ctx, args)
	if err != nil {
		return err
	}
	isJSON := result.Text == string(result.Structured)
	switch {
	case app.json() || isJSON:
		err = app.printJSON(result.Structured)
	case app.laidOut():
		err = app.printMarkdown(ctx, result.Text, 0)
	default:
		err = app.write(render.Clean(ensureNewline(result.Text)))
	}
	if err != nil || app.remote() {
		return err
	}
	return app.demoFooter(tool.account)
}

func ensureNewline(s string) string {
	if strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// call runs a tool with the given arguments.
func (a *App) call(ctx context.Context, tool string, args map[string]any) (tools.Result, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return tools.Result{}, fmt.Errorf("encode arguments: %w", err)
	}
	reg, err := a.registry()
	if err != nil {
		return tools.Result{}, err
	}
	if reg.Tool(tool) == nil { // data commands name no tool that does not exist
		return tools.Result{}, &tools.Failure{Code: tools.CodeExcluded, Message: tool + " is excluded by EXCLUDED_TOOLS", Hint: "unset it, or leave this tool out of it"}
	}
	return a.callRaw(ctx, tools.Profile{}, tool, raw)
}

// callRaw runs a tool the way an MCP client would that declares what the profile says.
func (a *App) callRaw(ctx context.Context, p tools.Profile, tool string, args json.RawMessage) (tools.Result, error) {
	reg, err := a.registry()
	if err != nil {
		return tools.Result{}, err
	}
	env, err := a.env()
	if err != nil {
		return tools.Result{}, err
	}
	own := *env
	own.Approver = onTerminal{a, env.Intents}
	if !reg.Changes(tool, args) { // a person takes longer than Kite
		var cancel context.CancelFunc
		ctx, cancel = a.withTimeout(ctx)
		defer cancel()
	}
	return reg.Call(ctx, &own, p, tool, args)
}

// demoFooter labels demo data; a result's own mark is easy to miss in a table.
func (a *App) demoFooter(account bool) error {
	cfg, err := a.config()
	if err == nil && cfg.Demo.On && account {
		a.note("DEMO data, no real account")
	}
	return err
}

// arguments joins --args and the NAME=VALUE words into one JSON object.
func (o *toolsCallOptions) arguments(ctx context.Context, tool callable) (json.RawMessage, error) {
	object, err := o.readArgs(ctx)
	if err != nil {
		return nil, err
	}
	if len(o.pairs) == 0 {
		return object, nil
	}
	if len(object) > 0 {
		return nil, usage("--args and NAME=VALUE words exclude each other", "put all arguments into one of them")
	}
	return parsePairs(tool.name, tool.schema, o.pairs)
}

func (o *toolsCallOptions) readArgs(ctx context.Context) (json.RawMessage, error) {
	text := []byte(o.args)
	source := "--args"
	switch {
	case o.args == "":
		return nil, nil
	case o.args == "-" || strings.HasPrefix(o.args, "@"):
		source = strings.TrimPrefix(o.args, "@")
		var err error
		if text, err = o.app.readInput(ctx, source); err != nil {
			return nil, err
		}
	}
	text = bytes.TrimSpace(text)
	if !json.Valid(text) || len(text) == 0 || text[0] != '{' {
		return nil, usage(source+" is not a JSON object", `write it as {"mode":"profile"}`)
	}
	return text, nil
}

// parsePairs reads NAME=VALUE words by the tool's schema. Values that do not fit
// are passed on as text: the tool's own message says what is wrong with them.
func parsePairs(tool string, schema *jsonschema.Schema, pairs []string) (json.RawMessage, error) {
	var names []string
	lists := map[string][]string{}
	values := map[string]any{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usage(quoted(pair)+" is not NAME=VALUE", "kite-mcp tools show "+tool+" lists the arguments")
		}
		property := propertyOf(schema, name)
		if _, twice := values[name]; twice && (property == nil || property.Type != "array") {
			return nil, usage(quoted(name)+" is given twice", "")
		}
		names = append(names, name)
		switch {
		case property != nil && property.Type == "array":
			for item := range strings.SplitSeq(value, ",") {
				if item = strings.TrimSpace(item); item != "" {
					lists[name] = append(lists[name], item)
				}
			}
			values[name] = orEmpty(lists[name])
		case property != nil && isLiteral(property.Type) && json.Valid([]byte(value)):
			values[name] = json.RawMessage(value)
		default:
			values[name] = value
		}
	}
	if unknown := unknownArgument(tool, schema, names); unknown != nil {
		return nil, unknown
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	return raw, nil
}

// isLiteral reports whether a value of the type is written as JSON.
func isLiteral(kind string) bool {
	return slices.Contains([]string{"number", "integer", "boolean", "object"}, kind)
}

func propertyOf(schema *jsonschema.Schema, name string) *jsonschema.Schema {
	if schema == nil {
		return nil
	}
	return schema.Properties[name]
}

// unknownArgument refuses a name the tool does not have. Over MCP a read ignores
// it, for clients that send more than they should; here it is a typing error.
func unknownArgument(tool string, schema *jsonschema.Schema, names []string) error {
	for _, name := range names {
		if propertyOf(schema, name) == nil {
			return usage(tool+" has no argument "+quoted(name), "kite-mcp tools show "+tool+" lists them").guess(name, propertyNames(schema))
		}
	}
	return nil
}
