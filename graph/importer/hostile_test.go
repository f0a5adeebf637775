package importer_test

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mneme-graph/mneme/graph/importer"
	"github.com/mneme-graph/mneme/state"
)

// pack puts pieces of msgpack behind each other.
func pack(pieces ...any) []byte {
	var out []byte
	for _, p := range pieces {
		switch p := p.(type) {
		case string:
			out = append(append(out, 0xa0+byte(len(p))), p...)
		case []byte:
			out = append(out, p...)
		case int:
			out = append(out, byte(p))
		}
	}
	return out
}

// holdMessage is a checkpoint with one message of a user that has the given fields.
func holdMessage(fields []byte) []byte {
	body := pack(0x94, "m", "HumanMessage", fields, "x")
	size := binary.BigEndian.AppendUint32([]byte{0xc9}, uint32(len(body)))
	return pack(0x82, "ts", "2026-11-24T10:00:00Z", "channel_values", 0x81, "messages", 0x91, size, 5, body)
}

// deep is a value nested so deep.
func deep(levels, code int) []byte {
	if code == 0x81 {
		return append(bytes.Repeat(pack(0x81, "a"), levels), 0xc0)
	}
	return append(bytes.Repeat([]byte{byte(code)}, levels), 0xc0)
}

func hostileBodies() map[string][]byte {
	manyItems, manyKeys := []byte{0xdd, 0xff, 0xff, 0xff, 0xf0}, []byte{0xdf, 0x10, 0, 0, 0}
	return map[string][]byte{
		"content of 4 billion parts": holdMessage(pack(0x81, "content", manyItems, "a", make([]byte, 12<<10))),
		"id of 4 billion parts":      holdMessage(pack(0x81, "id", manyItems, "a")),
		"a part of many keys":        holdMessage(pack(0x81, "content", 0x91, manyKeys, make([]byte, 12<<10))),
		"a content of many keys":     holdMessage(pack(0x81, "content", manyKeys, make([]byte, 12<<10))),
		"many fields":                holdMessage(pack(manyKeys, "content", "x")),
		"many channels":              pack(0x81, "channel_values", manyKeys, "messages", 0x90),
		"many messages":              pack(0x81, "channel_values", 0x81, "messages", manyItems),
		"a long string":              holdMessage(pack(0x81, "content", []byte{0xdb, 0xff, 0xff, 0xff, 0xff}, "a")),
		"a long extension":           pack(0x81, "channel_values", 0x81, "messages", 0x91, []byte{0xc9, 0xff, 0xff, 0xff, 0xff, 5}),
		"20 MB of lists":             pack(0x81, "x", deep(20<<20, 0x91)),
		"20 MB of maps":              pack(0x81, "x", deep(10<<20, 0x81)),
		"a deep content":             holdMessage(pack(0x81, "content", deep(2<<20, 0x91))),
		"a deep other field":         holdMessage(pack(0x81, "x", deep(2<<20, 0x81))),
		"65 lists":                   pack(0x81, "x", deep(65, 0x91)),
		"maps in an extension":       pack(0x81, "channel_values", []byte{0xd4, 5}, 0x81, "x", deep(2<<20, 0x91)),
		"nothing":                    {},
	}
}

// It is alone with its process: what all take of memory is counted. The bound leaves room for the race detector, with which
// the same bodies take up to a fifth more; the sizes that they claim are a hundred times over it.
func TestACheckpointTakesNoMoreThanItsSize(t *testing.T) {
	for name, body := range hostileBodies() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := importer.ReadCheckpoint(body)
			runtime.ReadMemStats(&after)
			if took, most := after.TotalAlloc-before.TotalAlloc, uint64(4<<20+8*len(body)); err == nil || took > most {
				t.Errorf("%d bytes took %d, %v; want at most %d and an error", len(body), took, err, most)
			}
		})
	}
	if err := importer.ReadCheckpoint(pack(0x81, "x", deep(60, 0x91))); err != nil {
		t.Errorf("60 lists: %v", err)
	}
}

