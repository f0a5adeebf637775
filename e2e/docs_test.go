package e2e_test

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// screens is how many lines go doc may print of a package that people read first: three screens.
const screens = 100

// TestDocumentationIsAPage holds what go doc shows to what a user needs: an introduction, then a page of code that does the package's task
// with names that there are. Decisions stand below the package clause.
func TestDocumentationIsAPage(t *testing.T) {
	t.Parallel()
	for pkg, dir := range publicPackages(t) {
		d := documented(t, dir)
		if n := docLines(d); n > screens && slices.Contains([]string{"graph", "graph/flow", "memory", "checkpoint"}, pkg) {
			t.Errorf("go doc of %s has %d lines, of %d", pkg, n, screens)
		}
		if names := exportedNames(t, dir); len(names) > 0 { // else it holds tests only
			if wrong := pageWrong(d, names); wrong != "" {
				t.Errorf("the documentation of %s %s", pkg, wrong)
			}
		}
	}
}

// TestDocumentationSees shows the checks red on what they are there for.
func TestDocumentationSees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"// Package x does.\n//\n//\tx.Do()\n//\n// More.": "",
		"// Package x does.\n//\n// Much.\n//\n//\tx.Do()": "begins without a page of code",
		"// Package x does.\n//\n//\ta ─► b":               "has a page that uses nothing of the package",
		"// Package x does.\n//\n//\tx.Did()":              "speaks of x.Did, which is not there",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(text+"\npackage x\n\n// Do does.\nfunc Do() {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := pageWrong(documented(t, dir), exportedNames(t, dir)); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}

// documented is what go doc knows of a package.
func documented(t *testing.T, dir string) *doc.Package {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	d, err := doc.NewFromFiles(set, parsed, dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// docLines is how many lines go doc prints: two around the text, and one for each name or group of constants.
func docLines(d *doc.Package) int {
	n := strings.Count(string(d.Text(d.Doc)), "\n") + 3 + len(d.Consts) + len(d.Vars) + len(d.Funcs) + len(d.Types)
	for _, of := range d.Types {
		n += len(of.Consts) + len(of.Vars) + len(of.Funcs)
	}
	return n
}

// pageWrong says what is wrong with the page of code behind the first paragraph; "" = nothing.
func pageWrong(d *doc.Package, names []string) string {
	text := d.Parser().Parse(d.Doc)
	code, ok := text.Content[min(1, len(text.Content)-1)].(*comment.Code)
	if !ok {
		return "begins without a page of code"
	}
	used := regexp.MustCompile(`\b`+d.Name+`\.([A-Z]\w*)`).FindAllStringSubmatch(code.Text, -1)
	for _, name := range used {
		if !slices.Contains(names, name[1]) {
			return "speaks of " + name[0] + ", which is not there"
		}
	}
	if len(used) == 0 {
		return "has a page that uses nothing of the package"
	}
	return ""
}
