package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kite-mcp/kite-mcp/internal/host"
)

const (
	ordersURI  = "skill://orders/SKILL.md"
	prepareURI = "skill://orders/prepare.md"
	deepURI    = "skill://orders/deep/SKILL.md"
	tradesURI  = "skill://trades/SKILL.md"
)

// mutation is a server with one fault.
type mutation struct {
	name     string
	bend     func(*world)
	reasons  []host.Reason // of all faults, in order, without repetitions; none: the server is without fault
	uri      string        // of the first fault
	stricter bool          // the Inspector does not look at this
	modern   bool          // a fault in the modern era only
}

// mutations are the servers by name. What each breaks is a sentence of the
// Skills extension, but for the limits, which are ours.
func mutations() []mutation {
	return slices.Concat(faultless(), badBytes(), badFrontmatter(), badManifests(), badAnswers(), beyondLimits())
}

func one(r ...host.Reason) []host.Reason { return r }

func faultless() []mutation {
	return []mutation{
		{name: "no fault", bend: func(*world) {}},
		{name: "files as blobs", bend: func(w *world) {
			w.read = func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Blob: []byte(w.files[uri])}}}, nil
			}
		}},
		{name: "a page for each skill", bend: func(w *world) { w.perPage = 1 }},
		{name: "members in another order", bend: func(w *world) {
			w.get[tradesURI] = map[string]any{"resources": w.skill(2)["resources"], "frontmatter": w.skill(2)["frontmatter"], "uri": tradesURI}
		}},
		{name: "dynamic", bend: func(w *world) { w.skill(2)["resources"] = "dynamic" }},
	}
}

func badBytes() []mutation {
	return []mutation{
		{name: "flipped byte", bend: func(w *world) { w.files[prepareURI] = strings.Replace(prepare, "A", "a", 1) }, reasons: one(host.ReasonDigest), uri: prepareURI},
		{name: "truncated text", bend: func(w *world) { w.files[prepareURI] = prepare[:9] }, reasons: one(host.ReasonSize), uri: prepareURI},
		{name: "CRLF rewritten", bend: func(w *world) { w.files[tradesURI] = strings.ReplaceAll(tradesFile, "\r\n", "\n") }, reasons: one(host.ReasonSize), uri: tradesURI},
		{name: "byte order mark added", bend: func(w *world) { w.files[tradesURI] = "\ufeff" + tradesFile }, reasons: one(host.ReasonSize), uri: tradesURI},
		{name: "wrong size", bend: func(w *world) { w.skill(2).file(tradesURI)["size"] = 3 }, reasons: one(host.ReasonSize), uri: tradesURI},
		{name: "no size", bend: func(w *world) { delete(w.skill(2).file(tradesURI), "size") }, reasons: one(host.ReasonSize), uri: tradesURI},
		{name: "negative size", bend: func(w *world) { w.skill(2).file(tradesURI)["size"] = -1 }, reasons: one(host.ReasonSize), uri: tradesURI},
		{name: "wrong digest", bend: func(w *world) {
			w.skill(2).file(tradesURI)["digest"] = w.skill(0).file(ordersURI)["digest"]
		}, reasons: one(host.ReasonDigest), uri: tradesURI},
		{name: "upper case digest", bend: func(w *world) {
			f := w.skill(2).file(tradesURI)
			f["digest"] = "sha256:" + strings.ToUpper(strings.TrimPrefix(f["digest"].(string), "sha256:"))
		}, reasons: one(host.ReasonDigest), uri: tradesURI},
		{name: "no digest", bend: func(w *world) { delete(w.skill(2).file(tradesURI), "digest") }, reasons: one(host.ReasonDigest), uri: tradesURI},
		{name: "digests of another algorithm", bend: func(w *world) {
			w.skill(2).file(tradesURI)["digest"] = "md5:0123456789abcdef0123456789abcdef"
		}, reasons: one(host.ReasonDigest), uri: tradesURI},
	}
}