// saverOf is a file of statements, with a body for a parameter.
func saverOf(t *testing.T, statements string, body []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "saver.sqlite")
	con, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	must(t, err)
	for s := range strings.SplitSeq(statements, ";") {
		o := &sqlitex.ExecOptions{}
		if strings.Contains(s, ":body") {
			o.Named = map[string]any{":body": body}
		}
		if err := sqlitex.ExecuteTransient(con, s, o); err != nil {
			t.Fatal(s, err)
		}
	}
	must(t, con.Close())
	return path
}

func TestHostileLangGraphFiles(t *testing.T) {
	t.Parallel()
	const (
		plain   = "CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)"
		endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT 't' AS thread_id, '' AS checkpoint_ns, i AS checkpoint_id, 'msgpack' AS type, zeroblob(900000000) AS checkpoint FROM n"
	)
	for name, c := range map[string]struct {
		statements string
		body       []byte
		says       string
	}{
		"no table":           {"CREATE TABLE x (y)", nil, "no file of SqliteSaver"},
		"an endless view":    {"CREATE VIEW checkpoints AS " + endless, nil, "no plain table"},
		"a virtual table":    {"CREATE VIRTUAL TABLE checkpoints USING fts5(thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)", nil, "no plain table"},
		"a computed column":  {"CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint AS (zeroblob(900000000))); INSERT INTO checkpoints VALUES ('t', '', '1', 'msgpack')", nil, "no plain table"},
		"a row of 65 MB":     {plain + "; INSERT INTO checkpoints VALUES ('t', '', '1', 'msgpack', zeroblob(68157440))", nil, "more than 67108864 bytes"},
		"a list of billions": {plain + "; INSERT INTO checkpoints VALUES ('t', '', '1', 'msgpack', :body)", hostileBodies()["content of 4 billion parts"], "checkpoint 1 of thread t"},
		"lists of lists":     {plain + "; INSERT INTO checkpoints VALUES ('t', '', '1', 'msgpack', :body)", hostileBodies()["20 MB of lists"], "nested more than 64 deep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := importer.ReadLangGraph(t.Context(), saverOf(t, c.statements, c.body))
			if state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want invalid and %q", err, c.says)
			}
		})
	}
}

// Contents of every kind are read as they were: a string, a list of strings and of parts with a text.
func TestContents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content []byte
		want    []string
	}{
		"a string":    {pack("hello"), []string{"hello"}},
		"parts":       {pack(0x94, "a", 0x82, "type", "text", "text", "b", 0x81, "image", 0x91, "no", 7), []string{"a\nb"}},
		"odd keys":    {pack(0x91, 0x83, 7, "x", 0x91, "text", "y", "text", "b"), []string{"b"}},
		"bytes":       {pack([]byte{0xc4, 1, 'a'}), nil},
		"a map alone": {pack(0x81, "text", "no"), nil},
	} {
		plain := "CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint); INSERT INTO checkpoints VALUES ('t', '', '1', 'msgpack', :body)"
		turns, err := importer.ReadLangGraph(t.Context(), saverOf(t, plain, holdMessage(pack(0x82, "id", 7, "content", c.content))))
		var got []string
		for _, turn := range turns {
			got = append(got, turn.Text)
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func FuzzReadCheckpoint(f *testing.F) {
	f.Add([]byte("\x82\xa2ts\xb42026-11-24T10:00:00Z\xaechannel_values\x81\xa8messages\x91\xc7\x15\x05\x94\xa1m\xacHumanMessage\x81\xa7content\xa2hi\xa1x"))
	for _, body := range hostileBodies() {
		f.Add(slices.Clip(body[:min(len(body), 64<<10)]))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = importer.ReadCheckpoint(body) // it must not panic, nor take memory that the body does not have
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(8<<20+64*len(body)); took > most {
			t.Errorf("%d bytes took %d, want at most %d", len(body), took, most)
		}
	})
}
