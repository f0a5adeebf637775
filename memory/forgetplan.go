package memory

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/memory/mind"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// kept is a document of the user with its value.
type keptDoc[T any] struct {
	key string // without the user's part
	rev int64
	v   T
}

// keptDocs are all documents of a user that are text.
type keptDocs struct {
	sessions []keptDoc[state.Session]
	affairs  []keptDoc[state.Affair]
	records  []keptDoc[state.Record]
	messages []keptDoc[state.Message]
}

func readAll[T any](ctx context.Context, m *Memory, scope state.Scope, c state.Collection) (out []keptDoc[T], err error) {
	for after := ""; ; {
		docs, err := m.c.Store.Scan(ctx, store.Query{Collection: c, Prefix: scope.UserPrefix(), After: after, Limit: textsAtOnce})
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			after = doc.ID
			v, err := ledger.Decode[T](doc)
			if err != nil {
				return nil, err
			}
			out = append(out, keptDoc[T]{strings.TrimPrefix(doc.ID, scope.UserPrefix()), doc.Rev, v})
		}
		if len(docs) < textsAtOnce {
			return out, nil
		}
	}
}

func (m *Memory) readKept(ctx context.Context, scope state.Scope) (k keptDocs, err error) {
	var errs [4]error
	k.sessions, errs[0] = readAll[state.Session](ctx, m, scope, state.Sessions)
	k.affairs, errs[1] = readAll[state.Affair](ctx, m, scope, state.Affairs)
	k.records, errs[2] = readAll[state.Record](ctx, m, scope, state.Records)
	k.messages, errs[3] = readAll[state.Message](ctx, m, scope, state.Messages)
	return k, errors.Join(errs[:]...)
}

// erasure is what is to be erased, as it is found out. Keys are without the user's part.
type erasure struct {
	m     *Memory
	scope state.Scope
	kept  keptDocs

	pinned                               bool // pinned records go too
	whole                                bool // everything goes
	messages, records, affairs, sessions map[string]bool
	remake                               map[string]bool // "collection/key"
	threads                              []string
	f                                    forgotten
}

