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

// TestReadmeQuickStartIsTheExample keeps the README's quick start byte for byte the body of the Example that is compiled and run here.
func TestReadmeQuickStartIsTheExample(t *testing.T) {
	t.Parallel()
	blocks := goBlocks(t, "../README.md")
	if len(blocks) != 1 {
		t.Fatalf("README.md has %d Go blocks, want the quick start", len(blocks))
	}
	if diff := cmp.Diff(exampleBody(t, "example_test.go"), blocks[0]); diff != "" {
		t.Errorf("README.md's quick start is not the Example of e2e (-example +readme):\n%s", diff)
	}
}

// TestReadmeNamesTheImports keeps the page naming each package of ours that the quick start imports, which its code does not show.
func TestReadmeNamesTheImports(t *testing.T) {
	t.Parallel()
	const module = "github.com/mneme-graph/mneme"
	page, err := os.ReadFile("../README.md")
	must(t, err)
	parsed, err := parser.ParseFile(token.NewFileSet(), "example_test.go", nil, parser.ImportsOnly)
	must(t, err)
	head, _, _ := strings.Cut(string(page), "```go\n")
	for _, i := range parsed.Imports {
		if name, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); ours && !strings.Contains(head, "`"+name+"`") {
			t.Errorf("README.md does not name %s before the quick start", name)
		}
	}
}

// TestPageIsTheHost keeps every Go block of the host's page, part by part, as it stands in a file beside it, but for its indentation.
func TestPageIsTheHost(t *testing.T) {
	t.Parallel()
	var host string
	for _, file := range []string{"host/main.go", "host/faces.go"} {
		src, err := os.ReadFile(file)
		must(t, err)
		host += string(src)
	}
	blocks := goBlocks(t, "host/README.md")
	if len(blocks) < 5 {
		t.Errorf("e2e/host/README.md has %d Go blocks", len(blocks))
	}
	for _, block := range blocks {
		for part := range strings.SplitSeq(block, "// ...\n") {
			if !standsIn(host, part) {
				t.Errorf("stands in e2e/host/README.md, but not in e2e/host:\n%s", part)
			}
		}
	}
}

// goBlocks are the blocks of Go in a page.
func goBlocks(t *testing.T, page string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	must(t, err)
	for _, rest := range strings.Split(string(text), "```go\n")[1:] {
		block, _, closed := strings.Cut(rest, "```")
		if !closed {
			t.Fatalf("%s has a block of Go that does not end", page)
		}
		blocks = append(blocks, block)
	}
	return blocks
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
	must(t, err)
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	must(t, err)
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
