package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/milvus/milvustest"
	"github.com/mneme-graph/mneme/state"
)

// embedding is a server of OpenAI's protocol whose vectors tell what a text is about. It counts the texts it was asked for.
type embedding struct {
	*httptest.Server
	mu    sync.Mutex
	texts []string
	auth  string
}

func newEmbedding(t *testing.T) *embedding {
	t.Helper()
	e := &embedding{}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(e.Close)
	return e
}

func (e *embedding) answer(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/v1/embeddings" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	e.mu.Lock()
	e.texts, e.auth = append(e.texts, asked.Input...), r.Header.Get("Authorization")
	e.mu.Unlock()
	type vector struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []vector
	for i, text := range asked.Input {
		v := []float64{0.1, 0.1, 0.1}
		for j, words := range [][]string{{"vet", "veterinarian", "terrier"}, {"brake", "car"}} {
			for _, word := range words {
				if strings.Contains(strings.ToLower(text), word) {
					v[j] = 1
				}
			}
		}
		data = append(data, vector{i, v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data}) // whoever asked went away
}

// variables configure the server as embedder.
func (e *embedding) variables() []string {
	return []string{"MNEME_EMBEDDER=openai:tiny", "MNEME_EMBEDDER_BASE_URL=" + e.URL + "/v1", "MNEME_OPENAI_API_KEY=sk-embed-secret"}
}

// hitLine is what tests read of a hit.
type hitLine struct {
	Text string
	Why  memory.Why
}

const twoAffairs = "I ordered brake pads for the car.\nThe veterinarian sees our terrier on Monday.\n"

func TestRecallByMeaning(t *testing.T) {
	t.Parallel()
	e := newEmbedding(t)
	dir := t.TempDir()
	got := mneme(t, twoAffairs, e.variables(), "chat", "--dir", dir)
	if got.code != 0 || got.err != "" {
		t.Fatalf("chat = %+v", got)
	}
	if e.auth != "Bearer sk-embed-secret" {
		t.Errorf("the embedder was sent %q", e.auth)
	}
	hits := lines[hitLine](t, mneme(t, "", e.variables(), "recall", "--dir", dir, "--json", "--limit", "1", "vet"))
	if len(hits) != 1 || !strings.Contains(hits[0].Text, "terrier") || hits[0].Why.Fields.Near < 0.9 {
		t.Errorf("hits %+v, want the terrier, by its vector", hits)
	}
	got = mneme(t, "", e.variables(), "recall", "--why", "--dir", dir, "vet")
	if got.code != 0 || !strings.Contains(got.out, "vectors 1.00") || !strings.Contains(got.out, "terrier") {
		t.Errorf("recall = %+v", got)
	}
	got = mneme(t, "", e.variables(), "doctor", "--dir", dir)
	folded := strings.Join(strings.Fields(got.out), " ")
	for _, part := range []string{"openai:tiny, windows of 512 tokens, 3 dimensions, answers in", "local, in the store, answers in", "of user default, openai:tiny, 3 dimensions"} {
		if got.code != 0 || !strings.Contains(folded, part) {
			t.Errorf("doctor = %d\n%s\nwant %q", got.code, got.out, part)
		}
	}
	if strings.Contains(got.out+got.err, "sk-embed") || strings.Contains(got.out, "by words only") {
		t.Errorf("doctor shows the key, or believes there are no vectors:\n%s", got.out)
	}
}

func TestEmbedderAway(t *testing.T) {
	t.Parallel()
	e := newEmbedding(t)
	e.Close()
	dir := t.TempDir()
	got := mneme(t, twoAffairs, e.variables(), "chat", "--dir", dir)
	if got.code != 0 || strings.Count(got.err, "words go on alone") != 1 {
		t.Errorf("chat = %+v, want it to go on and to say so", got)
	}
	if got = mneme(t, "", e.variables(), "recall", "--dir", dir, "terrier"); got.code != 0 || !strings.Contains(got.out, "terrier") || !strings.Contains(got.err, "by words alone") {
		t.Errorf("recall = %+v", got)
	}
	for _, args := range [][]string{{"reindex"}, {"doctor"}} {
		if got = mneme(t, "", e.variables(), append(args, "--dir", dir)...); got.code != 5 || !strings.Contains(got.out+got.err, "openai:tiny") {
			t.Errorf("%v = %+v, want 5", args, got)
		}
	}
}

func TestReindex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mneme(t, twoAffairs, nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatal(got)
	}
	reindex := func(args ...string) reindexed {
		t.Helper()
		return lines[reindexed](t, mneme(t, "", nil, append([]string{"reindex", "--dir", dir, "--json"}, args...)...))[0]
	}
	first := reindex("--embedder", "hashed")
	if first.Documents < 4 || first.Before != nil || first.Index != "local, in the store" || first.Space != (spaceLine{"hashed-384", 384, 1}) {
		t.Errorf("first = %+v", first)
	}
	second := reindex("--embedder", "hashed", "--set", "embedder_dim=64")
	if !strings.Contains(second.Pace, "texts/s, at most 64 at a time") {
		t.Errorf("pace = %q", second.Pace)
	}
	second.Pace = ""
	want := reindexed{Documents: first.Documents, Space: spaceLine{"hashed-64", 64, 1}, Index: first.Index, Before: &first.Space, Dropped: []spaceLine{}}
	same(t, "another dimension", want, second)
	got := mneme(t, "", nil, "doctor", "--dir", dir, "--embedder", "hashed")
	if got.code != 0 || !strings.Contains(got.out, "mneme reindex") || !strings.Contains(got.out, "hashed-64") || !strings.Contains(got.out, "texts/s") {
		t.Errorf("doctor = %+v, want the other embedder, the way out, and how fast it is", got)
	}
	third := reindex("--embedder", "hashed", "--set", "embedder_dim=32")
	if third.Before == nil || *third.Before != second.Space || len(third.Dropped) > 0 {
		t.Errorf("third = %+v, want nothing dropped unasked", third)
	}
	got = mneme(t, "", nil, "reindex", "--dir", dir, "--embedder", "hashed", "--drop-old")
	if got.code != 0 || strings.Count(got.out, "deleted") != 2 || !strings.Contains(got.out, third.Space.Model) || !strings.Contains(got.out, "hashed-64") {
		t.Errorf("back = %+v, want both that are not in use deleted, and named", got)
	}
	if again := reindex("--embedder", "hashed", "--drop-old"); again.Before != nil || len(again.Dropped) > 0 {
		t.Errorf("again = %+v, want nothing left to drop", again)
	}
	reindex("--embedder", "hashed", "--set", "embedder_dim=64")
	reindex("--embedder", "hashed")
	if late := reindex("--embedder", "hashed", "--drop-old"); late.Before != nil || !slices.Equal(late.Dropped, []spaceLine{second.Space}) {
		t.Errorf("late = %+v, want what an earlier run left deleted", late)
	}
	if got = mneme(t, "", nil, "reindex", "--dir", dir, "--embedder", "hashed"); !strings.Contains(got.out, "documents have vectors: hashed-384") || !strings.Contains(got.err, "1 of 1 users") {
		t.Errorf("reindex = %+v", got)
	}
}

