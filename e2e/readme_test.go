package e2e_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeQuickStartIsTheExample keeps the README's quick start byte for byte the body of the Example that
// is compiled and run in graph/embedded.
func TestReadmeQuickStartIsTheExample(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	block, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("README.md has no Go code block")
	}
	if diff := cmp.Diff(exampleBody(t, "../graph/embedded/example_test.go"), block); diff != "" {
		t.Errorf("README.md's quick start is not the Example of graph/embedded (-example +readme):\n%s", diff)
	}
}

// TestReadmeIsTheHost keeps every other Go block of the README, part by part, as it stands in a file of e2e/host, but for its indentation.
func TestReadmeIsTheHost(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var host string
	for _, file := range []string{"host/main.go", "host/faces.go"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		host += string(src)
	}
	blocks := strings.Split(string(readme), "```go\n")[2:]
	if len(blocks) < 5 {
		t.Errorf("README.md has %d Go blocks behind the quick start", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		for part := range strings.SplitSeq(block, "// ...\n") {
			if !standsIn(host, part) {
				t.Errorf("stands in README.md, but not in e2e/host:\n%s", part)
			}
		}
	}
}

// standsIn reports whether lines stand in a file, one behind the other and equally indented.
func standsIn(file, lines string) bool {
	for range 4 {
		if strings.Contains("\n"+file, "\n"+lines) {
			return true
		}
		lines = "\t" + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n\t") + "\n"
	}
	return false
}

// exampleBody returns the lines of func Example without their first tab.
func exampleBody(t *testing.T, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range parsed.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "Example" {
			body := string(src[fset.Position(f.Body.Lbrace).Offset+1 : fset.Position(f.Body.Rbrace).Offset])
			lines := strings.Split(strings.TrimPrefix(body, "\n"), "\n")
			for i := range lines {
				lines[i] = strings.TrimPrefix(lines[i], "\t")
			}
			return strings.Join(lines, "\n")
		}
	}
	t.Fatalf("%s has no func Example", file)
	return ""
}
