package e2e_test

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"maps"
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
		must(t, os.WriteFile(filepath.Join(dir, "x.go"), []byte(text+"\npackage x\n\n// Do does.\nfunc Do() {}\n"), 0o600))
		if got := pageWrong(documented(t, dir), exportedNames(t, dir)); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}

// pages are what is read beside the code. The changelog also names what is gone.
func pages() []string {
	return []string{"README.md", "cmd/mneme/README.md", "memory/README.md", "graph/flow/README.md", "e2e/host/README.md", ".github/CONTRIBUTING.md"}
}

// TestReadmeIsShort keeps the first page one that is read to its end, and the commands in it that the workflow runs.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	must(t, err)
	if most := 9 * 1024; len(text) > most {
		t.Errorf("README.md has %d bytes, of %d: what explains a part goes beside it", len(text), most)
	}
	for _, command := range []string{"go test ./...", "go run -tags lean ./cmd/mneme demo"} {
		if !strings.Contains(string(text), "`"+command+"`") {
			t.Errorf("README.md does not say %s", command)
		}
	}
}

// TestPagesNameWhatIsThere: what a page links to is there, and so are the names of our packages that it speaks of.
func TestPagesNameWhatIsThere(t *testing.T) {
	t.Parallel()
	names := map[string][]string{}
	for pkg, dir := range publicPackages(t) {
		if short := filepath.Base(pkg); short != "main" {
			names[short] = append(names[short], exportedNames(t, dir)...)
		}
	}
	delete(names, "compose") // eino has one, of which the pages speak
	for _, page := range pages() {
		text, err := os.ReadFile(filepath.Join("..", page))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, wrong := range wrongNames(string(text), names, filepath.Join("..", filepath.Dir(page))) {
			t.Errorf("%s speaks of %s, which is not there", page, wrong)
		}
	}
}

// wrongNames are links of a page in a folder that lead nowhere, and names in code spans that nobody has: package.Name, package.Type.Member and
// Type.Member.
func wrongNames(text string, names map[string][]string, dir string) (wrong []string) {
	for _, link := range regexp.MustCompile(`\]\(([^):#]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(dir, link[1])); err != nil {
			wrong = append(wrong, link[1])
		}
	}
	for _, span := range regexp.MustCompile("`([a-z]*)\\.?([A-Z]\\w*(?:\\.[A-Z]\\w*)?)[`(]").FindAllStringSubmatch(text, -1) {
		known, ours := names[span[1]]
		if span[1] == "" && strings.Contains(span[2], ".") {
			known, ours = slices.Concat(slices.Collect(maps.Values(names))...), true
		}
		if ours && !slices.Contains(known, span[2]) {
			wrong = append(wrong, strings.TrimPrefix(span[1]+"."+span[2], "."))
		}
	}
	return wrong
}

// TestPagesSeeNames shows the check red on what it is there for.
func TestPagesSeeNames(t *testing.T) {
	t.Parallel()
	text := "[a](docs_test.go) [b](gone.md) [c](https://example.org) `x.Do(1)` `x.Did` `other.Name` `T.Is` `T.Was`"
	if got := wrongNames(text, map[string][]string{"x": {"Do", "T.Is"}}, "."); !slices.Equal(got, []string{"gone.md", "x.Did", "T.Was"}) {
		t.Errorf("wrongNames = %v, want gone.md, x.Did and T.Was", got)
	}
}

// documented is what go doc knows of a package.
func documented(t *testing.T, dir string) *doc.Package {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	must(t, err)
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		must(t, err)
		parsed = append(parsed, f)
	}
	d, err := doc.NewFromFiles(set, parsed, dir)
	must(t, err)
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
