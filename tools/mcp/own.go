package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// The tools that no turn has: the one erases, which is not for the inside of a turn, the other looks at turns.
const (
	Forget      = "forget"
	ExplainTurn = "explain_turn"
)

type forgetArgs struct {
	Record string `json:"record_id"`
	Topic  string `json:"topic"`
	Affair string `json:"affair_id"`
	Pinned bool   `json:"include_pinned"`
	Try    bool   `json:"dry_run"`
	Expect *int   `json:"expect"`
}

type explainArgs struct {
	Turn string `json:"turn_id"`
}

// describeOwn makes the tools of this package.
func (s *Server) describeOwn(output *jsonschema.Schema) ([]*tool, error) {
	property := func(kind, desc string) map[string]any { return map[string]any{"type": kind, "description": desc} }
	forgetting, explaining := hints{"Erase for good", erases}, hints{"Explain a turn", reads}
	erase, err := describeTool(Forget, "Erase for good what the user asks to have erased, with all that was made of it; nobody can bring it back. Name one thing: a record, a topic or an affair. "+
		"The receipt counts what went. To have something no longer hold, and keep it as history, call memory_update forget.", forgetting,
		map[string]any{"properties": map[string]any{
			"record_id":      property("string", "Id of the record, and what else says the same goes too"),
			"topic":          property("string", "Words: each sentence and record that has all of them"),
			"affair_id":      property("string", "Id or title of the affair, with all that is filed under it"),
			"include_pinned": property("boolean", "What the user has pinned goes too. Default false"),
			"dry_run":        property("boolean", "Only say what would go. Default false"),
			"expect":         property("integer", "How many messages go, as dry_run has said and the user has agreed to. Needed where it is much"),
		}}, output)
	if err != nil {
		return nil, err
	}
	out := []*tool{{erase, forgetting, runForget}}
	if s.c.Explain == nil {
		return out, nil
	}
	explain, err := describeTool(ExplainTurn, "Explain how the assistant that keeps this memory came to an answer: what was decided and why, what of memory it was shown, what was found and written.",
		explaining,
		map[string]any{"properties": map[string]any{"turn_id": property("string", "The turn's id, or the number of a message of it. Default: the last turn of this session")}}, output)
	return append(out, &tool{explain, explaining, runExplain}), err
}

// Receipt is that of an erasure.
type Receipt struct {
	Order  string         `json:"order,omitempty" jsonschema:"its id, by which the audit has it"`
	What   string         `json:"what" jsonschema:"record, topic or affair"`
	Counts map[string]int `json:"counts" jsonschema:"how much went, by layer"`
	Left   int            `json:"left" jsonschema:"what a probe still found; 0 = nothing"`
	Spared int            `json:"spared" jsonschema:"how much stayed since the user has pinned it"`
	DryRun bool           `json:"dry_run,omitempty" jsonschema:"nothing was erased: counts are what would go"`
}

// runForget erases, once it is known how much that takes.
func runForget(ctx context.Context, v *visit, arguments string) (string, *Receipt, error) {
	args, err := readArguments[forgetArgs](Forget, arguments)
	if err != nil {
		return "", nil, err
	}
	what := forget.What{Record: strings.TrimSpace(args.Record), Topic: strings.TrimSpace(args.Topic), Affair: strings.TrimSpace(args.Affair), Pinned: args.Pinned, Try: true}
	if (forget.What{Pinned: args.Pinned, Try: true}) == what {
		return "", nil, state.Errorf(state.Invalid, Forget, "names nothing; give record_id, topic or affair_id")
	}
	if what.Record, err = recordNamed(ctx, v, what.Record); err != nil {
		return "", nil, err
	}

	// What would go is counted first: words may take more than the user means.
	scope := v.caller.Scope
	would, err := v.c.Memory.Forget().Erase(ctx, scope, what)
	if err != nil {
		return "", nil, err
	}
	messages := forget.Messages(would)
	switch {
	case args.Try:
		text, receipt := tellWould(ctx, would)
		return text, receipt, nil
	case args.Expect != nil && *args.Expect != messages:
		return "", nil, state.Errorf(state.Conflict, Forget, "takes %d messages, and not %d as expected; look with dry_run, and ask the user", messages, *args.Expect)
	case args.Expect == nil && forget.Much(would):
		return "", nil, state.Errorf(state.Conflict, Forget, "takes %d messages and %d whole affairs; look with dry_run, ask the user, and if he means all of it call again with expect %d",
			messages, forget.Items(would, "affair"), messages)
	}
	what.Try = false
	done, err := v.c.Memory.Forget().Erase(ctx, scope, what)
	if err != nil {
		return "", nil, err
	}
	text, receipt := tellErased(ctx, done)
	return text, receipt, nil
}

