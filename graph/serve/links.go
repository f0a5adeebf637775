package serve

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// GraphNode is something remembered as a node of a drawing.
type GraphNode struct {
	ID     string    `json:"id"`
	Type   string    `json:"type" enum:"session,user,affair,fact,summary,preference,lesson"`
	Label  string    `json:"label"`
	Pinned bool      `json:"pinned"`
	Status string    `json:"status,omitempty"`
	At     time.Time `json:"timestamp,omitzero"`
}

// GraphEdge joins two nodes.
type GraphEdge struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Type   string `json:"type" doc:"session-fact, session-summary, user-preference, summary-fact, lesson-session, affair-fact, summary-summary"`
}

// MemoryGraph is memory as a drawing shows it.
type MemoryGraph struct {
	Nodes []GraphNode `json:"nodes"`
	Edges []GraphEdge `json:"edges"`
	Meta  struct {
		Left map[string]int `json:"left_out" doc:"Nodes of each type that are older than those shown"`
	} `json:"meta"`
}

const labelRunes = 80

// typeOf returns the type of a record's node.
func typeOf(k state.RecordKind) string {
	switch k {
	case state.SummaryRecord:
		return "summary"
	case state.PreferenceRecord:
		return "preference"
	case state.LessonRecord, state.ProcedureRecord, state.InsightRecord:
		return "lesson"
	default:
		return "fact"
	}
}

func (s *Server) memoryGraph(ctx context.Context, in *struct {
	Whose
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"200" doc:"Nodes in all; of each type the newest"`
	Types   string `query:"types" maxLength:"200" doc:"Only these, with commas"`
	Affair  string `query:"affair_id" maxLength:"128" doc:"Only what is filed under this affair"`
	Session string `query:"session_id" maxLength:"128" doc:"Only what comes from this session"`
},
) (*body[MemoryGraph], error) {
	scope, err := s.scope(ctx, in.Whose, "")
	if err != nil {
		return nil, err
	}
	records, err := s.memory.Records(ctx, scope)
	if err != nil {
		return nil, err
	}
	sessions, err := s.memory.Sessions().List(ctx, scope)
	if err != nil {
		return nil, err
	}
	affairs, err := s.memory.Affairs().List(ctx, scope, false)
	if err != nil {
		return nil, err
	}

	// All nodes there are, then of each type the newest.
	now := s.c.Now()
	user := "user:" + scope.User
	all := []GraphNode{{ID: user, Type: "user", Label: scope.User, At: now}}
	for _, x := range sessions {
		if in.Affair == "" && (in.Session == "" || in.Session == x.ID) {
			all = append(all, GraphNode{ID: "session:" + x.ID, Type: "session", Label: cmp.Or(x.Title, x.ID), At: x.LastAt})
		}
	}
	for _, a := range affairs {
		if (in.Affair == "" || in.Affair == a.ID) && in.Session == "" {
			all = append(all, GraphNode{ID: "affair:" + a.ID, Type: "affair", Label: a.Title, Status: string(a.Status), At: a.UpdatedAt})
		}
	}
	records = slices.DeleteFunc(records, func(r state.Record) bool {
		return !r.Valid(now) || in.Affair != "" && r.Affair != in.Affair || in.Session != "" && r.Session != in.Session
	})
	for _, r := range records {
		all = append(all, GraphNode{ID: "record:" + r.ID, Type: typeOf(r.Kind), Label: label(r), Pinned: r.Pinned, At: r.RecordedAt})
	}
	out := newest(all, in.Types, in.Limit)
	out.connect(user, records)
	return &body[MemoryGraph]{out}, nil
}

// label returns what a record's node shows.
func label(r state.Record) string {
	text := []rune(cmp.Or(r.Content, r.Subject))
	if r.Span != nil && r.Span.Digest != "" {
		text = []rune(r.Span.Digest)
	}
	if len(text) > labelRunes {
		return string(text[:labelRunes-1]) + "…"
	}
	return string(text)
}

// newest keeps as many nodes of each type as its part of the limit holds, the newest; what a type does not need the others have.
func newest(all []GraphNode, types string, limit int) (out MemoryGraph) {
	out.Nodes, out.Edges, out.Meta.Left = []GraphNode{}, []GraphEdge{}, map[string]int{}
	by := map[string][]GraphNode{}
	for _, n := range all {
		if types == "" || slices.Contains(splitList(types), n.Type) {
			by[n.Type] = append(by[n.Type], n)
		}
	}
	kinds := []string{"user", "session", "affair", "preference", "lesson", "summary", "fact"}
	slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(len(by[a]), len(by[b])) })
	for i, kind := range kinds {
		list := by[kind]
		slices.SortStableFunc(list, func(a, b GraphNode) int { return b.At.Compare(a.At) })
		room := min(len(list), (limit-len(out.Nodes))/(len(kinds)-i))
		out.Nodes = append(out.Nodes, list[:room]...)
		if len(list) > room {
			out.Meta.Left[kind] = len(list) - room
		}
	}
	return out
}

// connect adds the edges between nodes that are shown.
func (g *MemoryGraph) connect(user string, records []state.Record) {
	shown := map[string]bool{}
	for _, n := range g.Nodes {
		shown[n.ID] = true
	}
	join := func(from, to, as string) {
		if shown[from] && shown[to] {
			g.Edges = append(g.Edges, GraphEdge{from, to, as})
		}
	}
	summaries := map[string]string{} // of a session: its latest summary
	for _, r := range records {
		if r.Kind == state.SummaryRecord && r.Span != nil && r.Span.Level == 0 {
			summaries[r.Session] = "record:" + r.ID
		}
	}
	for _, r := range records {
		id, session := "record:"+r.ID, "session:"+r.Session
		switch kind := typeOf(r.Kind); kind {
		case "preference":
			join(user, id, "user-preference")
		case "lesson":
			join(id, session, "lesson-session")
		case "summary":
			join(session, id, "session-summary")
			for _, of := range spanOf(r) {
				join(id, "record:"+of, "summary-summary")
			}
		default:
			join(session, id, "session-fact")
			join(summaries[r.Session], id, "summary-fact")
			join("affair:"+r.Affair, id, "affair-fact")
		}
	}
}

// spanOf returns the ids of the summaries that a summary is made of.
func spanOf(r state.Record) []string {
	if r.Span == nil {
		return nil
	}
	return r.Span.Of
}
