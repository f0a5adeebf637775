package e2e_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mneme-graph/mneme/"

// layer is a folder and what its packages may import of the module; a folder stands for what is below it.
// The longest matching folder rules a package.
type layer struct {
	folder string
	may    []string
}

// layers is the drawing of .github/CONTRIBUTING.md: arrows point downward only.
func layers() []layer {
	room := []string{"memory/internal", "memory/index", "checkpoint", "state"}
	return []layer{
		{"state", []string{"state"}},
		{"memory/internal/ledger", []string{"memory/internal/affair", "memory/internal/read", "state"}},
		{"memory/internal/mind", []string{"memory/internal", "state"}},
		{"memory/internal/desk", []string{"memory/internal", "memory/compose", "memory/settings", "memory/index", "checkpoint", "state"}},
		{"memory/internal", []string{"memory/internal", "memory/compose/quote", "memory/embed", "memory/index", "state"}},
		{"memory/forget/erasures", []string{"memory/forget", "state"}},
		{"memory/forget", room}, // a room knows neither the heart nor another room
		{"memory/history", room},
		{"memory/suggest", room},
		{"memory/sessions", append(room, "memory/compose", "memory/pick", "memory/settings")},
		{"memory", []string{"memory", "checkpoint", "state"}},
		{"checkpoint", []string{"checkpoint", "state"}},
		{"tools", []string{"tools", "memory", "state"}},
		{"nodes", []string{"nodes", "tools", "memory", "checkpoint", "state"}},
		{"graph", []string{"graph", "nodes", "tools", "checkpoint", "memory", "state"}},
		{"cmd", []string{"cmd", "e2e", "graph", "nodes", "tools", "checkpoint", "memory", "state"}},
		{"e2e", []string{"e2e", "graph", "nodes", "tools", "checkpoint", "memory", "state"}},
	}
}

// leaves are the packages that hold what is heavy. Nothing in the core may import one.
func leaves() []string {
	return []string{"graph/batch", "graph/embedded", "graph/importer", "graph/provider", "graph/serve", "graph/telemetry", "tools/mcp",
		"state/store/sqlite", "state/store/mongo", "memory/index/milvus", "cmd", "e2e"}
}

// heavy lists what no core package may link: stores, vector clients, provider SDKs, web libraries.
func heavy() []string {
	return []string{
		"go.etcd.io/bbolt", "zombiezen.com/go/sqlite", "modernc.org", "go.mongodb.org/mongo-driver", "github.com/milvus-io", "google.golang.org/grpc",
		"github.com/cloudwego/eino-ext", "github.com/meguminnnnnnnnn/go-openai", "github.com/openai",
		"github.com/sashabaranov", "github.com/anthropics", "google.golang.org/genai", "github.com/ollama",
		"github.com/danielgtaylor/huma", "github.com/go-chi", "github.com/gin-gonic", "github.com/labstack",
		"github.com/gofiber", "github.com/gorilla", "github.com/cloudwego/hertz", "github.com/modelcontextprotocol",
		"github.com/alecthomas/kong",
	}
}

// TestALeanBuildIsLean keeps what takes the better half of a build from nothing out of a command that is built with -tags lean, and in the other.
func TestALeanBuildIsLean(t *testing.T) {
	t.Parallel()
	lean, whole := goList(t, "-tags", "lean", "-deps", "./cmd/mneme"), goList(t, "-deps", "./cmd/mneme")
	for _, dear := range []string{
		"github.com/milvus-io", "google.golang.org/grpc", "go.etcd.io", "github.com/anthropics", "github.com/aws", "google.golang.org/genai", "cloud.google.com",
	} {
		built := func(deps []string) bool {
			return slices.ContainsFunc(deps, func(pkg string) bool { return within(pkg, dear) })
		}
		if built(lean) || !built(whole) {
			t.Errorf("%s is in the lean build: %v, in the whole one: %v", dear, built(lean), built(whole))
		}
	}
}

// within reports whether pkg is folder or below it.
func within(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

func withinAny(pkg string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return within(pkg, f) })
}

