package cmd_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/kite-mcp/kite-mcp/cmd"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func registry(tb testing.TB) *tools.Registry {
	tb.Helper()
	reg, err := tools.New(tools.All(), tools.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return reg
}

func TestParsePairs(t *testing.T) {
	t.Parallel()
	market := registry(t).Tool("market")
	for words, want := range map[string]string{
		"mode=ltp instruments=NSE:INFY":       `{"instruments":["NSE:INFY"],"mode":"ltp"}`,
		"instruments=A:B,C:D instruments=E:F": `{"instruments":["A:B","C:D","E:F"]}`,
		"instruments=":                        `{"instruments":[]}`,
		"limit=5 from=0":                      `{"from":0,"limit":5}`,
		"limit=five":                          `{"limit":"five"}`,
		"include_live_quote=true":             `{"include_live_quote":true}`,
		"include_live_quote=yes":              `{"include_live_quote":"yes"}`,
		"query=a=b":                           `{"query":"a=b"}`,
		"query=12":                            `{"query":"12"}`,
		"limit=1e400":                         `{"limit":1e400}`,
		"mode=search query=M&M include_live_quote=\"true": `{"include_live_quote":"\"true","mode":"search","query":"M\u0026M"}`,
	} {
		got, err := cmd.ParsePairs(market, strings.Fields(words))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", words, got, err, want)
		}
	}
	for _, words := range []string{"mode", "=x", "mode=a mode=b", "nope=1"} {
		if got, err := cmd.ParsePairs(market, strings.Fields(words)); err == nil {
			t.Errorf("%s: %s, want an error", words, got)
		}
	}
}

// FuzzParsePairs: any words give a JSON object or an error.
func FuzzParsePairs(f *testing.F) {
	f.Add("mode=ltp", "instruments=a,b")
	f.Add("limit=0x1", "from=-1")
	f.Add("include_live_quote=null", "query={}")
	market := registry(f).Tool("market")
	f.Fuzz(func(t *testing.T, a, b string) {
		got, err := cmd.ParsePairs(market, []string{a, b})
		if err != nil {
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(got, &object); err != nil {
			t.Errorf("%q %q gave %s: %v", a, b, got, err)
		}
	})
}

func TestParseSums(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0123456789abcdef", 4)
	got, err := cmd.ParseSums([]byte(sum + "  orders/SKILL.md\r\n" + strings.ToUpper(sum) + " *./a b.md\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"orders/SKILL.md": sum, "a b.md": sum}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "\n", "x  y", sum, sum + " ", sum[1:] + "  a", "g" + sum[1:] + "  a"} {
		if got, err := cmd.ParseSums([]byte(bad)); err == nil {
			t.Errorf("%q: %v, want an error", bad, got)
		}
	}
}

// FuzzParseSums: what is accepted has 64 lower-case hex digits and a path.
func FuzzParseSums(f *testing.F) {
	f.Add([]byte(strings.Repeat("a", 64) + "  x"))
	f.Add([]byte(strings.Repeat("A", 64) + " *x\r\n\n"))
	f.Fuzz(func(t *testing.T, list []byte) {
		sums, err := cmd.ParseSums(list)
		if (err == nil) != (len(sums) > 0) {
			t.Fatalf("%d sums and error %v", len(sums), err)
		}
		for path, sum := range sums {
			if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
				t.Errorf("%q has the sum %q", path, sum)
			}
		}
	})
}

func TestTable(t *testing.T) {
	t.Parallel()
	rows := func() [][]string { return [][]string{{"a", "नमस्ते world | x"}, {"long cell here", "b"}} }
	aligned, tabbed, markdown := cmd.Table(20, []string{"ONE", "TWO"}, rows())
	for line := range strings.SplitSeq(aligned, "\n") {
		if w := ansi.StringWidth(line); w > 20 {
			t.Errorf("line of %d columns: %q", w, line)
		}
	}
	if want := "ONE\tTWO\na\tनमस्ते world | x\nlong cell here\tb\n"; tabbed != want {
		t.Errorf("in a pipe: %q, want %q", tabbed, want)
	}
	if want := "| a | नमस्ते world \\| x |"; !strings.Contains(markdown, want) {
		t.Errorf("Markdown %q lacks %q", markdown, want)
	}
}

func TestEscapeJSON(t *testing.T) {
	t.Parallel()
	const hostile = "a\u009b31m\u202eb\U000e0041\u2028\ufeff"
	raw, err := json.Marshal(map[string]string{"k": hostile})
	if err != nil {
		t.Fatal(err)
	}
	shown := cmd.EscapeJSON(string(raw) + "\n")
	if strings.ContainsAny(shown, "\u009b\u202e\U000e0041\u2028\ufeff") {
		t.Errorf("shown as %q", shown)
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(shown), &back); err != nil || back["k"] != hostile {
		t.Errorf("reads back as %q, %v", back["k"], err)
	}
}

// TestSplitCommand: the words a shell would pass on.
func TestSplitCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"kite-mcp serve --demo":             {"kite-mcp", "serve", "--demo"},
		" \tnpx  -y\tx@1 ":                  {"npx", "-y", "x@1"},
		`"C:\Program Files\x.exe" a`:        {`C:\Program Files\x.exe`, "a"},
		`/opt/my\ server 'it''s' "a \"b\""`: {"/opt/my server", "its", `a "b"`},
		`x '' ""`:                           {"x", "", ""},
		`x '\"' $HOME *`:                    {"x", `\"`, "$HOME", "*"},
	} {
		got, err := cmd.SplitCommand(line)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", line, err, diff)
		}
	}
	for _, line := range []string{"", "  ", `"x`, `x 'y`, `""`, `'' x`} {
		if got, err := cmd.SplitCommand(line); err == nil {
			t.Errorf("%q was accepted: %q", line, got)
		}
	}
}

// FuzzSplitCommand: quoting any words makes them come back.
func FuzzSplitCommand(f *testing.F) {
	f.Add("kite-mcp", "serve --demo")
	f.Add(`a\"b`, "it's")
	f.Add("\\", "\n")
	f.Fuzz(func(t *testing.T, first, second string) {
		_, _ = cmd.SplitCommand(first + " " + second) // must not panic
		if first == "" || strings.Contains(first+second, "'") {
			return
		}
		got, err := cmd.SplitCommand("'" + first + "' '" + second + "'")
		if diff := cmp.Diff([]string{first, second}, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}
