package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"golang.org/x/text/language"

	"github.com/mneme-graph/mneme/graph/tree"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

// Load reads the definitions at a path: a file, or a folder with every file right in it that ends in .yaml or .yml, in the
// order of their names. A path that is not there, and a folder without a definition, are state.ErrNotFound; a mistake is
// state.ErrInvalid with file, line and column, and so is what is no file or a link that leads out of its folder.
func Load(path string) ([]state.Agent, error) {
	folder, names, err := list(path)
	if err != nil {
		return nil, err
	}

	l := loading{tokens: token.New()}
	for _, name := range names {
		text, err := tree.ReadIn(folder, name)
		if err == nil {
			err = l.file(filepath.Join(folder, name), text)
		}
		if err != nil {
			return nil, err
		}
	}
	return l.agents(), nil
}

// Read reads one definition at a node of another file.
func Read(r *tree.Reader, n ast.Node) state.Agent {
	d := &reader{Reader: r}
	return d.agent(n)
}

// list lists the files at a path: their folder, and their names in it.
func list(path string) (folder string, names []string, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", nil, state.Errorf(state.NotFound, "agents "+path, "are not there (%w); name a file of definitions or a folder of them", err)
	case !info.IsDir():
		if file, err := filepath.EvalSymlinks(path); err == nil { // who names a link means what it leads to
			path = file
		}
		return filepath.Dir(path), []string{filepath.Base(path)}, nil
	}

	entries, err := os.ReadDir(path)
	if err != nil {
		return "", nil, state.Errorf(state.Unavailable, "agents "+path, "cannot be read: %w", err)
	}
	for _, e := range entries {
		if ext := strings.ToLower(filepath.Ext(e.Name())); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			names = append(names, e.Name())
		}
	}

	if len(names) == 0 {
		return "", nil, state.Errorf(state.NotFound, "agents "+path, "holds no file that ends in .yaml; name another folder")
	}
	return path, names, nil
}

// placed is a definition and where it stands.
type placed struct {
	state.Agent
	at string
}

// loading is what was read so far.
type loading struct {
	tokens *token.Counter
	all    []placed
}

func (l *loading) agents() []state.Agent {
	out := make([]state.Agent, 0, len(l.all))
	for _, p := range l.all {
		out = append(out, p.Agent)
	}
	return out
}

// file reads the definitions of one file behind those there are.
func (l *loading) file(file string, text []byte) error {
	parsed, err := tree.Parse(file, text)
	if err != nil {
		return err
	}

	before := len(l.all)
	for _, doc := range parsed.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType {
			continue
		}
		r := &reader{Reader: &tree.Reader{File: file}}
		a := r.agent(doc.Body)
		if r.Err == nil {
			l.add(r, a)
		}
		if r.Err != nil {
			return r.Err
		}
	}

	if len(l.all) == before {
		return state.Errorf(state.Invalid, file+":1:1", "holds no definition; it needs at least the keys name and role")
	}
	return nil
}

// add takes a definition that is like no other, and not too long.
func (l *loading) add(r *reader, a state.Agent) {
	if i := slices.IndexFunc(l.all, func(p placed) bool { return p.Name == a.Name }); i >= 0 {
		r.Fail(r.name, "name %q is taken already, at %s; give one of them another name", a.Name, l.all[i].at)
		return
	}
	if err := compose.CheckCores(l.tokens, []state.Agent{a}); err != nil {
		r.Fail(r.name, "%w", err)
		return
	}
	l.all = append(l.all, placed{a, fmt.Sprintf("%s:%d", r.File, tree.Line(r.name))})
}

// reader reads a definition; name is where its name stands.
type reader struct {
	*tree.Reader
	name ast.Node
}

func (r *reader) agent(n ast.Node) state.Agent {
	var a state.Agent
	text := func(key string, to *string) func(ast.Node) {
		return func(n ast.Node) { *to = strings.TrimSpace(r.Text(key, n)) }
	}
	model := func(key string, to *string) func(ast.Node) {
		return func(n ast.Node) { *to = r.Name(key, n) }
	}

	// What is read lands in the field of its key; the first mistake stops the reader.
	r.Object("an agent", n, tree.Fields{
		"name":     func(n ast.Node) { r.name, a.Name = n, r.id(n) },
		"role":     func(n ast.Node) { a.Role = r.role(n) },
		"persona":  text("persona", &a.Persona),
		"style":    text("style", &a.Style),
		"language": func(n ast.Node) { a.Language = r.language(n) },
		"rules":    func(n ast.Node) { a.Rules = r.Texts("rules", n) },
		"models": func(n ast.Node) {
			r.Object("models", n, tree.Fields{"chat": model("chat", &a.Models.Chat), "small": model("small", &a.Models.Small)})
		},
		"autonomy": func(n ast.Node) { a.Autonomy = r.autonomy(n) },
		"writes":   func(n ast.Node) { a.Writes = r.writes(n) },
	})

	if r.Err == nil && (a.Name == "" || a.Role == "") {
		r.Fail(n, "an agent needs the keys name and role; write `name: jaskier` and `role: a travelling singer`")
	}
	return a
}

func (r *reader) id(n ast.Node) string {
	id := r.Name("name", n)
	if err := state.ValidateID("agent", id); err != nil {
		r.Fail(n, "name: %w", err)
	}
	return id
}

func (r *reader) role(n ast.Node) string {
	role := strings.TrimSpace(r.Name("role", n))
	if strings.Contains(role, "\n") {
		r.Fail(n, "role %.40q has several lines; write it in one, and the rest as persona", role)
	}
	return role
}

func (r *reader) language(n ast.Node) string {
	text := r.Name("language", n)
	tag, err := language.Parse(text)
	if err != nil || tag == language.Und {
		r.Fail(n, "language %.40q is not a BCP-47 tag such as cs or pt-BR", text)
	}
	return tag.String()
}

func (r *reader) writes(n ast.Node) []string {
	names := r.Texts("writes", n)
	for _, name := range names {
		if err := state.ValidateID("agent", name); err != nil && name != state.AnyAgent {
			r.Fail(n, "writes: %w", err)
		}
	}
	return names
}

func (r *reader) autonomy(n ast.Node) *int {
	level := r.Count("autonomy", n, 0)
	if level > 3 {
		r.Fail(n, "autonomy does not accept \"%d\"; it takes 0 (read-only), 1 (suggest), 2 or 3", level)
	}
	return &level
}
