package render_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"plain text stays":             {"a\tb\n\u20b9 1,000 caf\u00e9 \U0001f1ee\U0001f1f3", "a\tb\n\u20b9 1,000 caf\u00e9 \U0001f1ee\U0001f1f3"},
		"colours":                      {"\x1b[31;1mred\x1b[0m", "red"},
		"cursor movement":              {"a\x1b[2Jb\x1b[10;10Hc", "abc"},
		"title by bell":                {"\x1b]0;owned\ax", "x"},
		"link by string terminator":    {"\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"},
		"clipboard":                    {"\x1b]52;c;ZXZpbA==\ax", "x"},
		"eight bit forms":              {"\u009b31mred\u009d0;t\u009cx", "redx"},
		"unfinished string hides none": {"\x1b]0;rest of page\nnext", "0;rest of page\nnext"},
		"device control":               {"\x1bPq#0\x1b\\x\x1b_a\x1b\\y", "xy"},
		"two byte escapes":             {"\x1bcx\x1b7y", "cx7y"},
		"backspace and null":           {"a\bb\x00c\x7f", "abc"},
		"carriage returns":             {"a\r\nb\rc", "a\nb\nc"},
		"direction overrides":          {"a\u202eb\u2066c\u200fd", "abcd"},
		"byte order mark":              {"\ufeffa\ufeffb", "ab"},
		"invalid bytes":                {"a\xff\xfeb", "a\ufffd\ufffdb"},
		"hidden tags":                  {"a\U000e0041b", "ab"},
		"line separators":              {"a\u2028b\u2029c", "abc"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := render.Clean(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31m", "\x1b]8;;x\x1b\\y", "\u009d\u009c", "\x1b\x1b[[", "a\r\r\nb", "\xc2", "\u202e\ufeff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := render.Clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("invalid UTF-8: %q", got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r == 0xfeff
		}); i >= 0 {
			t.Errorf("hostile character at %d of %q", i, got)
		}
		if again := render.Clean(got); again != got {
			t.Errorf("not stable: %q, then %q", got, again)
		}
	})
}
