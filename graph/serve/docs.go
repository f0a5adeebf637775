package serve

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsPage shows the operations to people, without a script and without anything from elsewhere.
//
//nolint:gochecknoglobals // a constant that is parsed once
var docsPage = template.Must(template.New("docs").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.Title}}</title><h1>{{.Title}} {{.Version}}</h1><p>{{.Says}}</p><p>The whole of it, for programs: <a href="/openapi.json">/openapi.json</a>.</p>
{{range .Groups}}<h2>{{.Name}}</h2><dl>{{range .Of}}<dt><code>{{.Method}} {{.Path}}</code></dt><dd>{{.Summary}}{{range .Description}}<br>{{.}}{{end}}</dd>{{end}}</dl>{{end}}</html>`))

type docGroup struct {
	Name string
	Of   []docOperation
}

type docOperation struct {
	Method, Path, Summary string
	Description           []string
}

// docs is the description of the API for people.
func (s *Server) docs(w http.ResponseWriter, _ *http.Request) {
	api := s.api.OpenAPI()
	groups := map[string][]docOperation{}
	for path, item := range api.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op != nil {
				groups[op.Tags[0]] = append(groups[op.Tags[0]], docOperation{method, path, op.Summary, strings.Split(op.Description, "\n\n")})
			}
		}
	}
	var all []docGroup
	for name, of := range groups {
		slices.SortFunc(of, func(a, b docOperation) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
		all = append(all, docGroup{name, of})
	}
	slices.SortFunc(all, func(a, b docGroup) int { return strings.Compare(a.Name, b.Name) })
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = docsPage.Execute(w, map[string]any{"Title": api.Info.Title, "Version": api.Info.Version, "Says": api.Info.Description, "Groups": all}) // the reader may be gone
}
