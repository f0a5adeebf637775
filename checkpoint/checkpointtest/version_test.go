package checkpointtest

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// written holds threads as former releases wrote them, one in each file. To add one: let the release that is to be
// kept write the thread with TestWriteGolden, which says how, and leave the file alone from then on.
//
//go:embed testdata/written
var written embed.FS

// golden is a thread as a release has written it, and what readers see of it.
type golden struct {
	Made  string            `json:"made"`  // by which release and how
	Steps []json.RawMessage `json:"steps"` // {"id": behind the thread's key, "body": the document as extended JSON}
	Sees  []string          `json:"sees"`  // each step with the state after it, newest first
	Ends  told              `json:"ends"`  // the state when the unfinished turn was gone on with, or after one more turn
}

func versionCases() []check {
	files, err := fs.Glob(written, "testdata/written/*.json")
	if err != nil {
		panic("the suite's own files are missing")
	}
	var cases []check
	for _, f := range files {
		cases = append(cases, check{"a thread as it was written by " + strings.TrimSuffix(path.Base(f), ".json"), func(b *bench) { b.reads(f) }})
	}
	return cases
}

func (b *bench) reads(file string) {
	raw, err := written.ReadFile(file)
	b.wantErr("ReadFile", err, nil)
	var want golden
	b.wantErr(file, json.Unmarshal(raw, &want), nil)
	th := b.thread("x")
	for _, s := range want.Steps {
		var d struct {
			ID   string `bson:"id"`
			Body bson.D `bson:"body"`
		}
		b.wantErr(file, bson.UnmarshalExtJSON(s, true, &d), nil)
		b.wantErr("Write", b.store.Write(b.Context(), store.Doc{Collection: state.Steps, ID: th.StepPrefix() + d.ID, Body: must(d.Body)}), nil)
	}
	g := b.graph(plan{})
	b.want("what was written", want.Sees, b.everything(g, th))
	b.later() // it has no signpost: whoever wrote it may be at work
	end, err := b.goOn(g, th)
	b.wantErr("going on", err, nil)
	b.want("the end", want.Ends, tell(end))
	b.turns(g, th, "after")
	b.prune(g, th, 1)
	b.want("the turn after", want.Ends.Sum+3, b.state(g, th, 0).State.Sum.Get())
}

func (b *bench) goOn(g *graph, th state.Thread) (story, error) {
	open, err := g.Unfinished(b.Context(), th)
	if err != nil || !open {
		return b.state(g, th, 0).State, err
	}
	return g.Resume(b.Context(), th, nil)
}

// record makes a golden file of a thread that the current release writes: finished turns, folded or not, one that was
// cut short, with a snapshot.
func record(b *bench, folded bool) ([]byte, error) {
	p := plan{flow: flow.Config[story]{SnapshotEvery: 4}}
	if !folded {
		p = unfolded(p)
	}
	th := b.thread("x")
	b.turns(b.graph(p), th, "t1", "t2", "t3")
	p.do = fails("c")
	b.broken(b.graph(p), th, "t4")
	b.later()
	docs, err := b.store.Scan(b.Context(), store.Query{Collection: state.Steps, Prefix: th.StepPrefix()})
	if err != nil {
		return nil, err
	}
	out := golden{Made: fmt.Sprintf("schema %d, folded %t", b.state(b.graph(p), th, 0).Version, folded), Sees: b.everything(b.graph(p), th)}
	for _, d := range docs {
		ext, err := bson.MarshalExtJSON(bson.D{{Key: "id", Value: d.ID[len(th.StepPrefix()):]}, {Key: "body", Value: d.Body}}, true, false)
		if err != nil {
			return nil, err
		}
		out.Steps = append(out.Steps, ext)
	}
	end, err := b.goOn(b.graph(plan{}), th)
	out.Ends = tell(end)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(out)
	lines := strings.NewReplacer(`,{"id"`, ",\n{\"id\"", `[{"id"`, "[\n{\"id\"", `],"`, "],\n\"", `}","`, "}\",\n\"", `["`, "[\n\"")
	return []byte(lines.Replace(string(raw))), err
}