// inStep is doctor's line about documents and their vectors; "" = none.
func inStep(t *testing.T, args ...string) string {
	t.Helper()
	for _, f := range lines[finding](t, mneme(t, "", nil, append([]string{"doctor", "--json"}, args...)...)) {
		if f.Kind == "part" && f.Name == "in step" {
			return f.Value
		}
	}
	return ""
}

func TestDoctorCountsWhatWaits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chat := func(text string, args ...string) {
		t.Helper()
		if got := mneme(t, text, nil, append([]string{"chat", "--dir", dir}, args...)...); got.code != 0 {
			t.Fatal(got)
		}
	}
	want := func(when, want string, args ...string) {
		t.Helper()
		if got := inStep(t, append([]string{"--dir", dir}, args...)...); got != want {
			t.Errorf("%s, doctor says %q, want %q", when, got, want)
		}
	}
	count := func() int {
		t.Helper()
		return lines[reindexed](t, mneme(t, "", nil, "reindex", "--dir", dir, "--json", "--embedder", "hashed"))[0].Documents
	}
	const waits = "; `mneme reindex` makes the others"
	want("before there is a store", "", "--embedder", "hashed")
	chat(twoAffairs)
	want("without an embedder", "")
	before := mneme(t, "", nil, "doctor", "--dir", dir, "--embedder", "hashed")
	if !strings.Contains(before.out, "0 of ") || !strings.Contains(before.out, "holds none yet") {
		t.Errorf("before any vector, doctor = %+v", before)
	}
	first := count()
	want("after reindexing", fmt.Sprintf("%d of %d documents have their vector", first, first), "--embedder", "hashed")
	want("of another embedder", fmt.Sprintf("%d of %d documents have their vector", first, first), "--embedder", "hashed", "--set", "embedder_dim=64")
	chat("The gutter leaks.\n", "--user", "bob") // nobody makes vectors meanwhile
	got := inStep(t, "--dir", dir, "--embedder", "hashed")
	all := count()
	if want := fmt.Sprintf("%d of %d documents have their vector%s", first, all, waits); all <= first || got != want {
		t.Errorf("after another user's turn, doctor says %q, want %q", got, want)
	}
}

func TestMadeSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	away := state.Errorf(state.Unavailable, "index", "is away")
	for want, got := range map[string]string{
		"0 of 0 documents have their vector":                                                made(index.Tally{}, nil),
		"3 of 4 documents have their vector; `mneme reindex` makes the others":              made(index.Tally{Documents: 4, Made: 3}, nil),
		"4 of at least 4 documents have their vector":                                       made(index.Tally{Documents: 4, Made: 4, More: true}, nil),
		"4 of at least 4 documents have their vector, then counting ended: " + away.Error(): made(index.Tally{Documents: 4, Made: 4, More: true}, away),
	} {
		if got != want {
			t.Errorf("made = %q, want %q", got, want)
		}
	}
}

func TestAffairsShowWhatIsLinked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mneme(t, "I ordered brake pads, order number 07-14244-53150.\n", nil, "chat", "--dir", dir); got.code != 0 {
		t.Fatal(got)
	}
	got := mneme(t, "", nil, "affairs", "show", "brake pads", "--dir", dir)
	if got.code != 0 || !strings.Contains(got.out, "linked") || !strings.Contains(got.out, "order: ") {
		t.Errorf("show = %+v, want the order's record", got)
	}
	all := lines[struct {
		Title  string
		Linked []struct {
			ID  string
			Via []string
		}
	}](t, mneme(t, "", nil, "affairs", "show", "brake pads", "--dir", dir, "--json"))
	if len(all) != 1 || !strings.Contains(all[0].Title, "Brake pads") || len(all[0].Linked) == 0 || len(all[0].Linked[0].Via) == 0 {
		t.Errorf("show --json = %+v", all)
	}
}

