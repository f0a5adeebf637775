package scenario

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/mneme-graph/mneme/graph/tree"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

func (r *reader) expect(n ast.Node) Expect {
	// Several keys have values of these kinds.
	e := Expect{Line: tree.Line(n)}
	text := func(what string, to **string) func(ast.Node) {
		return func(n ast.Node) { s := r.Text(what, n); *to = &s }
	}
	number := func(what string, to **int) func(ast.Node) {
		return func(n ast.Node) { i := r.Count(what, n, 0); *to = &i }
	}
	texts := func(what string, to *[]string) func(ast.Node) {
		return func(n ast.Node) { *to = r.Texts(what, n) }
	}
	title := func(what string, to **string) func(ast.Node) {
		return func(n ast.Node) { s := r.title(what, n); *to = &s }
	}

	// The keys of the format; one that is not among them is a mistake.
	r.Object("expect", n, tree.Fields{
		"decision": func(n ast.Node) { d := r.decision(n); e.Decision = &d },
		"target":   title("target", &e.Target),
		"active":   title("active", &e.Active),
		"parked": func(n ast.Node) {
			e.Parked = []string{}
			for _, item := range r.List("parked", n) {
				e.Parked = append(e.Parked, r.title("parked", item))
			}
		},
		"status":             func(n ast.Node) { e.Status = r.status(n) },
		"facts":              func(n ast.Node) { e.Facts = r.facts(n) },
		"facts_contain":      func(n ast.Node) { e.FactsContain = r.factsContain(n) },
		"affairs":            number("affairs", &e.Affairs),
		"tools":              texts("tools", &e.Tools),
		"reply_contains":     texts("reply_contains", &e.ReplyContains),
		"reply_excludes":     texts("reply_excludes", &e.ReplyExcludes),
		"context_contains":   texts("context_contains", &e.ContextContains),
		"context_excludes":   texts("context_excludes", &e.ContextExcludes),
		"context_order":      texts("context_order", &e.ContextOrder),
		"max_context_tokens": number("max_context_tokens", &e.MaxContextTokens),
		"recall":             func(n ast.Node) { e.Recall = r.probes(n) },
		"records":            func(n ast.Node) { e.Records = r.records(n) },
		"max_section_tokens": func(n ast.Node) { e.SectionTokens = r.limits("max_section_tokens", n, sections()) },
		"asked":              func(n ast.Node) { e.Asked = r.limits("asked", n, tasks()) },
		"notes_contain":      texts("notes_contain", &e.Notes),
		"pending_approval":   number("pending_approval", &e.PendingApproval),
		"error":              func(n ast.Node) { r.code(n); text("error", &e.Error)(n) },
	})
	return e
}

// title reads the name of an affair; a /regexp/ must compile.
func (r *reader) title(what string, n ast.Node) string {
	s := r.Text(what, n)
	if _, err := titleMatcher(s); err != nil {
		r.Fail(n, "%s is not a regular expression: %w", what, err)
	}
	return s
}

func (r *reader) decision(n ast.Node) string {
	return r.OneOf("decision", n, string(state.Continue), string(state.Switch), string(state.AdHoc), string(state.NewAffair))
}

func (r *reader) code(n ast.Node) {
	r.OneOf("error", n, string(state.Invalid), string(state.NotFound), string(state.Conflict),
		string(state.Denied), string(state.Unavailable), string(state.Internal))
}

func (r *reader) status(n ast.Node) []Setting {
	var out []Setting
	for _, pair := range r.Pairs("status", n) {
		value := r.OneOf("status", pair.Value, string(state.Active), string(state.Parked), string(state.Resolved), string(state.Archived))
		out = append(out, Setting{r.affairKey(pair), value})
	}
	return out
}

func (r *reader) facts(n ast.Node) []AffairFacts {
	var out []AffairFacts
	for _, pair := range r.Pairs("facts", n) {
		x := AffairFacts{Affair: r.affairKey(pair)}
		for _, fact := range r.Pairs("facts", pair.Value) {
			x.Facts = append(x.Facts, state.Fact{Label: r.Key(fact), Value: r.Text("a fact", fact.Value)})
		}
		out = append(out, x)
	}
	return out
}

func (r *reader) factsContain(n ast.Node) []AffairTexts {
	var out []AffairTexts
	for _, pair := range r.Pairs("facts_contain", n) {
		out = append(out, AffairTexts{r.affairKey(pair), r.Texts("facts_contain", pair.Value)})
	}
	return out
}

func (r *reader) affairKey(pair *ast.MappingValueNode) string {
	title := r.Key(pair)
	if _, err := titleMatcher(title); err != nil {
		r.Fail(pair.Key, "%q is not a regular expression: %w", title, err)
	}
	return title
}

func (r *reader) probes(n ast.Node) []Probe {
	var out []Probe
	for _, item := range r.List("recall", n) {
		p := Probe{In: "all", Rank: 10}
		r.Object("an item of recall", item, tree.Fields{
			"query":    func(n ast.Node) { p.Query = r.Name("query", n) },
			"scope":    func(n ast.Node) { p.In = r.OneOf("scope", n, "current", "session", "all", "kb_only") },
			"as_of":    func(n ast.Node) { p.AsOf = r.time("as_of", n) },
			"contains": func(n ast.Node) { p.Contains = r.Name("contains", n) },
			"absent":   func(n ast.Node) { p.Absent = r.Name("absent", n) },
			"rank":     func(n ast.Node) { p.Rank = r.Count("rank", n, 1) },
		})

		if p.Query == "" || p.Contains == "" && p.Absent == "" {
			r.Fail(item, "an item of recall needs query and one of contains and absent")
		}
		out = append(out, p)
	}
	return out
}

// limits reads numbers by names that are known.
func (r *reader) limits(what string, n ast.Node, known []string) []Limit {
	var out []Limit
	for _, pair := range r.Pairs(what, n) {
		name := r.Key(pair)
		if !slices.Contains(known, name) {
			r.Fail(pair.Key, "%s has no %q; it takes %s", what, name, strings.Join(known, ", "))
		}
		out = append(out, Limit{name, r.Count(what, pair.Value, 0)})
	}
	return out
}

// sections returns the parts of a prompt that can be measured.
func sections() []string {
	return []string{
		compose.System, compose.Brain, compose.Preferences, compose.ActiveContext, compose.SessionSummary, compose.ActiveAffair,
		compose.ParkedAffairs, compose.UserContext, compose.ProjectContext, compose.History, compose.EvidenceLines, compose.Associations,
	}
}

func (r *reader) records(n ast.Node) []RecordCount {
	kinds := append(state.Categories(), state.EventRecord, state.InsightRecord, state.SummaryRecord,
		state.LessonRecord, state.MessageRecord)
	var out []RecordCount
	for _, pair := range r.Pairs("records", n) {
		kind := state.RecordKind(r.Key(pair))
		if !slices.Contains(kinds, kind) {
			r.Fail(pair.Key, "records has no kind %q; it takes %v", kind, kinds)
		}
		out = append(out, RecordCount{kind, r.Count("records", pair.Value, 0)})
	}
	return out
}