func badFrontmatter() []mutation {
	return []mutation{
		{name: "frontmatter differs", bend: func(w *world) {
			w.skill(2)["frontmatter"] = map[string]any{"name": "trades", "description": "Read all trades."}
		}, reasons: one(host.ReasonFrontmatter), uri: tradesURI},
		{name: "frontmatter is curated", bend: func(w *world) {
			delete(w.skill(0)["frontmatter"].(map[string]any), "metadata")
		}, reasons: one(host.ReasonFrontmatter), uri: ordersURI},
		{name: "number became text", bend: func(w *world) {
			w.skill(0)["frontmatter"].(map[string]any)["metadata"] = map[string]any{"version": "1.5", "since": "2026-01-01"}
		}, reasons: one(host.ReasonFrontmatter), uri: ordersURI},
		{name: "date became a time", bend: func(w *world) {
			w.skill(0)["frontmatter"].(map[string]any)["metadata"] = map[string]any{"version": 1.5, "since": "2026-01-01T00:00:00Z"}
		}, reasons: one(host.ReasonFrontmatter), uri: ordersURI},
		{name: "name differs", bend: func(w *world) {
			w.files[tradesURI] = strings.Replace(tradesFile, "trades", "sales", 1)
			w.list[2] = w.entry(tradesURI, map[string]any{"name": "sales", "description": "Read trades."})
		}, reasons: one(host.ReasonName), uri: tradesURI},
		{name: "no name", bend: func(w *world) {
			w.files[tradesURI] = "---\ndescription: Read trades.\n---\n"
			w.list[2] = w.entry(tradesURI, map[string]any{"description": "Read trades."})
		}, reasons: one(host.ReasonName), uri: tradesURI},
		{name: "no description", bend: func(w *world) {
			w.files[tradesURI] = "---\nname: trades\n---\n"
			w.list[2] = w.entry(tradesURI, map[string]any{"name": "trades"})
		}, reasons: one(host.ReasonEntry), uri: tradesURI},
		{name: "no frontmatter in the file", bend: func(w *world) {
			w.files[tradesURI] = "# Trades\n"
			w.list[2] = w.entry(tradesURI, map[string]any{"name": "trades", "description": "Read trades."})
		}, reasons: one(host.ReasonFrontmatter), uri: tradesURI},
	}
}

func badManifests() []mutation {
	return []mutation{
		{name: "SKILL.md missing from the manifest", bend: func(w *world) { w.drop(tradesURI) }, reasons: one(host.ReasonManifest), uri: tradesURI},
		{name: "file missing from the manifest", bend: func(w *world) { w.drop(prepareURI) }, reasons: one(host.ReasonManifest), uri: prepareURI, stricter: true},
		{name: "nested files missing from the outer manifest", bend: func(w *world) {
			e := w.skill(0)
			e["resources"] = []any{e.file(ordersURI), e.file(prepareURI)}
		}, reasons: one(host.ReasonManifest), uri: deepURI, stricter: true},
		{name: "extra file in the manifest", bend: func(w *world) {
			e := w.skill(2)
			e["resources"] = append(e["resources"].([]any), map[string]any{"uri": "skill://trades/gone.md", "size": 1, "digest": e.file(tradesURI)["digest"]})
		}, reasons: one(host.ReasonRead), uri: "skill://trades/gone.md"},
		{name: "file listed twice", bend: func(w *world) {
			e := w.skill(2)
			e["resources"] = append(e["resources"].([]any), e.file(tradesURI))
		}, reasons: one(host.ReasonManifest), uri: tradesURI},
		{name: "file outside of the skill", bend: func(w *world) {
			e := w.skill(2)
			e["resources"] = append(e["resources"].([]any), w.skill(0).file(prepareURI))
		}, reasons: one(host.ReasonURI), uri: prepareURI},
		{name: "path with dots", bend: func(w *world) {
			e := w.skill(2)
			e["resources"] = append(e["resources"].([]any), map[string]any{"uri": "skill://trades/../orders/prepare.md", "size": 1, "digest": e.file(tradesURI)["digest"]})
		}, reasons: one(host.ReasonURI, host.ReasonRead), uri: "skill://trades/../orders/prepare.md"},
		{name: "not a SKILL.md", bend: func(w *world) {
			w.skill(2)["uri"] = "skill://trades/skill.md"
			w.files["skill://trades/skill.md"] = tradesFile
		}, reasons: one(host.ReasonURI, host.ReasonManifest), uri: "skill://trades/skill.md"},
		{name: "skill listed twice", bend: func(w *world) { w.list = append(w.list, w.skill(2)) }, reasons: one(host.ReasonEntry), uri: tradesURI, stricter: true},
		{name: "no resources", bend: func(w *world) { delete(w.skill(2), "resources") }, reasons: one(host.ReasonEntry), uri: tradesURI},
		{name: "resources of another word", bend: func(w *world) { w.skill(2)["resources"] = "none" }, reasons: one(host.ReasonEntry), uri: tradesURI},
		{name: "dynamic with other frontmatter", bend: func(w *world) {
			w.skill(2)["resources"] = "dynamic"
			w.skill(2)["frontmatter"] = map[string]any{"name": "trades", "description": "Another."}
		}, reasons: one(host.ReasonFrontmatter), uri: tradesURI},
	}
}