func TestWhereVectorsAre(t *testing.T) {
	t.Parallel()
	const address = "h:19530"
	tests := []struct {
		name    string
		flags   map[string]string
		environ []string
		milvus  bool
		refused string
	}{
		{"nothing said", nil, nil, false, ""},
		{"the variable", nil, []string{"MNEME_MILVUS_ADDR=" + address}, true, ""},
		{"local nearer than the address", map[string]string{"index": "local"}, []string{"MNEME_MILVUS_ADDR=" + address}, false, ""},
		{"local as near as the address", nil, []string{"MNEME_INDEX=local", "MNEME_MILVUS_ADDR=" + address}, false, ""},
		{"the address nearer than local", map[string]string{"milvus_addr": address}, []string{"MNEME_INDEX=local"}, true, ""},
		{"milvus and its address", map[string]string{"index": "milvus"}, []string{"MNEME_MILVUS_ADDR=" + address}, true, ""},
		{"milvus without an address", map[string]string{"index": "milvus"}, nil, false, "MNEME_MILVUS_ADDR"},
		{"no address", nil, []string{"MNEME_MILVUS_ADDR=u:secret@h:1"}, true, "environment MNEME_MILVUS_ADDR"},
		{"an unknown index", map[string]string{"index": "paper"}, nil, false, "local or milvus"},
		{"a bad prefix", map[string]string{"milvus_addr": address, "milvus_prefix": "1x"}, nil, true, "milvus prefix"},
		{"neither true nor false", map[string]string{"milvus_addr": address, "milvus_tls": "perhaps"}, nil, true, "milvus_tls (flag)"},
	}
	for _, tt := range tests {
		c, err := resolve(tt.flags, tt.environ)
		must(t, err)
		err = c.drivers()
		switch {
		case tt.refused == "" && (err != nil || c.onMilvus() != tt.milvus):
			t.Errorf("%s: on Milvus %v, %v, want %v", tt.name, c.onMilvus(), err, tt.milvus)
		case tt.refused != "" && (!errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.refused) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: %v, want Invalid that says %q", tt.name, err, tt.refused)
		}
	}
}

func TestKeysOfTheEmbedder(t *testing.T) {
	t.Parallel()
	environ := []string{
		"MNEME_EMBEDDER=dashscope:text-embedding-v4", "DASHSCOPE_API_KEY=sk-d", "MNEME_ARK_API_KEY=sk-a", "OPENAI_API_KEY=sk-o",
		"OPENAI_BASE_URL=http://127.0.0.1:9/v1", "MNEME_MILVUS_ADDR=h:1", "MNEME_MILVUS_TOKEN=to", "MNEME_MILVUS_TLS=true", "TRANSFORMER_MAX_SEQ_LEN=64",
	}
	c, err := resolve(map[string]string{"dir": t.TempDir()}, environ)
	if err != nil || c.get("embedder_api_key") != "sk-d" || c.get("embedder_base_url") != "" || c.get("api_key") != "" {
		t.Fatalf("key %q, base URL %q, %v", c.get("embedder_api_key"), c.get("embedder_base_url"), err)
	}
	e, err := c.embedder(t.Context())
	if err != nil || e.String() != "dashscope:text-embedding-v4, windows of 64 tokens" {
		t.Errorf("embedder %v: %v", e, err)
	}
	if at, err := c.milvus(); err != nil || at.APIKey != "to" || !at.EnableTLS {
		t.Errorf("milvus: %v", err)
	}
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}} {
		got := mneme(t, "", append(environ, "MNEME_MILVUS_ADDR=u:pass-word@127.0.0.1:1", "MNEME_EMBEDDER=none"), append(args, "--dir", t.TempDir())...)
		for _, secret := range []string{"sk-", "pass-word"} {
			if strings.Contains(got.out+got.err, secret) {
				t.Errorf("%v shows %s:\n%s%s", args, secret, got.out, got.err)
			}
		}
	}
}

func TestMilvusWithoutAnEmbedder(t *testing.T) {
	t.Parallel()
	dir, variable := t.TempDir(), []string{"MNEME_MILVUS_ADDR=127.0.0.1:1"}
	got := mneme(t, twoAffairs, variable, "chat", "--dir", dir)
	if got.code != 0 || strings.Count(got.err, "there is no embedder: nothing is kept there; set MNEME_EMBEDDER=") != 1 {
		t.Errorf("chat = %+v, want it said once", got)
	}
	got = mneme(t, "", variable, "doctor", "--dir", dir, "--json")
	if !strings.Contains(got.out, `{"kind":"degraded","name":"vectors","value":"Milvus is set but there is no embedder`) {
		t.Errorf("doctor = %+v", got)
	}
	if got = mneme(t, "", variable, "reindex", "--dir", dir); got.code != 2 || !strings.Contains(got.err, "MNEME_EMBEDDER") {
		t.Errorf("reindex = %+v, want 2", got)
	}
}