// upward lists the imports that the table forbids, as "a imports b", sorted. Names are below the module.
func upward(imports map[string][]string) []string {
	var wrong []string
	for pkg, list := range imports {
		for _, to := range list {
			if !allowed(pkg, to) {
				wrong = append(wrong, pkg+" imports "+to)
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

func allowed(pkg, to string) bool {
	if withinAny(to, leaves()) && !withinAny(pkg, leaves()) {
		return false
	}
	i := slices.IndexFunc(layers(), func(l layer) bool { return within(pkg, l.folder) })
	return i >= 0 && withinAny(to, layers()[i].may)
}

// tooHeavy lists the linked packages that the core must not have; spare are those of bson and its needs.
func tooHeavy(linked, spare []string) []string {
	var wrong []string
	for _, pkg := range linked {
		if withinAny(pkg, heavy()) && !slices.Contains(spare, pkg) {
			wrong = append(wrong, pkg)
		}
	}
	return wrong
}

func TestArrowsPointDownward(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...") {
		pkg, list, _ := strings.Cut(line, " ")
		pkg = strings.TrimPrefix(pkg, module)
		imports[pkg] = nil
		for to := range strings.FieldsSeq(list) {
			if below, ok := strings.CutPrefix(to, module); ok {
				imports[pkg] = append(imports[pkg], below)
			}
		}
	}
	if len(imports) < 10 {
		t.Fatalf("go list named %d packages: %v", len(imports), slices.Collect(maps.Keys(imports)))
	}
	for _, wrong := range upward(imports) {
		t.Error(wrong + ": arrows point downward only, see the drawing in .github/CONTRIBUTING.md")
	}
}

// TestOnlyThePipelineRunsTurns keeps Memory.Turn, which skips what guards the other doors, to who runs turns, and to who measures that.
func TestOnlyThePipelineRunsTurns(t *testing.T) {
	t.Parallel()
	callers := map[string]bool{}
	for _, line := range goList(t, "-f", `{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}`, "./...") {
		pkg, file, _ := strings.Cut(line, " ")
		src, err := os.ReadFile(file)
		must(t, err)
		if bytes.Contains(src, []byte("emory.Turn().")) || bytes.Contains(src, []byte("m.Turn().")) {
			callers[strings.TrimPrefix(pkg, module)] = true
		}
	}
	may := []string{"graph", "nodes", "tools", "memory/score", "e2e"}
	for _, pkg := range slices.Sorted(maps.Keys(callers)) {
		if pkg != "memory" && !withinAny(pkg, may) {
			t.Errorf("%s calls Memory.Turn: only %v may", pkg, may)
		}
	}
	if !callers["nodes"] {
		t.Error("the nodes were not seen to call it")
	}
}

func TestCoreIsLight(t *testing.T) {
	t.Parallel()
	var core []string
	for _, pkg := range goList(t, "./...") {
		if !withinAny(strings.TrimPrefix(pkg, module), leaves()) {
			core = append(core, pkg)
		}
	}
	spare := goList(t, "-deps", "go.mongodb.org/mongo-driver/v2/bson")
	linked := goList(t, append([]string{"-deps"}, core...)...)
	if !slices.Contains(linked, module+"graph") {
		t.Fatalf("the core does not hold package graph: %v", core)
	}
	for _, pkg := range tooHeavy(linked, spare) {
		t.Errorf("the core links %s; only a leaf may", pkg)
	}
}

// TestCheckerSees shows the checks red on what they are there for.
func TestCheckerSees(t *testing.T) {
	t.Parallel()
	got := upward(map[string][]string{
		"state":                  {"memory"},
		"state/store/sqlite":     {"state", "state/store"},
		"memory/recall":          {"state/store", "memory/index/milvus", "tools"},
		"memory/internal/ledger": {"memory", "memory/internal/mind", "memory/internal/read/text"},
		"memory/internal/mind":   {"memory/internal/ledger", "memory"},
		"checkpoint":             {"memory"},
		"memory/forget":          {"memory", "memory/internal/desk", "memory/sessions"},
		"tools":                  {"memory", "nodes"},
		"nodes":                  {"tools", "graph"},
		"graph":                  {"nodes", "graph/provider", "checkpoint"},
		"graph/embedded":         {"graph", "state/store/sqlite"},
		"cmd/mneme":              {"graph/embedded", "graph/importer", "e2e"},
		"statement":              {"state"},
		"memory/index/milvus":    {"memory/index", "cmd/mneme"},
	})
	want := []string{
		"checkpoint imports memory", "graph imports graph/provider", "memory/forget imports memory", "memory/forget imports memory/sessions", "memory/index/milvus imports cmd/mneme",
		"memory/internal/ledger imports memory", "memory/internal/ledger imports memory/internal/mind", "memory/internal/mind imports memory", "memory/recall imports memory/index/milvus",
		"memory/recall imports tools", "nodes imports graph", "state imports memory", "statement imports state", "tools imports nodes",
	}
	same(t, "upward imports", want, got)
	linked := []string{"fmt", "net/http", "modernc.org/sqlite/lib", "github.com/cloudwego/eino/compose", "github.com/go-chi/chi/v5",
		"go.mongodb.org/mongo-driver/v2/bson", "go.mongodb.org/mongo-driver/v2/mongo", "github.com/cloudwego/eino-ext/libs"}
	want = []string{"modernc.org/sqlite/lib", "github.com/go-chi/chi/v5", "go.mongodb.org/mongo-driver/v2/mongo", "github.com/cloudwego/eino-ext/libs"}
	same(t, "too heavy", want, tooHeavy(linked, []string{"go.mongodb.org/mongo-driver/v2/bson"}))
}

// goList returns the lines that go list prints at the root of the module.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