func badAnswers() []mutation {
	return []mutation{
		{name: "get differs from list", bend: func(w *world) {
			w.get[tradesURI] = w.entry(tradesURI, map[string]any{"name": "trades", "description": "Another."})
		}, reasons: one(host.ReasonGet), uri: tradesURI, stricter: true},
		{name: "get refuses what list has", bend: func(w *world) {
			w.answer = refuse("skills/get")
		}, reasons: one(host.ReasonGet), uri: ordersURI, stricter: true},
		{name: "error on read", bend: func(w *world) {
			w.read = func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
				if uri == prepareURI {
					return nil, errors.New("disk \x1b[31mfell off")
				}
				return nil, nil
			}
		}, reasons: one(host.ReasonRead), uri: prepareURI},
		{name: "read answers with another file", bend: func(w *world) {
			w.read = func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
				if uri == tradesURI {
					return contents(ordersURI, ordersFile), nil
				}
				return nil, nil
			}
		}, reasons: one(host.ReasonRead), uri: tradesURI},
		{name: "read answers with nothing", bend: func(w *world) {
			w.read = func(context.Context, string) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}}, nil
			}
		}, reasons: one(host.ReasonRead), uri: ordersURI},
		{name: "read without resultType", bend: func(w *world) {
			// What a middleware answers goes out without the member.
			w.answer = func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					if r, ok := req.(*mcp.ReadResourceRequest); ok && r.Params.URI == tradesURI {
						return contents(tradesURI, tradesFile), nil
					}
					return next(ctx, method, req)
				}
			}
		}, reasons: one(host.ReasonResult), uri: tradesURI, modern: true, stricter: true},
		{name: "list without resultType", bend: func(w *world) { delete(w.listed, "resultType") }, reasons: one(host.ReasonResult), modern: true, stricter: true},
		{name: "list without cache members", bend: func(w *world) {
			delete(w.listed, "ttlMs")
			w.listed["cacheScope"] = "world"
		}, reasons: one(host.ReasonResult), modern: true, stricter: true},
	}
}

func beyondLimits() []mutation {
	return []mutation{
		{name: "257 skills", bend: func(w *world) {
			for n := len(w.list); n < 257; n++ {
				w.add(fmt.Sprintf("more-%d", n), "")
			}
		}, reasons: one(host.ReasonLimit)},
		{name: "513 files", bend: func(w *world) {
			for n := range 512 {
				w.files[fmt.Sprintf("skill://trades/%d.md", n)] = "x"
			}
			w.list[2] = w.entry(tradesURI, map[string]any{"name": "trades", "description": "Read trades."})
		}, reasons: one(host.ReasonLimit), uri: tradesURI},
		{name: "pages without end", bend: func(w *world) { w.listed["nextCursor"] = "again" }, reasons: one(host.ReasonResult, host.ReasonEntry)},
		{name: "Skills without resources", bend: func(w *world) {
			w.caps.Resources = nil
			w.files = map[string]string{}
			w.list = []entry{}
		}, reasons: one(host.ReasonServer), stricter: true},
	}
}

// refuse makes a server refuse one method.
func refuse(refused string) func(mcp.MethodHandler) mcp.MethodHandler {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == refused {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "not today"}
			}
			return next(ctx, method, req)
		}
	}
}

func eras() map[string]host.Era {
	return map[string]host.Era{"modern": host.Modern, "legacy": host.Legacy}
}

// TestVerify runs every mutated server in both eras.
func TestVerify(t *testing.T) {
	t.Parallel()
	for era, opts := range eras() {
		for _, m := range mutations() {
			t.Run(era+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld()
				m.bend(w)
				r, err := w.connect(t, host.Options{Era: opts}).Verify(t.Context())
				must(t, err)
				want := m.reasons
				if m.modern && opts == host.Legacy {
					want = nil
				}
				faults := r.AllFaults()
				if diff := cmp.Diff(want, reasons(faults)); diff != "" {
					t.Errorf("reasons (-want +got):\n%s%v", diff, faults)
				}
				if len(want) > 0 && len(faults) > 0 && faults[0].URI != m.uri {
					t.Errorf("the first fault is of %q, want %q: %s", faults[0].URI, m.uri, faults[0].Detail)
				}
			})
		}
	}
}

// reasons lists the reasons of faults without repetitions.
func reasons(faults []host.Fault) []host.Reason {
	var out []host.Reason
	seen := map[host.Reason]bool{}
	for _, f := range faults {
		if !seen[f.Reason] {
			seen[f.Reason] = true
			out = append(out, f.Reason)
		}
	}
	return out
}

// TestVerifyNamedTwice names one skill in three ways; it is listed once.
func TestVerifyNamedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld()
	r, err := w.connect(t, host.Options{}).Verify(t.Context(), "trades", tradesURI, "trades")
	if err != nil {
		t.Fatal(err)
	}
	if faults := r.AllFaults(); len(faults) > 0 || len(r.Skills) != 1 {
		t.Errorf("%d skills, faults %v; want one and none", len(r.Skills), faults)
	}
}

// TestVerifyCountsAFileOnce has room for every file once; those of the nested
// skill are in two manifests.
func TestVerifyCountsAFileOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.list = w.list[:2] // orders and the skill in it
	delete(w.files, tradesURI)
	total := int64(0)
	for _, text := range w.files {
		total += int64(len(text))
	}
	r, err := w.connect(t, host.Options{MaxBytes: total}).Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if faults := r.AllFaults(); len(faults) > 0 {
		t.Errorf("faults %v", faults)
	}
}
