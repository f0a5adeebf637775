package importer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vmihailenco/msgpack/v5"
	"go.uber.org/goleak"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/importer"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const chat = `{"op":"turn","conversation":"c","session":"monday","id":"1","role":"user","at":"2025-03-03T09:00:00Z","text":"I ordered brake pads, order number 07-14244-53150."}
{"op":"turn","conversation":"c","session":"monday","id":"2","role":"assistant","at":"2025-03-03T09:00:05Z","text":"They come on Friday."}
{"op":"query","conversation":"c","id":"q","text":"passed over"}
{"op":"turn","conversation":"c","session":"monday","id":"3","role":"user","at":"2025-03-03T09:01:00Z","text":"Something else: the school wants my diploma by 28 February."}
{"op":"turn","conversation":"c","session":"tuesday","id":"4","speaker":"Ann","role":"","at":"2025-03-04T09:00:00Z","text":"Hi Ben, is the ladder still yours?"}
`

func readChat(t *testing.T) []importer.Turn {
	t.Helper()
	turns, err := importer.ReadTurns(strings.NewReader(chat), nil)
	if err != nil || len(turns) != 4 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	return turns
}

func memoryOf(t *testing.T, c graph.Config) *memory.Memory {
	t.Helper()
	g, err := graph.New(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return g.Memory()
}

func TestChatsGetAffairsAtTheirTime(t *testing.T) {
	t.Parallel()
	c := graph.Config{Store: ram.New(), Model: offline.New()}
	scope := state.Scope{User: "ann"}.Default()
	for i, want := range []int{4, 0} { // again, and nothing is there twice
		report, err := importer.Chats(t.Context(), c, scope, readChat(t), importer.Options{})
		if err != nil || report.Messages != want || report.Present != 4-want || report.Sessions != 2 || report.Affairs != 2 || report.Refused != nil {
			t.Fatalf("import %d: %+v, %v", i+1, report, err)
		}
	}
	m := memoryOf(t, c)
	monday, tuesday := scope, scope
	monday.Session, tuesday.Session = "monday", "tuesday"
	said, err := m.Messages(t.Context(), monday)
	if err != nil || len(said) != 3 || said[1].Text != "They come on Friday." || !said[0].At.Equal(time.Date(2025, 3, 3, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("monday %+v, %v", said, err)
	}
	said, err = m.Messages(t.Context(), tuesday)
	if err != nil || len(said) != 1 || said[0].Speaker != "Ann" {
		t.Errorf("tuesday %+v, %v", said, err)
	}
	affairs, err := m.Affairs().List(t.Context(), scope, false)
	if err != nil || len(affairs) != 2 {
		t.Errorf("%d affairs, %v", len(affairs), err)
	}
}

func TestChatsWithoutAffairs(t *testing.T) {
	t.Parallel()
	c := graph.Config{Store: ram.New(), Model: offline.New()}
	for _, want := range []int{4, 0} {
		report, err := importer.Chats(t.Context(), c, state.Scope{}, readChat(t), importer.Options{NoAffairs: true})
		if err != nil || report.Messages != want || report.Present != 4-want || report.Affairs != 0 {
			t.Fatalf("%+v, %v", report, err)
		}
	}
	m := memoryOf(t, c)
	affairs, err := m.Affairs().List(t.Context(), state.Scope{}.Default(), true)
	said, failed := m.Messages(t.Context(), state.Scope{Session: "monday"}.Default())
	if err != nil || failed != nil || len(affairs) != 0 || len(said) != 3 {
		t.Errorf("%d affairs, %d messages, %v, %v", len(affairs), len(said), err, failed)
	}
}

// What cannot be kept is told, and the rest goes on.
// A file that has grown, before and between what was there, gives only what is new; messages without an id, and those that say the same, too.
func TestAFileThatHasGrown(t *testing.T) {
	t.Parallel()
	first := []importer.Turn{
		{Session: "s", ID: "1", Role: state.RoleUser, Text: "Yes."}, {Session: "s", Role: state.RoleUser, Text: "Yes."},
		{Session: "s", Role: state.RoleUser, Text: "Yes."}, {Session: "s", Speaker: "Ann", Text: "Hi Ben."},
	}
	grown := slices.Concat([]importer.Turn{{Session: "a", ID: "0", Role: state.RoleUser, Text: "Before."}}, first[:1],
		[]importer.Turn{{Session: "s", Role: state.RoleUser, Text: "Between."}}, first[1:], first[2:3])
	for _, o := range []importer.Options{{}, {NoAffairs: true}} {
		c := graph.Config{Store: ram.New(), Model: offline.New()}
		for _, turns := range [][]importer.Turn{first, grown, grown} {
			if _, err := importer.Chats(t.Context(), c, state.Scope{User: "ann"}, turns, o); err != nil {
				t.Fatal(err)
			}
		}
		said, err := memoryOf(t, c).Messages(t.Context(), state.Scope{User: "ann", Session: "s"})
		if err != nil || len(said) != len(first)+2 {
			t.Errorf("no affairs %v: %d messages, want %d: %+v, %v", o.NoAffairs, len(said), len(first)+2, said, err)
		}
	}
}

func TestWhatIsRefusedIsTold(t *testing.T) {
	t.Parallel()
	turns := readChat(t)
	turns[0].Text = strings.Repeat("long ", 2_000_000)
	report, err := importer.Chats(t.Context(), graph.Config{Store: ram.New(), Model: offline.New()}, state.Scope{}, turns, importer.Options{})
	if err != nil || len(report.Refused) != 1 || !strings.Contains(report.Refused[0], "message 1, 1 of session monday") || report.Messages != 2 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestMem0(t *testing.T) {
	t.Parallel()
	list, err := importer.ReadMem0(strings.NewReader(`{"results":[
		{"id":"a","memory":"Is allergic to nuts","user_id":"ann","created_at":"2025-01-02T10:00:00-08:00","updated_at":null,"metadata":null},
		{"id":"b","memory":"Lives in Brno","created_at":"2025-01-03T10:00:00Z"}]}`), nil)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	c := graph.Config{Store: ram.New(), Model: offline.New()}
	if report, err := importer.Memories(t.Context(), c, state.Scope{}, list); err != nil || report.Records != 2 || report.Brain != 2 || report.Refused != nil {
		t.Fatalf("%+v, %v", report, err)
	}
	records, err := memoryOf(t, c).Records(t.Context(), state.Scope{}.Default())
	if err != nil || len(records) != 2 || records[0].Trust != state.TrustExtracted || records[0].RecordedAt.Year() != 2025 {
		t.Errorf("%+v, %v", records, err)
	}
}

// What an export holds comes back in another memory, and is left where it is there already.
func TestExportComesBack(t *testing.T) {
	t.Parallel()
	const exported = `{"session":"work","messages":[
		{"id":"m1","role":"user","text":"Купил зимние шины за 400 евро.","at":"2025-03-03T09:00:00Z","affair":"a1"},
		{"id":"m2","role":"assistant","text":"Хорошо.","at":"2025-03-03T09:00:05Z","affair":"a1"}]}`
	turns, err := importer.ReadExport(strings.NewReader(exported), nil)
	if err != nil || len(turns) != 2 {
		t.Fatalf("%+v, %v", turns, err)
	}
	scope := state.Scope{Session: "work"}.Default()
	for _, o := range []importer.Options{{}, {NoAffairs: true}} {
		other, home := graph.Config{Store: ram.New(), Model: offline.New()}, graph.Config{Store: ram.New(), Model: offline.New()}
		for i, want := range []int{2, 0} {
			report, err := importer.Chats(t.Context(), other, state.Scope{}, turns, o)
			if err != nil || report.Messages != want || report.Present != 2-want || len(report.Where) != 1 || report.Where[0].Session != "work" || len(report.Where[0].Affairs) != report.Affairs {
				t.Errorf("import %d into another memory: %+v, %v", i+1, report, err)
			}
		}
		if said, err := memoryOf(t, other).Messages(t.Context(), scope); err != nil || len(said) != 2 || said[0].Text != turns[0].Text {
			t.Errorf("it holds %+v, %v", said, err)
		}

		m := memoryOf(t, home)
		for _, turn := range turns {
			must(t, m.Turn().Ingest(t.Context(), scope, state.Message{ID: turn.ID, Role: turn.Role, Text: turn.Text, At: turn.At}))
		}
		if report, err := importer.Chats(t.Context(), home, state.Scope{}, turns, importer.Options{}); err != nil || report.Present != 2 || report.Messages != 0 {
			t.Errorf("import where it came from: %+v, %v", report, err)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       importer.Format
	}{
		{"turns", chat, importer.Turns},
		{"a line whose op comes last", `{"session":"s","role":"user","text":"x","op":"turn"}`, importer.Turns},
		{"an export", "\n" + `{"session":"work","messages":[]}`, importer.Export},
		{"mem0, a list", `[{"id":"a","memory":"x"}]`, importer.Mem0},
		{"mem0, results", `{"results":[{"id":"a"}]}`, importer.Mem0},
		{"SQLite", "SQLite format 3\x00and more", importer.LangGraph},
		{"an export to be read", "# Session work\n", ""},
		{"another object", `{"a":1}`, ""},
		{"text", "I ordered brake pads.", ""},
		{"cut", `{"op`, ""},
		{"nothing", "", ""},
	} {
		got, err := importer.Detect(strings.NewReader(c.text))
		if got != c.want || (err == nil) != (c.want != "") || err != nil && state.CodeOf(err) != state.Invalid {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// A time without a zone is one of the user's.
func TestZone(t *testing.T) {
	t.Parallel()
	prague := time.FixedZone("Prague", 2*60*60)
	want := time.Date(2025, 7, 3, 7, 30, 0, 0, time.UTC)
	for _, at := range []string{"2025-07-03T09:30:00", "2025-07-03 09:30", "2025-07-03T09:30:00.000000", "2025-07-03T07:30:00Z", "2025-07-03T00:30:00-07:00"} {
		turns, err := importer.ReadTurns(strings.NewReader(`{"op":"turn","session":"s","role":"user","text":"x","at":"`+at+`"}`), prague)
		if err != nil || !turns[0].At.Equal(want) {
			t.Errorf("turn at %s: %+v, %v", at, turns, err)
		}
		memories, err := importer.ReadMem0(strings.NewReader(`[{"memory":"x","created_at":"`+at+`"}]`), prague)
		if err != nil || !memories[0].Created.Equal(want) {
			t.Errorf("memory at %s: %+v, %v", at, memories, err)
		}
	}
}

// Messages that are only kept are made durable in batches; one that is refused is told of and the others are there.
func TestKeptInBatches(t *testing.T) {
	t.Parallel()
	var turns []importer.Turn
	for i := range 600 {
		turns = append(turns, importer.Turn{Session: "s", ID: strconv.Itoa(i), Role: state.RoleUser, Text: "line " + strconv.Itoa(i)})
	}
	turns[300].Text = "\xff"
	c := graph.Config{Store: ram.New(), Model: offline.New()}
	report, err := importer.Chats(t.Context(), c, state.Scope{}, turns, importer.Options{NoAffairs: true})
	if err != nil || report.Messages != 599 || len(report.Refused) != 1 || !strings.HasPrefix(report.Refused[0], "message 301,") {
		t.Errorf("%d messages, refused %q, %v", report.Messages, report.Refused, err)
	}
	if said, err := memoryOf(t, c).Messages(t.Context(), state.Scope{Session: "s"}.Default()); err != nil || len(said) != 599 || said[300].Text != "line 301" {
		t.Errorf("%d messages, %v", len(said), err)
	}
}

// The file is one that LangGraph has written: see testdata/langgraph.py.
func TestLangGraph(t *testing.T) {
	t.Parallel()
	turns, err := importer.ReadLangGraph(t.Context(), filepath.Join("testdata", "langgraph.sqlite"))
	must(t, err)
	var got []string
	for _, turn := range turns {
		if turn.At.IsZero() || turn.ID == "" {
			t.Errorf("%+v", turn)
		}
		got = append(got, turn.Session+" "+string(turn.Role)+" "+turn.Text)
	}
	want := []string{
		"cesky user Kdy prijde objednavka? order", "cesky assistant Ahoj, objednavka prijde v patek.",
		"parts user I ordered brake pads, order number 07-14244-53150.", "parts assistant They come on Friday.",
		"parts user When are they open?", "parts assistant From 8 to 16.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}

// saver is a file as SqliteSaver writes it: of thread t a checkpoint for each list of messages, "class text" or "class text #id".
func saver(t *testing.T, lists ...[]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "saver.sqlite")
	con, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	must(t, err)
	err = sqlitex.ExecuteScript(con, `CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)`, nil)
	for n, list := range lists {
		messages := []any{}
		for _, m := range list {
			class, text, _ := strings.Cut(m, " ")
			text, id, _ := strings.Cut(text, " #")
			body, failed := msgpack.Marshal([]any{"m", class, map[string]string{"content": text, "id": id}, "x"})
			head := []byte{0xc8, byte(len(body) >> 8), byte(len(body)), 5}
			messages, err = append(messages, msgpack.RawMessage(append(head, body...))), errors.Join(err, failed)
		}
		body, failed := msgpack.Marshal(map[string]any{"ts": "2026-11-24T10:00:00Z", "channel_values": map[string]any{"messages": messages}})
		err = errors.Join(err, failed, sqlitex.Execute(con, `INSERT INTO checkpoints VALUES ('t', '', ?, 'msgpack', ?)`, &sqlitex.ExecOptions{Args: []any{n, body}}))
	}
	if err = errors.Join(err, con.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// A list may be trimmed between two checkpoints: no message is lost, and none is there twice.
func TestLangGraphTrimmed(t *testing.T) {
	t.Parallel()
	long := []string{"HumanMessage one", "AIMessage yes", "HumanMessage two", "AIMessage yes"}
	for name, c := range map[string]struct {
		lists [][]string
		want  string
	}{
		"grown":      {[][]string{long[:2], long}, "one yes two yes"},
		"trimmed":    {[][]string{long, long[2:]}, "one yes two yes"},
		"and grown":  {[][]string{long, append(slices.Clone(long[2:]), "HumanMessage three", "AIMessage no")}, "one yes two yes three no"},
		"tools gone": {[][]string{{"HumanMessage one", "ToolMessage x", "AIMessage yes"}, {"HumanMessage one", "AIMessage yes"}}, "one yes"},
		"ids":        {[][]string{{"HumanMessage one #1", "HumanMessage one #2"}, {"HumanMessage one #2", "HumanMessage one #3"}}, "one one one"},
	} {
		turns, err := importer.ReadLangGraph(t.Context(), saver(t, c.lists...))
		var got []string
		for _, turn := range turns {
			got = append(got, turn.Text)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// A file that is in use, and a reader that has given up, are no damage.
func TestLangGraphUnavailable(t *testing.T) {
	t.Parallel()
	path := saver(t, []string{"HumanMessage one"})
	con, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	must(t, err)
	defer con.Close()
	for _, locked := range []string{"BEGIN", "BEGIN EXCLUSIVE"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if locked == "BEGIN" {
			cancel()
		}
		must(t, sqlitex.ExecuteTransient(con, locked, nil))
		if _, err := importer.ReadLangGraph(ctx, path); state.CodeOf(err) != state.Unavailable || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want unavailable", locked, err)
		}
		must(t, sqlitex.ExecuteTransient(con, "ROLLBACK", nil))
	}
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"op":"turn"`, `{"op":"turn","text":"x"}`, `{"session":"s","role":"user","text":"x"}`, `{"op":"turns","session":"s","text":"x"}`, `{"op":"turn","session":"s","role":"king","text":"x"}`, `{"op":"turn","session":"s","at":"yesterday","text":"x"}`, `{"op":"turn","session":"a/b","text":"x"}`} {
		if _, err := importer.ReadTurns(strings.NewReader("\n"+text), nil); state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{``, `[]`, `{"results":[{"id":"a"}]}`, `7`} {
		if _, err := importer.ReadMem0(strings.NewReader(text), nil); state.CodeOf(err) != state.Invalid {
			t.Errorf("%s: %v", text, err)
		}
	}
	plain := filepath.Join(t.TempDir(), "plain")
	must(t, os.WriteFile(plain, []byte(strings.Repeat("no database ", 1000)), 0o600))
	for _, path := range []string{plain, plain + "-missing"} {
		if _, err := importer.ReadLangGraph(t.Context(), path); state.CodeOf(err) != state.Invalid {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzReadTurns(f *testing.F) {
	f.Add(chat)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := importer.ReadTurns(strings.NewReader(text), nil); err != nil && state.CodeOf(err) != state.Invalid {
			t.Error(err)
		}
	})
}

func FuzzReadMem0(f *testing.F) {
	f.Add(`[{"id":"a","memory":"Lives in Brno"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := importer.ReadMem0(strings.NewReader(text), nil); err != nil && state.CodeOf(err) != state.Invalid {
			t.Error(err)
		}
	})
}

var must = statetest.Must
