package e2e_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
)

// TestTheWholeStaysSmall holds what may only fall: how many files of a package hang together in a circle, so that none can be read without the others,
// and how many names others can use. A number that has fallen is to be lowered here.
func TestTheWholeStaysSmall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads all the code")
	}
	for pkg, most := range map[string]int{"memory": 24, "cmd/mneme": 3, "graph/flow": 19, "checkpoint": 9} {
		switch n := len(largestCircle(references(t, pkg))); {
		case n > most:
			t.Errorf("%s: %d files hang together in a circle, %d may: let the new one know less of the others, or take it out", pkg, n, most)
		case n < most:
			t.Errorf("%s: %d files hang together in a circle; lower its number here from %d", pkg, n, most)
		}
	}

	exported := map[string]int{"methods of memory.Memory": reflect.TypeFor[*memory.Memory]().NumMethod()}
	for pkg, dir := range publicPackages(t) {
		if pkg == "state" {
			for _, name := range exportedNames(t, dir) {
				if !strings.Contains(name, ".") {
					exported["names of state"]++
				}
			}
		}
	}
	for what, most := range map[string]int{"methods of memory.Memory": 24, "names of state": 243} {
		if n := exported[what]; n != most {
			t.Errorf("%s: %d are exported, the number here is %d: it may only fall", what, n, most)
		}
	}
}

// references are the files of a package, and which of its other files each names something of.
func references(t *testing.T, pkg string) map[string][]string {
	t.Helper()
	exports := map[string]string{}
	for _, line := range goList(t, "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "./"+pkg) {
		path, file, _ := strings.Cut(line, "=")
		exports[path] = file
	}
	fset := token.NewFileSet()
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	var files []*ast.File
	for _, name := range strings.Fields(strings.Join(goList(t, "-f", `{{join .GoFiles " "}}`, "./"+pkg), " ")) {
		file, err := parser.ParseFile(fset, filepath.Join("..", pkg, name), nil, parser.SkipObjectResolution)
		must(t, err)
		files = append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	checked, err := (&types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}).Check(pkg, fset, files, &info)
	must(t, err)

	out := map[string][]string{}
	for ident, used := range info.Uses {
		from, to := fset.Position(ident.Pos()).Filename, fset.Position(used.Pos()).Filename
		if used.Pkg() == checked && from != to && !slices.Contains(out[from], to) {
			out[from] = append(out[from], to)
		}
	}
	return out
}

// largestCircle is the largest set of nodes of which each leads to all others (Tarjan, Depth-First Search and Linear Graph Algorithms, 1972).
func largestCircle(edges map[string][]string) (largest []string) {
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(n string)
	visit = func(n string) {
		index[n] = len(index) + 1
		low[n], on[n] = index[n], true
		stack = append(stack, n)
		for _, to := range edges[n] {
			if index[to] == 0 {
				visit(to)
				low[n] = min(low[n], low[to])
			} else if on[to] {
				low[n] = min(low[n], index[to])
			}
		}
		if low[n] != index[n] {
			return
		}
		at := slices.Index(stack, n)
		circle := slices.Clone(stack[at:])
		for _, m := range circle {
			on[m] = false
		}
		if stack = stack[:at]; len(circle) > len(largest) {
			largest = circle
		}
	}
	for n := range edges {
		if index[n] == 0 {
			visit(n)
		}
	}
	return largest
}

func TestLargestCircle(t *testing.T) {
	t.Parallel()
	got := largestCircle(map[string][]string{"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d"}, "f": {"a", "f"}})
	if slices.Sort(got); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %v", got)
	}
}
