package scenario

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/mneme-graph/mneme/graph/agents"
	"github.com/mneme-graph/mneme/graph/tree"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

// Parse reads every scenario of a file; file is its name in errors and results. Unknown keys, unknown
// values and a file without a scenario are Invalid errors that name file, line, key and value.
func Parse(file string, data []byte) ([]Scenario, error) {
	parsed, err := tree.Parse(file, data)
	if err != nil {
		return nil, err
	}

	var all []Scenario
	for _, doc := range parsed.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType {
			continue
		}
		r := &reader{tree.Reader{File: file, Hint: hint}}
		s := r.scenario(doc.Body)
		if r.Err != nil {
			return nil, r.Err
		}
		all = append(all, s)
	}

	if len(all) == 0 {
		return nil, state.Errorf(state.Invalid, file, "holds no scenario; it needs at least a key turns")
	}
	return all, nil
}

// reader makes a scenario of a document.
type reader struct{ tree.Reader }

func (r *reader) scenario(n ast.Node) Scenario {
	// Without a name it is called as its file is.
	s := Scenario{
		File: r.File, Line: tree.Line(n), Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Name: strings.TrimSuffix(filepath.Base(r.File), filepath.Ext(r.File)),
	}

	// What is read lands in the field of its key; the first mistake stops the reader.
	r.Object("a scenario", n, tree.Fields{
		"name":     func(n ast.Node) { s.Name = r.Name("name", n) },
		"language": func(n ast.Node) { s.Language = r.language(n) },
		"now":      func(n ast.Node) { s.Now = r.time("now", n) },
		"scope":    func(n ast.Node) { s.Scope = r.scope(n) },
		"settings": func(n ast.Node) { s.Settings = r.settings(n) },
		"agents": func(n ast.Node) {
			for _, item := range r.List("agents", n) {
				s.Agents = append(s.Agents, agents.Read(&r.Reader, item))
			}
			r.cores(n, s.Agents)
		},
		"turns": func(n ast.Node) {
			for _, item := range r.List("turns", n) {
				s.Turns = append(s.Turns, r.turn(item))
			}
		},
	})
	s.Scope = s.Scope.Default()
	if len(s.Turns) == 0 {
		r.Fail(n, "the scenario has no turns")
	}
	return s
}

// cores refuses agents that no turn can be made with.
func (r *reader) cores(n ast.Node, all []state.Agent) {
	if err := compose.CheckCores(token.New(), all); r.Err == nil && err != nil {
		r.Fail(n, "agents: %w", err)
	}
}

func (r *reader) language(n ast.Node) string {
	tag := r.Name("language", n)
	if !regexp.MustCompile(`^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8})*$`).MatchString(tag) {
		r.Fail(n, "language %q is not a BCP-47 tag such as cs or pt-BR", tag)
	}
	return tag
}

func (r *reader) time(what string, n ast.Node) time.Time {
	text := r.Text(what, n)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		r.Fail(n, "%s does not accept %q; write a time such as 2026-02-15T21:00:00Z", what, text)
	}
	return at
}

// advance reads a duration such as +5m or 36h; +3d is three times 24 hours.
func (r *reader) advance(n ast.Node) time.Duration {
	text := r.Text("at", n)
	bare := strings.TrimPrefix(text, "+")
	if days, ok := strings.CutSuffix(bare, "d"); ok {
		if count, err := strconv.Atoi(days); err == nil {
			bare = strconv.Itoa(count*24) + "h"
		}
	}
	d, err := time.ParseDuration(bare)
	if err != nil || d < 0 {
		r.Fail(n, "at does not accept %q; write how far the clock moves on, such as +5m", text)
	}
	return d
}

func (r *reader) scope(n ast.Node) state.Scope {
	var s state.Scope
	part := func(name string, to *string) func(ast.Node) {
		return func(n ast.Node) {
			*to = r.Text(name, n)
			if err := state.ValidateID(name, *to); err != nil {
				r.Fail(n, "%w", err)
			}
		}
	}
	r.Object("scope", n, tree.Fields{
		"client": part("client", &s.Client), "project": part("project", &s.Project), "user": part("user", &s.User),
		"agent": part("agent", &s.Agent), "session": part("session", &s.Session),
	})
	return s
}

func (r *reader) settings(n ast.Node) []Setting {
	var out []Setting
	try := state.DefaultSettings()
	for _, pair := range r.Pairs("settings", n) {
		x := Setting{r.Key(pair), r.Text("a setting", pair.Value)}
		if err := try.Set(x.Name, x.Value); err != nil {
			r.Fail(pair.Key, "%w", err)
		}
		out = append(out, x)
	}
	return out
}
