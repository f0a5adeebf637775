package scenario

import (
	"strings"

	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/mneme-graph/mneme/graph/tree"
	"github.com/mneme-graph/mneme/state"
)

func (r *reader) turn(n ast.Node) Turn {
	// The keys of the format: what is said and done, how it is to be said, what is expected.
	t := Turn{Line: tree.Line(n)}
	p := &t.Request.Preferences
	r.Object("a turn", n, tree.Fields{
		"user":       func(n ast.Node) { text := r.Text("user", n); t.User = &text },
		"command":    func(n ast.Node) { t.Command = r.command(n) },
		"at":         func(n ast.Node) { t.At = r.advance(n) },
		"session":    func(n ast.Node) { t.Scope.Session = r.Name("session", n) },
		"scope":      func(n ast.Node) { t.Scope = r.scope(n).Merge(t.Scope) },
		"restart":    func(n ast.Node) { t.Restart = r.Flag("restart", n) },
		"model":      func(n ast.Node) { t.Model = r.steps(n) },
		"background": func(n ast.Node) { r.background(n, &t) },
		"fail":       func(n ast.Node) { t.Fail = append(t.Fail, r.tasks("fail", n, "respond")...) },
		"hang":       func(n ast.Node) { t.Hang = r.tasks("hang", n) },
		"damage":     func(n ast.Node) { t.Damage = r.damage(n) },
		"crash":      func(n ast.Node) { t.Crash = r.crash(n) },
		"approve":    func(n ast.Node) { t.Approve = r.approve(n) },

		"preferred_language": func(n ast.Node) { p.Language = r.Text("preferred_language", n) },
		"tone":               func(n ast.Node) { p.Tone = state.Tone(r.Text("tone", n)) },
		"style_notes":        func(n ast.Node) { p.StyleNotes = r.Text("style_notes", n) },
		"preference_scope":   func(n ast.Node) { p.Scope = state.PreferenceScope(r.Text("preference_scope", n)) },
		"store_knowledge":    func(n ast.Node) { stores := r.Flag("store_knowledge", n); t.Request.StoreKnowledge = &stores },
		"extra_context":      func(n ast.Node) { t.Request.ExtraContext = r.extra(n) },
		"expect":             func(n ast.Node) { t.Expect = r.expect(n) },
	})
	r.sensible(n, t)
	return t
}

// sensible refuses combinations of keys that mean nothing.
func (r *reader) sensible(n ast.Node, t Turn) {
	judges := t.Background != nil || t.Fail != nil || t.Hang != nil
	speaks := t.Model != nil || t.Crash != nil
	switch {
	case t.User != nil && t.Command != "":
		r.Fail(n, "a turn has either user or command, not both")
	case t.User == nil && t.Command == "" && t.At == 0 && !t.Restart && t.Damage == nil && t.Approve == "":
		r.Fail(n, "a turn without user needs at, restart, damage, approve or command")
	case t.User == nil && t.Request.brings():
		r.Fail(n, "preferences, store_knowledge and extra_context need a turn with user")
	case t.User == nil && t.Approve == "" && speaks:
		r.Fail(n, "model and crash need a turn with user")
	case t.User == nil && t.Approve == "" && t.Command == "" && judges:
		r.Fail(n, "background, fail and hang need a turn with user or command")
	}
}

// extra reads what a message brings. Its values are checked where the message is taken in, so that a scenario may show what is refused.
func (r *reader) extra(n ast.Node) (x state.ExtraContext) {
	r.Object("extra_context", n, tree.Fields{
		"links": func(n ast.Node) { x.Links = r.Texts("links", n) },
		"paths": func(n ast.Node) { x.Paths = r.Texts("paths", n) },
		"notes": func(n ast.Node) { x.Notes = r.Texts("notes", n) },
		"files": func(n ast.Node) {
			for _, pair := range r.Pairs("files", n) {
				x.Files = append(x.Files, state.Attachment{Name: r.Key(pair), Text: r.Text("a file", pair.Value)})
			}
		},
	})
	return x
}