// recordNamed returns the whole id of a record, which recall names by its end.
func recordNamed(ctx context.Context, v *visit, name string) (string, error) {
	if !strings.HasPrefix(name, "r-") {
		return name, nil
	}
	all, err := v.c.Memory.Records(ctx, v.caller.Scope)
	if err != nil {
		return "", err
	}
	found := slices.DeleteFunc(all, func(r state.Record) bool {
		named := memory.Hit{ID: r.ID, Record: &r}.Name()
		return named != name && r.ID != name
	})
	switch len(found) {
	case 0:
		return name, nil
	case 1:
		return found[0].ID, nil
	}
	return "", state.Errorf(state.Conflict, "record "+name, "may be one of %d; name it by its whole id, as memory_update show has it", len(found))
}

// tellWould says what would go, in the words that will be gone.
func tellWould(ctx context.Context, would state.Order) (string, *Receipt) {
	receipt := &Receipt{What: would.What, Counts: map[string]int{}, Spared: len(would.Spared), DryRun: true}
	lines := make([]string, len(would.Would))
	for i, item := range would.Would {
		receipt.Counts[item.Kind]++
		lines[i] = "- " + item.Kind + ": " + quote.Item(item.Text)
		tools.NoteItem(ctx, tools.Item{Kind: item.Kind, ID: item.ID, Session: item.Session, At: item.At, Text: item.Text})
	}
	return fmt.Sprintf("would be erased: %s; nothing is yet. Messages: %d\n", tellCounts(receipt.Counts), forget.Messages(would)) + quote.Memory(lines...), receipt
}

// tellErased says how much went, and quotes nothing of it.
func tellErased(ctx context.Context, done state.Order) (string, *Receipt) {
	receipt := &Receipt{Order: done.ID, What: done.What, Counts: map[string]int{}, Spared: len(done.Spared)}
	for _, l := range done.Layers {
		if l.Count > 0 {
			receipt.Counts[l.Name] = l.Count
		}
		receipt.Left += l.Left
	}
	text := fmt.Sprintf("erased for good: %s; a probe found %d left (order %s)", tellCounts(receipt.Counts), receipt.Left, done.ID)
	if len(done.Copies) > 0 {
		text += "; sessions that were forked from it keep their copies: " + quote.Line(strings.Join(done.Copies, ", "))
	}
	if len(done.Stays) == 0 {
		return text, receipt
	}
	lines := make([]string, len(done.Stays))
	for i, item := range done.Stays {
		lines[i] = "- " + item.Kind + ": " + quote.Item(item.Text)
		status := "pinned"
		if slices.Contains(done.Held, "records/"+item.ID) {
			status = "held"
			lines[i] += " (held: it is erased when it is released)"
		}
		tools.NoteItem(ctx, tools.Item{Kind: item.Kind, ID: item.ID, Session: item.Session, At: item.At, Text: item.Text, Status: status})
	}
	return text + "; these are pinned by the user or held by an administrator, and stay\n" + quote.Memory(lines...), receipt
}

func tellCounts(counts map[string]int) string {
	parts := []string{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// runExplain explains a turn of the session, or, by its id, of another session of the user.
func runExplain(ctx context.Context, v *visit, arguments string) (string, *Receipt, error) {
	args, err := readArguments[explainArgs](ExplainTurn, arguments)
	if err != nil {
		return "", nil, err
	}
	scope, turn := v.caller.Scope, strings.TrimSpace(args.Turn)
	account, err := v.c.Explain(ctx, scope, turn)
	if errors.Is(err, state.ErrNotFound) {
		account, err = explainElsewhere(ctx, v, turn, err)
	}
	if err != nil {
		return "", nil, err
	}
	var said bytes.Buffer
	if err := account.Explain(&said); err != nil {
		return "", nil, err
	}
	set, err := v.c.Memory.Settings().In(ctx, scope)
	if err != nil {
		return "", nil, err
	}
	text := said.String()
	if most := set.ToolResultBytes / 2; len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "\n(the rest is left out: it is too long)"
	}
	return quote.Memory(quote.Block(text)), nil, nil
}

// explainElsewhere looks for a turn in the user's other sessions, the one that was used last first; without an id it is the last turn there is.
func explainElsewhere(ctx context.Context, v *visit, turn string, missing error) (Account, error) {
	if turn != "" && strings.Trim(turn, "0123456789") == "" { // a number counts the messages of this session
		return nil, missing
	}
	sessions, err := v.c.Memory.Sessions().List(ctx, v.caller.Scope)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(sessions, func(a, b state.Session) int { return b.LastAt.Compare(a.LastAt) })
	for _, other := range sessions {
		scope := v.caller.Scope
		scope.Session = other.ID
		account, err := v.c.Explain(ctx, scope, turn)
		if !errors.Is(err, state.ErrNotFound) {
			return account, err
		}
	}
	return nil, missing
}

// readArguments reads the arguments of a tool of this package; they have been checked.
func readArguments[T any](name, arguments string) (args T, err error) {
	if arguments == "" {
		return args, nil
	}
	if err = json.Unmarshal([]byte(arguments), &args); err != nil {
		err = state.Errorf(state.Invalid, name, "the arguments are not the JSON object of the schema: %w", err)
	}
	return args, err
}
