package e2e_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateAPI = flag.Bool("api", false, "write testdata/api.txt anew")

// TestAPIIsAsListed shows each change of what other modules may use: a line for each exported name of each package that they can import. After a
// change that is meant: go test ./e2e -run TestAPIIsAsListed -api
func TestAPIIsAsListed(t *testing.T) {
	t.Parallel()
	const list = "testdata/api.txt"
	var got []string
	for pkg, dir := range publicPackages(t) {
		for _, exported := range exportedNames(t, dir) {
			got = append(got, pkg+"."+exported)
		}
	}
	slices.Sort(got)
	text := strings.Join(got, "\n") + "\n"
	if *updateAPI {
		must(t, os.WriteFile(list, []byte(text), 0o600))
	}
	want, err := os.ReadFile(list)
	must(t, err)
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("the API is not that of %s (-list +code); see this test on how to write it anew:\n%s", list, diff)
	}
}

// publicPackages are the folders of the packages that other modules can import, by path below the module.
func publicPackages(t *testing.T) map[string]string {
	t.Helper()
	dirs := map[string]string{}
	for _, line := range goList(t, "-f", "{{.ImportPath}} {{.Name}} {{.Dir}}", "./...") {
		pkg, rest, _ := strings.Cut(line, " ")
		name, dir, _ := strings.Cut(rest, " ")
		if below := strings.TrimPrefix(pkg, module); name != "main" && !strings.Contains(pkg, "/internal/") && !within(below, "e2e") {
			dirs[below] = dir
		}
	}
	return dirs
}

// exportedNames are the names that a package exports, methods as Type.Method, fields of structs as Type.Field.
func exportedNames(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	must(t, err)
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		must(t, err)
		for _, decl := range parsed.Decls {
			names = append(names, exportedBy(decl)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func exportedBy(decl ast.Decl) (names []string) {
	add := func(within string, ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, within+id.Name)
			}
		}
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		within := receiverName(d)
		if within == "" || ast.IsExported(within) {
			add(strings.TrimPrefix(within+".", "."), d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				add("", s.Names...)
			case *ast.TypeSpec:
				add("", s.Name)
				if str, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
					for _, f := range str.Fields.List {
						add(s.Name.Name+".", f.Names...)
					}
				}
			}
		}
	}
	return names
}

// receiverName is the type that a method is of, "" for a function.
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	at := d.Recv.List[0].Type
	for {
		switch of := at.(type) {
		case *ast.StarExpr:
			at = of.X
		case *ast.IndexExpr:
			at = of.X
		case *ast.IndexListExpr:
			at = of.X
		case *ast.Ident:
			return of.Name
		default:
			return ""
		}
	}
}