// command reads a chat command; a title may stand behind it.
func (r *reader) command(n ast.Node) string {
	line := r.Text("command", n)
	if name, title, _ := strings.Cut(line, " "); title != "" && (name == "/new" || name == "/rename" || name == "/affair") {
		return line
	}
	return r.OneOf("command", n, Commands()...)
}

func (r *reader) steps(n ast.Node) []Step {
	steps := []Step{}
	for _, item := range r.List("model", n) {
		steps = append(steps, r.step(item))
	}
	return steps
}

// step reads one answer of the chat model: exactly one of say, call (with args) and calls.
func (r *reader) step(n ast.Node) Step {
	var s Step
	var single *Call
	kinds := 0
	r.Object("a step of model", n, tree.Fields{
		"say":  func(n ast.Node) { s.Say = r.Text("say", n); kinds++ },
		"call": func(ast.Node) { single = &Call{}; kinds++ },
		"args": func(ast.Node) {},
		"calls": func(n ast.Node) {
			for _, item := range r.List("calls", n) {
				s.Calls = append(s.Calls, r.call(item))
			}
			kinds++
		},
	})

	switch {
	case kinds != 1:
		r.Fail(n, "a step of model has exactly one of say, call and calls")
	case single != nil:
		s.Calls = []Call{r.call(n)}
	case r.has(n, "args"):
		r.Fail(n, "args stand without call; name the tool")
	}
	return s
}

func (r *reader) call(n ast.Node) Call {
	c := Call{Args: "{}"}
	r.Object("an item of calls", n, tree.Fields{
		"call": func(n ast.Node) {
			if _, one := r.Plain(n).(ast.ScalarNode); !one {
				r.Fail(n, "call is the name of the tool; write `call: NAME` and `args: {...}` beside it")
			}
			c.Name = r.Name("call", n)
		},
		"args": func(n ast.Node) { c.Args = r.raw(n) },
	})
	if c.Name == "" {
		r.Fail(n, "an item of calls needs call, the name of the tool")
	}
	return c
}

func (r *reader) has(n ast.Node, key string) bool {
	return slices.ContainsFunc(r.Pairs("object", n), func(p *ast.MappingValueNode) bool { return r.Key(p) == key })
}

// raw reads a text as it is and anything else as JSON.
func (r *reader) raw(n ast.Node) string {
	switch x := r.Plain(n).(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return r.Text("value", x)
	default:
		return r.JSON(n)
	}
}

func (r *reader) background(n ast.Node, t *Turn) {
	known := tree.Fields{"fail": func(n ast.Node) { t.Fail = append(t.Fail, r.tasks("fail", n, "respond")...) }}
	for _, task := range tasks() {
		known[task] = func(n ast.Node) { t.Background = append(t.Background, Answer{task, r.raw(n)}) }
	}
	r.Object("background", n, known)
}

// tasks reads a list of tasks of the small model, and of what else may stand there.
func (r *reader) tasks(key string, n ast.Node, besides ...string) []string {
	var out []string
	for _, item := range r.List(key, n) {
		out = append(out, r.OneOf(key, item, append(tasks(), besides...)...))
	}
	return out
}

func (r *reader) damage(n ast.Node) []Damage {
	var out []Damage
	for _, pair := range r.Pairs("damage", n) {
		c := state.Collection(r.Key(pair))
		if all := []state.Collection{state.Sessions, state.Affairs, state.Records, state.Messages}; !slices.Contains(all, c) {
			r.Fail(pair.Key, "damage has no collection %q; it takes %v", c, all)
		}
		out = append(out, Damage{c, r.Name("damage", pair.Value)})
	}
	return out
}

func (r *reader) approve(n ast.Node) string {
	switch r.Plain(n).(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return r.JSON(n)
	}
	switch r.OneOf("approve", n, "yes", "no", "true", "false") {
	case "yes", "true":
		return "yes"
	default:
		return "no"
	}
}
