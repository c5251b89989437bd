package catalog_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kite-mcp/kite-mcp/catalog"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ raw, block, body string }{
		"LF":                     {"---\na: b\n---\nbody", "a: b\n", "body"},
		"CRLF":                   {"---\r\na: b\r\n---\r\nbody", "a: b\r\n", "body"},
		"mixed":                  {"---\na: b\r\n---\nbody", "a: b\r\n", "body"},
		"empty block":            {"---\n---\nbody", "", "body"},
		"nothing behind":         {"---\na: b\n---", "a: b\n", ""},
		"only the first closes":  {"---\na\n---\n---\nb", "a\n", "---\nb"},
		"hyphens inside":         {"---\na: ---\n--- \n----\n ---\n---\nbody", "a: ---\n--- \n----\n ---\n", "body"},
		"carriage return inside": {"---\na\r---\nb\n---\nc", "a\r---\nb\n", "c"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := catalog.Split([]byte(tt.raw))
			if !s.HasBlock || !s.Closed || tt.raw[s.Start:s.End] != tt.block || tt.raw[s.Body:] != tt.body {
				t.Errorf("section %+v: block %q, body %q", s, tt.raw[s.Start:s.End], tt.raw[s.Body:])
			}
		})
	}
	for _, raw := range []string{"", "\n---\na\n---\n", " ---\n---\n", "----\n---\n", "--- \n---\n", "--", "-", "\ufeff---\n---\n", "---\r---\r"} {
		if s := catalog.Split([]byte(raw)); s.HasBlock || s.Body != 0 {
			t.Errorf("Split(%q) = %+v", raw, s)
		}
	}
	for _, raw := range []string{"---", "---\n", "---\na: b\n", "---\na: b\n----\n", "---\n ---\n"} {
		if s := catalog.Split([]byte(raw)); !s.HasBlock || s.Closed {
			t.Errorf("Split(%q) = %+v", raw, s)
		}
	}
}

// scanOne scans a catalog that holds one SKILL.md.
func scanOne(raw []byte) (*catalog.File, []catalog.Problem) {
	tree, problems := catalog.Scan(fstest.MapFS{
		"index.md":   {Data: []byte("`/a`\n")},
		"a/SKILL.md": {Data: raw},
		"a/page.md":  {Data: []byte("---\ndescription: A page.\n---\n\n# Page\n")},
	})
	return tree.File("a/SKILL.md"), problems
}

func TestFrontmatterJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ yaml, want string }{
		"strings stay":      {"a: yes\nb: on\nc: 'x'\nd: \"\\u00e9\"\n", `{"a":"yes","b":"on","c":"x","d":"é"}`},
		"types":             {"a: 1\nb: 1.50\nc: true\nd: ~\ne:\n", `{"a":1,"b":1.50,"c":true,"d":null,"e":null}`},
		"dates are text":    {"a: 2026-01-01\nb: 2026-01-01T00:00:00Z\n", `{"a":"2026-01-01","b":"2026-01-01T00:00:00Z"}`},
		"nested":            {"a:\n  - 1\n  - b: c\nd: {e: [f]}\n", `{"a":[1,{"b":"c"}],"d":{"e":["f"]}}`},
		"block scalars":     {"a: |\n  x\n  y\nb: >-\n  x\n  y\n", `{"a":"x\ny\n","b":"x y"}`},
		"no HTML escapes":   {"a: \"<b> & \\u2028\"\n", `{"a":"<b> & \u2028"}`},
		"largest exact":     {"a: 9007199254740992\n", `{"a":9007199254740992}`},
		"empty collections": {"a: []\nb: {}\n", `{"a":[],"b":{}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, block := range []string{tt.yaml, crlf(tt.yaml)} {
				f, _ := scanOne([]byte("---\n" + block + "---\n"))
				got, err := f.Front.JSON()
				if err != nil || string(got) != tt.want {
					t.Errorf("JSON of %q = %s, %v; want %s", block, got, err, tt.want)
				}
			}
		})
	}
	for _, yaml := range []string{"a: .nan\n", "a: .inf\n", "a: 0x1f\n", "a: 1_000\n", "a: 9007199254740993\n", "1: a\n", "~: a\n", "[a]: b\n", "a: 99999999999999999999\n"} {
		f, _ := scanOne([]byte("---\n" + yaml + "---\n"))
		if got, err := f.Front.JSON(); err == nil {
			t.Errorf("JSON of %q = %s, want an error", yaml, got)
		}
	}
	var none *catalog.Frontmatter
	if _, err := none.JSON(); err == nil || none.Text("name") != "" {
		t.Error("a file without frontmatter has a JSON form")
	}
}

// No text makes a scan panic, and line endings do not change what is found.
func FuzzFrontmatter(f *testing.F) {
	for _, s := range []string{
		"", "---", "---\n---\n", "---\nname: a\ndescription: A.\n---\n\n# A\n", "---\r\nname: a\r\n---\r\n", "--- \nname: a\n---\n",
		"---\na: b: c\n---\n", "---\na: &x [*x]\n---\n", "---\n? [a]\n: {b}\n---\n", "---\n- - - -\n---\n", "---\na: \"\\\n---\n",
		"\ufeff---\nname: a\n---\n", "---\n\tname: a\n---\n", "---\n%YAML\n---\n", "---\na: |\n  b\n...\n---\n", "---\na: !!x y\n<<: 1\n---\n",
		"---\nname: \u2028b: c: d\n---\n", "---\na: 'x\n---\n", "---\n" + strings.Repeat("[", 400) + "\n---\n", "---\nmetadata:\n  io.modelcontextprotocol/a: 1\n---\n",
		"---\nallowed-tools: [A b, C(d e)]\nlicense: .nan\ncompatibility: ''\n---\n", "<!-- x -->\n---\n---\n", "----\na: b\n----\n", "---\n\"a\": \x01\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 4<<10 {
			return
		}
		file, problems := scanOne(raw)
		checkPlaces(t, raw, problems)
		if !bytes.Equal(file.Raw, raw) {
			t.Fatal("the bytes of the file were changed")
		}
		if front, err := file.Front.JSON(); err == nil && !json.Valid(front) {
			t.Fatalf("frontmatter %s is not JSON", front)
		}
		if bytes.ContainsRune(raw, '\r') {
			return
		}
		other, otherProblems := scanOne([]byte(crlf(string(raw))))
		a, errA := file.Front.JSON()
		b, errB := other.Front.JSON()
		if (errA == nil) != (errB == nil) || !bytes.Equal(a, b) {
			t.Fatalf("LF gives %s (%v), CRLF gives %s (%v)", a, errA, b, errB)
		}
		// Offsets differ, and so do the bytes a final line ending has.
		ignore := cmp.Options{
			cmpopts.IgnoreFields(catalog.Problem{}, "Start", "End"), cmpopts.IgnoreFields(catalog.Related{}, "Start", "End"),
			cmpopts.IgnoreSliceElements(func(p catalog.Problem) bool { return p.Rule == "KL008" || p.Rule == "KL108" }),
		}
		if diff := cmp.Diff(problems, otherProblems, ignore); diff != "" {
			t.Fatalf("problems (-LF +CRLF):\n%s", diff)
		}
	})
}

func checkPlaces(t *testing.T, raw []byte, problems []catalog.Problem) {
	t.Helper()
	for _, p := range problems {
		if p.Path != "a/SKILL.md" {
			continue
		}
		line, column := catalog.Position(raw, p.Start)
		if p.Start < 0 || p.Start > p.End || p.End > len(raw) || p.Line != line || p.Column != column || p.Message == "" {
			t.Fatalf("problem %v at %d-%d of %d bytes", p, p.Start, p.End, len(raw))
		}
	}
}

// TestReadFrontmatter: one file under the rules of a scan.
func TestReadFrontmatter(t *testing.T) {
	t.Parallel()
	front, err := catalog.ReadFrontmatter([]byte("---\r\nname: a\r\nmetadata:\r\n  since: 2026-01-01\r\n---\r\nText.\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := front.JSON()
	if want := `{"name":"a","metadata":{"since":"2026-01-01"}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	for name, raw := range map[string]string{
		"none": "# Title\n", "unclosed": "---\nname: a\n", "empty file": "", "byte order mark": "\ufeff---\nname: a\n---\n",
		"not UTF-8": "---\nname: \xff\n---\n", "not YAML": "---\nname: [\n---\n", "not a mapping": "---\n- a\n---\n",
		"key twice": "---\nname: a\nname: b\n---\n", "alias": "---\na: &x 1\nb: *x\n---\n",
		"too long": "---\na: " + strings.Repeat("x", catalog.MaxFrontmatterBytes) + "\n---\n",
		"too deep": "---\na: " + strings.Repeat("[", 20) + strings.Repeat("]", 20) + "\n---\n",
	} {
		if front, err := catalog.ReadFrontmatter([]byte(raw)); err == nil {
			t.Errorf("%s: accepted %s", name, front.Block)
		}
	}
}
