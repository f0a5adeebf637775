package vault

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// reading is what memory holds of a user while it is exported or compared.
type reading struct {
	m        *memory.Memory
	scope    state.Scope
	records  map[string]state.Record // by id
	lines    map[string]string       // ids of records, by those of their lines
	sessions []state.Session         // last used first
	titles   map[string]string       // of affairs, by id
	parts    []part                  // of sessions, in the order of their files
	said     []state.Message         // of the session that was read last
	saidIn   string
}

// part is a part of a session and its file.
type part struct {
	agent   string
	session string
	name    string // DATE_NNN
	span    state.Span
	next    int64  // the number of the first message of the part behind it, 0 = there is none
	record  string // id of its summary, "" = there is none yet
}

// readMemory reads a user's records, sessions and affairs.
func readMemory(ctx context.Context, m *memory.Memory, scope state.Scope) (*reading, error) {
	v := &reading{m: m, scope: scope, records: map[string]state.Record{}, lines: map[string]string{}, titles: map[string]string{}}
	records, err := m.Records(ctx, scope)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		v.records[r.ID], v.lines[lineID(r.ID)] = r, r.ID
	}
	if v.sessions, err = m.Sessions().List(ctx, scope); err != nil {
		return nil, err
	}
	affairs, err := m.Affairs().List(ctx, scope, true)
	if err != nil {
		return nil, err
	}
	for _, a := range affairs {
		v.titles[a.ID] = a.Title
	}
	v.nameParts()
	return v, nil
}

// nameParts lists the parts of all sessions and gives them the names of their files: the day they began and a number of that day.
func (v *reading) nameParts() {
	// A part may be known twice, by its record and by its session: the first counts.
	bySession := map[string][]part{}
	add := func(p part) {
		known := slices.ContainsFunc(bySession[p.session], func(o part) bool { return o.span.First == p.span.First })
		if !known && p.span.First > 0 {
			bySession[p.session] = append(bySession[p.session], p)
		}
	}

	// Parts that have a summary, then those whose end is under way, then the one that goes on.
	for _, id := range slices.Sorted(maps.Keys(v.records)) {
		if r := v.records[id]; r.Span != nil && r.Span.Level == 0 && r.ValidTo == nil {
			add(part{agent: cmp.Or(r.Agent, state.DefaultAgent), session: r.Session, span: *r.Span, record: r.ID})
		}
	}
	for _, s := range v.sessions {
		agent := cmp.Or(s.Agent, state.DefaultAgent)
		for _, span := range s.Ending {
			add(part{agent: agent, session: s.ID, span: span})
		}
		if s.Messages >= s.First() {
			add(part{agent: agent, session: s.ID, span: state.Span{Part: s.Part, First: s.First(), StartedAt: cmp.Or(s.PartAt, s.StartedAt)}})
		}
	}

	// Each part ends where the next one of its session begins.
	for _, list := range bySession {
		slices.SortFunc(list, func(a, b part) int { return cmp.Compare(a.span.First, b.span.First) })
		for i := range list[:len(list)-1] {
			list[i].next = list[i+1].span.First
		}
		v.parts = append(v.parts, list...)
	}

	// The names follow from the order of all parts, so that every export gives the same ones.
	slices.SortFunc(v.parts, func(a, b part) int {
		return cmp.Or(a.span.StartedAt.Compare(b.span.StartedAt), cmp.Compare(a.session, b.session), cmp.Compare(a.span.First, b.span.First))
	})
	type day struct{ agent, date string }
	count := map[day]int{}
	for i := range v.parts {
		p := &v.parts[i]
		d := day{p.agent, p.span.StartedAt.UTC().Format("2006-01-02")}
		count[d]++
		p.name = d.date + "_" + number(count[d])
	}
}

// agents returns those who have a part of a session with the user; with none it is the scope's.
func (v *reading) agents() []string {
	names := map[string]bool{}
	for _, p := range v.parts {
		names[p.agent] = true
	}
	if len(names) == 0 {
		names[v.scope.Agent] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// language returns the one that the user spoke last with an agent.
func (v *reading) language(agent string) string {
	for _, s := range v.sessions {
		if cmp.Or(s.Agent, state.DefaultAgent) == agent && s.Language != "" {
			return s.Language
		}
	}
	return "en"
}

// today returns the record that holds in the place of another: itself, or what replaced it.
func (v *reading) today(r state.Record) (state.Record, bool) {
	for range len(v.records) {
		if r.ValidTo == nil {
			return r, true
		}
		next, ok := v.records[r.ReplacedBy]
		if !ok {
			return r, false
		}
		r = next
	}
	return r, false
}