// One variable is the whole switch to Milvus: chat, recall, reindex, replay, eval and doctor then keep vectors there.
func TestOnMilvus(t *testing.T) {
	t.Parallel()
	s := milvustest.Start(t)
	dir := t.TempDir()
	variables := []string{"MNEME_MILVUS_ADDR=" + s.Address, "MNEME_EMBEDDER=hashed", "MNEME_EMBEDDER_DIM=64", "MNEME_DIR=" + dir}
	if got := mneme(t, twoAffairs, variables, "chat"); got.code != 0 || got.err != "" {
		t.Fatalf("chat = %+v", got)
	}
	hits := lines[hitLine](t, mneme(t, "", variables, "recall", "--json", "terriers"))
	if len(hits) == 0 || !strings.Contains(hits[0].Text, "terrier") || hits[0].Why.Fields.Near == 0 {
		t.Errorf("hits %+v, want the terrier", hits)
	}
	got := mneme(t, "", variables, "doctor")
	if got.code != 0 || !strings.Contains(strings.Join(strings.Fields(got.out), " "), "milvus at "+s.Address+", answers in") || !strings.Contains(got.out, "of user default") ||
		!strings.Contains(got.out, "documents have their vector") {
		t.Errorf("doctor = %+v", got)
	}
	done := lines[reindexed](t, mneme(t, "", variables, "reindex", "--json", "--drop-old", "--set", "embedder_dim=32"))
	if len(done) != 1 || !slices.Equal(done[0].Dropped, []spaceLine{*done[0].Before}) || done[0].Documents < 4 || done[0].Index != "milvus at "+s.Address {
		t.Errorf("reindex = %+v", done)
	}
	onMilvusTrials(t, s, variables)
	s.Stop()
	if got = mneme(t, "Where is the terrier?\n", variables, "chat"); got.code != 0 || !strings.Contains(got.err, "words go on alone") {
		t.Errorf("chat without the server = %+v, want it to go on", got)
	}
	if got = mneme(t, "", variables, "doctor"); got.code != 5 || !strings.Contains(got.out, "cannot be reached") {
		t.Errorf("doctor without the server = %+v, want 5", got)
	}
}

// onMilvusTrials plays and measures there, and leaves nothing behind.
func onMilvusTrials(t *testing.T, s *milvustest.Server, variables []string) {
	t.Helper()
	story, data := filepath.Join(t.TempDir(), "story.yaml"), filepath.Join(t.TempDir(), "data.jsonl")
	write(t, story, `name: two stories do not meet
turns:
  - {user: "The boiler is serviced in October.", model: [{say: Noted.}], expect: {recall: [{query: boilers, contains: boiler, rank: 2}]}}
---
name: killed
turns:
  - {user: "The gutter leaks.", model: [{say: Noted.}], crash: after respond/model, expect: {recall: [{query: boilers, absent: boiler}, {query: gutters, contains: gutter}]}}
`)
	if got := mneme(t, "", variables[:3], "replay", story); got.code != 0 || !strings.Contains(got.out, "2 of 2") {
		t.Errorf("replay = %+v", got)
	}
	write(t, data, `{"op":"turn","conversation":"c","session":"s1","id":"1","role":"user","at":"2026-01-01T00:00:00Z","text":"The boiler is serviced in October."}
{"op":"turn","conversation":"c","session":"s1","id":"2","role":"user","at":"2026-01-01T00:01:00Z","text":"The gutter leaks."}
{"op":"query","conversation":"c","id":"q","text":"boilers","gold":["1"],"category":"1"}
`)
	for _, args := range [][]string{variables[:3], {"MNEME_EMBEDDER=hashed"}, nil} {
		got := mneme(t, "", args, "eval", "retrieval", "--data", data, "--json")
		var figures map[string]any
		if err := json.Unmarshal([]byte(got.out), &figures); err != nil || got.code != 0 || figures["recall@1"] != 1.0 || strings.Contains(got.err, "embedder") {
			t.Errorf("eval with %v = %+v", args, got)
		}
	}
	if left := collections(t, s.Address); strings.Contains(strings.Join(left, " "), "mneme_trial_") {
		t.Errorf("collections %v, want none of a trial", left)
	}
}
