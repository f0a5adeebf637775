package memory

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// edits are those of a decision, and the memory that they are decided in.
type edits struct {
	m *Memory
	*desk.Edits
}

// pipeline says that a node of a turn has memory changed, from its message.
func pipeline(path string, msg state.Message) state.By {
	return state.By{Who: state.ByPipeline, Path: path, Turn: msg.Turn, Message: msg.ID}
}

// edit applies an affair edit to the view and adds it to the effects.
func (e *edits) edit(edit state.AffairEdit) {
	edit.At = cmp.Or(edit.At, e.m.c.Now())
	e.Add(state.Effect{Affair: &edit})
	at := slices.IndexFunc(e.View.Affairs, func(a *state.Affair) bool { return a.ID == edit.ID })
	if at < 0 {
		e.View.Affairs, at = slices.Insert(e.View.Affairs, 0, &state.Affair{}), 0
	}
	edited := *e.View.Affairs[at]
	ledger.EditAffair(&edited, edit, e.Scope)
	e.View.Affairs[at] = &edited
}

func (e *edits) create(d state.Decision, msg state.Message) {
	now := e.m.c.Now()
	e.edit(state.AffairEdit{ID: d.AffairID, Create: &state.Affair{
		ID: d.AffairID, Client: e.Scope.Client, User: e.Scope.User, Project: e.View.Project, Session: e.Scope.Session,
		Title: d.Title, TitleBy: d.TitleBy, Status: state.Active, Topics: facts.Topics(desk.Said(msg), e.m.language(e.View, msg)), CreatedAt: now, UpdatedAt: now,
	}})
}

func (e *edits) activate(id string) {
	e.edit(state.AffairEdit{ID: id, Status: state.Active, Session: e.Scope.Session})
}

// filed returns the session's messages before number seq that are filed under an affair, oldest first, as far as they were said
// since the session was last cleared: what was cleared or forgotten stands in no summary that is made later. Commands to the memory are not among them.
func (m *Memory) filed(ctx context.Context, scope state.Scope, seq int64, affair string) ([]state.Message, error) {
	gone, err := m.desk.Cleared(ctx, scope)
	if err != nil {
		return nil, err
	}
	into, err := m.desk.Joined(ctx, scope)
	if err != nil {
		return nil, err
	}
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	d.Unlock()
	put := refiledIn(ctx, scope)
	read, err := m.desk.LastMessages(ctx, scope, seq, desk.LookBack, func(msg state.Message) bool {
		return into.Of(cmp.Or(put[msg.Seq], msg.Affair)) == affair && !gone.Hides(scope.Session, msg.Seq) && msg.Role != state.RoleTool && !msg.Unstored()
	})
	obeyed := obeyedTurns(read)
	return slices.DeleteFunc(read, func(msg state.Message) bool { return obeyed[msg.Turn] || msg.Text == "" }), err
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// flushPath is the way of what a turn's last node keeps: see state.By.
const flushPath = "memory_flush"

// stored returns the messages that more may be made of than their session shows.
func stored(said []state.Message) []state.Message {
	return slices.DeleteFunc(slices.Clone(said), state.Message.Unstored)
}

// spokenIn returns what user and assistant say in a turn.
func spokenIn(turn []state.Message) []state.Message {
	return slices.DeleteFunc(slices.Clone(turn), func(msg state.Message) bool { return msg.Role == state.RoleTool || msg.Text == "" })
}

// refiledIn says, by number of the message, where the edits decided under the context put messages of a session.
func refiledIn(ctx context.Context, scope state.Scope) map[int64]string {
	sink, out := state.EffectsFrom(ctx), map[int64]string{}
	if sink == nil {
		return out
	}
	for _, e := range sink.List() {
		if e.File != nil && e.File.Affair != "" && e.Scope.SessionKey() == scope.SessionKey() {
			out[e.File.Seq] = e.File.Affair
		}
	}
	return out
}

func isOpen(a *state.Affair) bool { return a.Status == state.Active || a.Status == state.Parked }