// planErasure finds out what is meant and everything that is derived from it.
func (m *Memory) planErasure(ctx context.Context, scope state.Scope, kind string, what What) (*erasure, error) {
	kept, err := m.readKept(ctx, scope)
	if err != nil {
		return nil, err
	}
	p := &erasure{
		m: m, scope: scope, kept: kept, pinned: what.Pinned, messages: map[string]bool{}, records: map[string]bool{}, affairs: map[string]bool{},
		sessions: map[string]bool{}, remake: map[string]bool{},
	}
	switch kind {
	case "user", "client":
		p.whole = true
		return p, nil
	case "record":
		err = p.meanRecord(what)
	case "topic":
		p.meanTopic(what.Topic)
	case "affair":
		err = p.meanAffair(ctx, what.Affair)
	case "session", "clear session":
		p.meanSession(what.Session, kind == "session")
	case "clear global":
		for _, r := range kept.records {
			if r.v.Affair == "" && r.v.Span == nil {
				p.takeRecord(r)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if len(p.messages)+len(p.records)+len(p.affairs)+len(p.sessions) == 0 {
		return nil, orNotFound(kind, what)
	}
	p.close()
	return p, nil
}

// takeRecord takes a record in, unless it is pinned and stays. What is made of others is no pin's: an L1 and an L2 are pinned by nobody.
func (p *erasure) takeRecord(r keptDoc[state.Record]) bool {
	if r.v.Pinned && !p.pinned && r.v.Span == nil {
		return false
	}
	p.records[r.key] = true
	return true
}

func (p *erasure) meanRecord(what What) error {
	for _, r := range p.kept.records {
		if r.key != what.Record {
			continue
		}
		if !p.takeRecord(r) {
			return state.Errorf(state.Conflict, "forget record "+what.Record, "it is pinned; unpin it, or say that pinned ones go too")
		}
		for _, msg := range p.kept.messages {
			said := r.v.Source.Message != "" && msg.v.ID == r.v.Source.Message || r.v.Source.Turn != "" && msg.v.Turn == r.v.Source.Turn
			if said && sessionOf(msg.key) == r.v.Session && msg.v.Role == state.RoleUser {
				p.messages[msg.key] = true
			}
		}
		return nil
	}
	return nil
}

// meanTopic takes in what has all telling words of a topic.
func (p *erasure) meanTopic(topic string) {
	asked := text.Terms(topic)
	if len(asked) == 0 {
		return
	}
	about := func(s string) bool {
		has := text.Terms(s)
		return !slices.ContainsFunc(asked, func(a string) bool {
			return !slices.ContainsFunc(has, func(h string) bool { return text.Akin(a, h, 3) })
		})
	}
	for _, r := range p.kept.records {
		if r.v.Span == nil && about(mind.RecordText(r.v)) {
			p.takeRecord(r)
		}
	}
	for _, a := range p.kept.affairs {
		if about(a.v.Title + "\n" + strings.Join(a.v.Topics, "\n")) {
			p.takeAffair(a.v.ID)
		}
	}
	for _, msg := range p.kept.messages {
		if about(messageWords(msg.v)) {
			p.messages[msg.key] = true
		}
	}
}

func (p *erasure) meanAffair(ctx context.Context, name string) error {
	a, err := p.m.named(ctx, p.scope, name)
	if err != nil {
		return err
	}
	p.takeAffair(a.ID)
	return nil
}

// takeAffair takes an affair in, with those that were merged into it or which it was merged into, and all that is filed under it.
func (p *erasure) takeAffair(id string) {
	if p.affairs[id] {
		return
	}
	p.affairs[id] = true
	for _, a := range p.kept.affairs {
		if a.v.MergedInto == id || a.v.ID == id && a.v.MergedInto != "" && !p.affairs[a.v.MergedInto] {
			p.takeAffair(map[bool]string{true: a.v.ID, false: a.v.MergedInto}[a.v.MergedInto == id])
		}
	}
	for _, msg := range p.kept.messages {
		if msg.v.Affair == id {
			p.messages[msg.key] = true
		}
	}
	for _, r := range p.kept.records {
		if r.v.Affair == id && r.v.Span == nil {
			p.takeRecord(r)
		}
	}
}

// meanSession takes in what was said in a session; with learnt what was learnt from it about the user too.
func (p *erasure) meanSession(id string, learnt bool) {
	if id == "" {
		id = p.scope.Session
	}
	for _, s := range p.kept.sessions {
		p.sessions[s.key] = p.sessions[s.key] || s.key == id
	}
	for _, msg := range p.kept.messages {
		if sessionOf(msg.key) == id {
			p.messages[msg.key] = true
		}
	}
	for _, r := range p.kept.records {
		own := r.v.About == state.AboutUser || r.v.Kind == state.PreferenceRecord
		if r.v.Session == id && (r.v.Span != nil && r.v.Span.Level == 0 || learnt || !own) {
			p.takeRecord(r)
		}
	}
	p.threads = append(p.threads, id)
}

// close takes in all that is derived from what is meant, and notes what is to be made again.
func (p *erasure) close() {
	for range closeRounds {
		before := len(p.messages) + len(p.records) + len(p.affairs)
		p.takeTurns()
		p.takeDerived()
		p.learn()
		p.takeSaying()
		p.dropEmptyAffairs()
		if len(p.messages)+len(p.records)+len(p.affairs) == before {
			break
		}
	}
	p.learn()
	p.noteRemakes()
}

// closeRounds bounds how often what was found leads to more.
const closeRounds = 8

func sessionOf(key string) string {
	session, _, _ := strings.Cut(key, "/")
	return session
}

func turnKey(msg keptDoc[state.Message]) string { return sessionOf(msg.key) + "/" + msg.v.Turn }

// takeTurns takes in the rest of each turn: all of it if what the user said goes, else what was answered.
func (p *erasure) takeTurns() {
	asked, answered := map[string]bool{}, map[string]bool{}
	for _, msg := range p.kept.messages {
		if p.messages[msg.key] && msg.v.Turn != "" {
			asked[turnKey(msg)] = asked[turnKey(msg)] || msg.v.Role == state.RoleUser
			answered[turnKey(msg)] = true
		}
	}
	for _, msg := range p.kept.messages {
		if asked[turnKey(msg)] || answered[turnKey(msg)] && msg.v.Role != state.RoleUser {
			p.messages[msg.key] = true
		}
	}
}

// takeDerived takes in records that were made of messages which go, where whole conversations go.
func (p *erasure) takeDerived() {
	if len(p.affairs) == 0 && len(p.threads) == 0 {
		return
	}
	said, turns := map[string]bool{}, map[string]bool{}
	for _, msg := range p.kept.messages {
		if p.messages[msg.key] && p.affairs[msg.v.Affair] {
			said[sessionOf(msg.key)+"/"+msg.v.ID], turns[turnKey(msg)] = true, msg.v.Turn != ""
		}
	}
	for _, r := range p.kept.records {
		if r.v.Span == nil && (said[r.v.Session+"/"+r.v.Source.Message] || turns[r.v.Session+"/"+r.v.Source.Turn]) {
			p.takeRecord(r)
		}
	}
}

// learn learns what the texts that go say.
func (p *erasure) learn() {
	var gone, records, stays []string
	for _, r := range p.kept.records {
		switch {
		case p.records[r.key] && r.v.Span == nil:
			records = append(records, mind.RecordText(r.v))
		case r.v.Span == nil:
			stays = append(stays, mind.RecordText(r.v))
		}
	}
	for _, msg := range p.kept.messages {
		switch {
		case p.messages[msg.key] && msg.v.Role == state.RoleUser:
			gone = append(gone, messageWords(msg.v))
		case !p.messages[msg.key] && msg.v.Role == state.RoleUser:
			stays = append(stays, messageWords(msg.v))
		}
	}
	p.f = forgotten{}
	p.f.learn(gone, records, stays)
}

// messageWords is all text of a message.
func messageWords(msg state.Message) string {
	parts := []string{msg.FullText(), msg.Reasoning, msg.System}
	for _, c := range msg.ToolCalls {
		parts = append(parts, c.Arguments)
	}
	for _, key := range msg.Metadata {
		parts = append(parts, key)
	}
	if _, extra := withExtra(msg); len(extra) > 0 {
		for _, x := range extra {
			parts = append(parts, x.Label, x.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// takeSaying takes in messages and records that say what goes.
func (p *erasure) takeSaying() {
	for _, msg := range p.kept.messages {
		if !p.messages[msg.key] && p.f.in(messageWords(msg.v)) {
			p.messages[msg.key] = true
		}
	}
	for _, r := range p.kept.records {
		if !p.records[r.key] && r.v.Span == nil && p.f.in(mind.RecordText(r.v)) {
			p.takeRecord(r)
		}
	}
}

// dropEmptyAffairs takes in affairs of which all messages go, unless somebody named them himself.
func (p *erasure) dropEmptyAffairs() {
	left, had := map[string]bool{}, map[string]bool{}
	for _, msg := range p.kept.messages {
		if msg.v.Affair != "" {
			had[msg.v.Affair] = true
			left[msg.v.Affair] = left[msg.v.Affair] || !p.messages[msg.key]
		}
	}
	for _, a := range p.kept.affairs {
		if had[a.v.ID] && !left[a.v.ID] && len(a.v.Absorbed) == 0 && (a.v.TitleBy != state.TitleByUser || p.f.in(a.v.Title)) {
			p.takeAffair(a.v.ID)
		}
	}
}

// noteRemakes notes what stays and was made of what goes.
func (p *erasure) noteRemakes() {
	hit := map[string]bool{} // affairs
	for _, msg := range p.kept.messages {
		if p.messages[msg.key] {
			hit[msg.v.Affair] = true
		}
	}
	for _, r := range p.kept.records {
		if p.records[r.key] {
			hit[r.v.Affair] = true
		}
	}
	for _, a := range p.kept.affairs {
		into := a.v.MergedInto != "" && hit[a.v.MergedInto] || slices.ContainsFunc(a.v.Absorbed, func(id string) bool { return hit[id] })
		related := slices.ContainsFunc(a.v.Related, func(id string) bool { return p.affairs[id] })
		if !p.affairs[a.key] && (hit[a.v.ID] || into || related || p.f.in(affairWords(a.v))) {
			p.remake[string(state.Affairs)+"/"+a.key] = true
		}
	}
	p.noteSummaries()
	for _, s := range p.kept.sessions {
		words := s.v.Title + "\n" + s.v.Summary
		for _, value := range s.v.Preferences {
			words += "\n" + value
		}
		told := slices.ContainsFunc(p.kept.messages, func(msg keptDoc[state.Message]) bool {
			return p.messages[msg.key] && sessionOf(msg.key) == s.key && msg.v.Preferences != nil
		})
		if !p.sessions[s.key] && (p.affairs[s.v.Active] || p.records[s.v.SummaryID] || told || p.f.in(words)) {
			p.remake[string(state.Sessions)+"/"+s.key] = true
		}
	}
	for _, msg := range p.kept.messages {
		if !p.messages[msg.key] && p.f.in(msg.v.Why) {
			p.remake[string(state.Messages)+"/"+msg.key] = true
		}
	}
}

func affairWords(a state.Affair) string {
	words := []string{a.Title, a.Summary, strings.Join(a.Topics, "\n"), strings.Join(a.PendingActions, "\n")}
	for _, f := range a.KeyFacts {
		words = append(words, f.Label+": "+f.Value)
	}
	for _, f := range a.PastFacts {
		words = append(words, f.Label+": "+f.Value)
	}
	return strings.Join(words, "\n")
}

// noteSummaries notes the summaries of parts of sessions that cover what goes, and those made of them; one of which nothing is left goes.
func (p *erasure) noteSummaries() {
	again := map[string]bool{}
	for level := range 3 {
		for _, r := range p.kept.records {
			if r.v.Span == nil || r.v.Span.Level != level || p.records[r.key] {
				continue
			}
			hit, left := p.f.in(spanWords(r.v)), level > 0
			for _, msg := range p.kept.messages {
				if in := level == 0 && sessionOf(msg.key) == r.v.Session && msg.v.Seq >= r.v.Span.First && msg.v.Seq <= max(r.v.Span.Last, r.v.Span.Covered); in {
					hit, left = hit || p.messages[msg.key], left || !p.messages[msg.key]
				}
			}
			if level > 0 {
				hit = hit || slices.ContainsFunc(r.v.Span.Of, func(id string) bool { return again[id] || p.records[id] })
				left = slices.ContainsFunc(r.v.Span.Of, func(id string) bool { return !p.records[id] })
			}
			switch {
			case hit && !left:
				p.records[r.key] = true
			case hit:
				again[r.key], p.remake[string(state.Records)+"/"+r.key] = true, true
			}
		}
	}
}

func spanWords(r state.Record) string {
	words := []string{r.Subject, r.Content, r.Span.Digest, r.Span.Earlier, strings.Join(r.Span.Topics, "\n")}
	for _, f := range r.Span.KeyFacts {
		words = append(words, f.Label+": "+f.Value)
	}
	return strings.Join(words, "\n")
}

// fill writes what was found into an order, and its layers as they would be counted.
func (p *erasure) fill(ctx context.Context, o *state.Order) error {
	o.Whole = p.whole
	if p.whole {
		for _, r := range p.kept.records {
			if r.v.Pinned && r.v.Span == nil && !p.pinned {
				o.Spared = append(o.Spared, string(state.Records)+"/"+r.key)
			}
		}
		for _, l := range []struct {
			name string
			n    int
		}{
			{"sessions", len(p.kept.sessions)}, {"messages", len(p.kept.messages)}, {"affairs", len(p.kept.affairs)}, {"records", len(p.kept.records) - len(o.Spared)},
		} {
			o.Plan(l.name, l.n)
		}
		return nil
	}
	for _, of := range []struct {
		c    state.Collection
		keys map[string]bool
	}{{state.Messages, p.messages}, {state.Records, p.records}, {state.Affairs, p.affairs}, {state.Sessions, p.sessions}} {
		refs := refsOf(of.c, of.keys)
		o.Erase = append(o.Erase, refs...)
		o.Plan(string(of.c), len(refs))
	}
	for ref := range p.remake {
		o.Remake = append(o.Remake, ref)
	}
	slices.SortFunc(o.Remake, remakeOrder)
	o.Plan("made again", len(o.Remake))
	turns := map[string][]string{}
	for _, msg := range p.kept.messages {
		thread := p.scope.User + "/" + sessionOf(msg.key)
		if p.messages[msg.key] && msg.v.Turn != "" && !slices.Contains(turns[thread], msg.v.Turn) {
			turns[thread] = append(turns[thread], msg.v.Turn)
		}
	}
	for thread, ids := range turns {
		o.Turns = append(o.Turns, state.OrderTurns{Thread: thread, Turns: ids})
	}
	slices.SortFunc(o.Turns, func(a, b state.OrderTurns) int { return strings.Compare(a.Thread, b.Thread) })
	for _, session := range p.threads {
		o.Threads = append(o.Threads, p.scope.User+"/"+session)
	}
	return ctx.Err()
}

// remakeOrder puts what others are made of first: affairs, then summaries of parts, L1, L2, sessions, messages.
func remakeOrder(a, b string) int {
	place := func(ref string) int {
		r := parseRef(ref)
		switch {
		case r.Collection == state.Affairs:
			return 0
		case strings.HasPrefix(r.ID, "l1."):
			return 2
		case strings.HasPrefix(r.ID, "l2."):
			return 3
		case r.Collection == state.Records:
			return 1
		}
		return 4
	}
	if d := place(a) - place(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}
