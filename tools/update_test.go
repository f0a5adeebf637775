package tools_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// updateStep is one call and what its result holds.
type updateStep struct{ tool, args, holds, misses string }

func TestUpdate(t *testing.T) {
	t.Parallel()
	const update = tools.MemoryUpdate
	for name, steps := range map[string][]updateStep{
		"remembered, shown, forgotten": {
			{update, `{"action":"remember","text":"My cat is called Micka"}`, "remembered ", ""},
			{update, `{"action":"show"}`, "remembered: 1 record\n" + heading + "- ", ""},
			{update, `{"action":"show","text":"cat"}`, "My cat is called Micka", ""},
			{update, `{"action":"show","text":"dog"}`, "nothing is remembered of dog", ""},
			{update, `{"action":"show","text":"the roof"}`, "nothing is remembered of the roof", ""},
			{update, `{"action":"forget","text":"the cat"}`, "forgotten 1 record\n" + heading + "- ", ""},
			{update, `{"action":"show"}`, "nothing is remembered", "Micka"},
			{tools.MemoryRecall, `{"query":"what is the cat called"}`, "nothing found", "Micka"},
		},
		"what lies in other affairs is told": {
			{tools.MemoryStore, `{"subject":"part","content":"The part costs $41.20","category":"fact","affair_id":"Objednávka dílu z eBay"}`, "stored fact", ""},
			{update, `{"action":"show"}`, "nothing is remembered; besides, other affairs keep 1 record", "41.20"},
			{update, `{"action":"show","text":"the part"}`, "nothing is remembered of the part; besides, other affairs keep 1 record", "41.20"},
			{update, `{"action":"show","text":"the roof"}`, "nothing is remembered of the roof", "other affairs"},
		},
		"more than was meant": {
			{update, `{"action":"remember","text":"The office on Main Street is open from eight to six, ring twice and ask for Hana"}`, "remembered", ""},
			{update, `{"action":"forget","text":"Main Street"}`, "forgotten 1 record; what else was said there is gone too", ""},
		},
		"the last one": {
			{update, `{"action":"remember","text":"The spare key is under the blue pot"}`, "remembered", ""},
			{update, `{"action":"forget"}`, "blue pot", ""},
			{update, `{"action":"show"}`, "nothing is remembered", ""},
		},
		"corrected": {
			{update, `{"action":"remember","text":"My birthday is on 3 May"}`, "remembered", ""},
			{update, `{"action":"correct","text":"My birthday is on 5 May"}`, "corrected", ""},
			{update, `{"action":"show"}`, "5 May", "3 May"},
		},
		"corrected: this, not that": {
			{update, `{"action":"remember","text":"Моя дача в Твери"}`, "remembered", ""},
			{update, `{"action":"correct","text":"дача не в Твери, а в Торжке"}`, "corrected", ""},
			{update, `{"action":"correct","text":"не в Торжке, а в Бежецке"}`, "corrected", ""},
			{update, `{"action":"show"}`, "в Бежецке", "не в Торжке"},
		},
		"pinned": {
			{update, `{"action":"remember","text":"My cat is called Micka"}`, "remembered", ""},
			{update, `{"action":"pin","text":"cat"}`, "pinned 1 record", ""},
			{update, `{"action":"show"}`, ", pinned)", ""},
			{update, `{"action":"unpin","text":"cat"}`, "unpinned 1 record", ""},
			{update, `{"action":"show"}`, "Micka", ", pinned"},
			{update, `{"action":"pin","text":"The cat is allergic to fish"}`, "remembered", "Micka"},
			{update, `{"action":"show"}`, "allergic to fish (record fact, 2026-02-15, id ", "Micka (record fact, 2026-02-15, id x, pinned"},
		},
		"a topic": {
			{update, `{"action":"remember","text":"My cat is called Micka"}`, "remembered", ""},
			{update, `{"action":"remember","text":"The vet of the cat is Dr. Novotny"}`, "remembered", ""},
			{update, `{"action":"remember","text":"I play the cello"}`, "remembered", ""},
			{tools.MemoryStore, `{"subject":"cat food","content":"ordered for the cat","category":"order","affair_id":"a-objednávka"}`, "stored", ""},
			{update, `{"action":"clear_topic","text":"cat"}`, "forgotten 2 records", "cello"},
			{update, `{"action":"show"}`, "cello", "Micka"},
			{tools.MemoryRecall, `{"query":"cat food","scope":"kb_only"}`, "ordered for the cat", "Micka"},
		},
		"a task": {
			{tools.ScheduleTask, `{"title":"Call the vet","due":"2026-03-01 14:30","note":"about the cat"}`, "scheduled ", ""},
			{update, `{"action":"show"}`, "due 2026-03-01 14:30", ""},
			{tools.MemoryRecall, `{"query":"call the vet"}`, "about the cat", ""},
			{update, `{"action":"forget","text":"call the vet"}`, "forgotten 1 record", ""},
			{update, `{"action":"show"}`, "nothing is remembered", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, nil)
			for i, s := range steps {
				got, err := b.call(t, s.tool, s.args)
				if err != nil || !strings.Contains(got, s.holds) || s.misses != "" && strings.Contains(got, s.misses) {
					t.Fatalf("step %d, %s %s: %v\n%s\nwant %q, not %q", i, s.tool, s.args, err, got, s.holds, s.misses)
				}
			}
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, c := range []struct {
		tool, args string
		code       state.Code
		want       string
	}{
		{tools.MemoryUpdate, `{}`, state.Invalid, `memory_update: the argument "action" is missing`},
		{tools.MemoryUpdate, `{"action":"burn"}`, state.Invalid, `memory_update: action "burn" is unknown; use one of remember, do_not_remember, forget, correct, pin, unpin, show, clear_topic, done, suggestions, approve, reject`},
		{tools.MemoryUpdate, `{"action":"remember"}`, state.NotFound, `message before: there is none; say what is meant`},
		{tools.MemoryUpdate, `{"action":"do_not_remember"}`, state.NotFound, `message before: there is none; say what is meant`},
		{tools.MemoryUpdate, `{"action":"pin"}`, state.NotFound, `message before: there is none; say what is meant`},
		{tools.MemoryUpdate, `{"action":"correct","text":"My shoe size is 43"}`, state.NotFound, `memory_update: nothing is remembered that My shoe size is 43 corrects; ask what is meant, or call remember if it is to be kept`},
		{tools.MemoryUpdate, `{"action":"correct"}`, state.Invalid, `memory_update: the argument "text" is missing`},
		{tools.MemoryUpdate, `{"action":"clear_topic"}`, state.NotFound, `amend memory: no record is meant by "everything"; nothing is remembered yet`},
		{tools.MemoryUpdate, `{"action":"forget","text":"the cat"}`, state.NotFound, `amend memory: no record is meant by "the cat"; nothing is remembered yet`},
		{tools.MemoryUpdate, `{"action":"pin","id":"r9"}`, state.NotFound, `amend memory: no record is meant by "r9"; nothing is remembered yet`},
		{tools.ScheduleTask, `{"due":"2026-03-01"}`, state.Invalid, `schedule_task: the argument "title" is missing`},
		{tools.ScheduleTask, `{"title":"x"}`, state.Invalid, `schedule_task: the argument "due" is missing`},
		{tools.ScheduleTask, `{"title":"x","due":"tomorrow"}`, state.Invalid, `schedule_task: due "tomorrow" is no time; write 2026-03-01, 2026-03-01 14:30 or RFC 3339`},
	} {
		if got, err := b.call(t, c.tool, c.args); state.CodeOf(err) != c.code || err.Error() != c.want {
			t.Errorf("%s %s: %q, %v\nwant %s", c.tool, c.args, got, err, c.want)
		}
	}
	b = setup(t, func(s *state.Settings) { s.Autonomy = 0 })
	for _, args := range []string{`{"action":"remember","text":"x y"}`, `{"action":"forget","text":"cat"}`, `{"action":"clear_topic","text":"cat"}`, `{"action":"do_not_remember"}`} {
		if _, err := b.call(t, tools.MemoryUpdate, args); state.CodeOf(err) != state.Denied {
			t.Errorf("autonomy 0, %s: %v", args, err)
		}
	}
}

// What a step forgets it does not find any more, and the store learns of it with the step.
func TestForgettingInAStepWaitsForItsCommit(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	if _, err := b.call(t, tools.MemoryUpdate, `{"action":"remember","text":"My cat is called Micka"}`); err != nil {
		t.Fatal(err)
	}
	sink := &state.Effects{}
	ctx := state.ContextWithEffects(b.inTurn(t.Context(), "a-unicorn"), sink)
	if _, err := b.tools[tools.MemoryUpdate].InvokableRun(ctx, `{"action":"forget","text":"cat"}`); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]string{tools.MemoryRecall: `{"query":"cat"}`, tools.MemoryUpdate: `{"action":"show"}`} {
		if got, err := b.tools[tool].InvokableRun(ctx, args); err != nil || strings.Contains(got, "Micka") {
			t.Errorf("the step still finds it by %s: %s, %v", tool, got, err)
		}
	}
	valid := func() (n int) {
		records, err := b.memory.Records(t.Context(), b.scope)
		must(t, err)
		for _, r := range records {
			if r.ValidTo == nil {
				n++
			}
		}
		return n
	}
	if before := valid(); before != 1 {
		t.Errorf("before the commit %d records are valid", before)
	}
	b.commit(t, sink.Take()...)
	if after := valid(); after != 0 {
		t.Errorf("after the commit %d records are valid", after)
	}
}

// A task that is done is ended by its name or its id, and by no other record's.
func TestTaskDone(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, args := range []string{`{"title":"Send the enrolment slip","due":"2026-03-01"}`, `{"title":"Call the vet","due":"2026-03-02"}`} {
		if _, err := b.call(t, tools.ScheduleTask, args); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.call(t, tools.MemoryStore, `{"subject":"slip","content":"The enrolment slip goes by post","category":"fact"}`); err != nil {
		t.Fatal(err)
	}
	if got, err := b.call(t, tools.MemoryUpdate, `{"action":"done","text":"the enrolment slip was sent"}`); err != nil || got != "done: Send the enrolment slip" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := b.call(t, tools.MemoryUpdate, `{"action":"done","text":"the enrolment slip"}`); state.CodeOf(err) != state.NotFound {
		t.Errorf("a second time: %v", err)
	}
	tasks, err := b.memory.Tasks().List(t.Context(), b.scope)
	if err != nil || len(tasks) != 1 || tasks[0].Subject != "Call the vet" {
		t.Errorf("open: %v, %v", tasks, err)
	}
	if got, err := b.call(t, tools.MemoryUpdate, `{"action":"show","text":"slip"}`); err != nil || !strings.Contains(got, "goes by post") {
		t.Errorf("the fact beside it is gone: %q, %v", got, err)
	}
}

// A wall-clock time is of the user's zone, and a day is no midnight.
func TestTasksInTheUsersZone(t *testing.T) {
	t.Parallel()
	b := setup(t, func(s *state.Settings) { s.TimeZone = "Europe/Prague" })
	for due, want := range map[string]struct{ told, at string }{
		"2026-07-01 14:30":          {"due 2026-07-01 14:30 CEST", "2026-07-01T12:30:00Z"},
		"2026-03-01":                {"due 2026-03-01: ", "2026-02-28T23:00:00Z"},
		"2026-03-01T18:45:00+03:00": {"due 2026-03-01 16:45 CET", "2026-03-01T15:45:00Z"},
	} {
		got, err := b.call(t, tools.ScheduleTask, `{"title":"Fetch the parcel of `+want.at+`","due":"`+due+`"}`)
		if err != nil || !strings.Contains(got, want.told) {
			t.Errorf("%s: %q, %v; want %q", due, got, err, want.told)
		}
		tasks, err := b.memory.Tasks().List(t.Context(), b.scope)
		if err != nil || !slices.ContainsFunc(tasks, func(r state.Record) bool { return r.Due.UTC().Format(time.RFC3339) == want.at }) {
			t.Errorf("%s: no task is due %s: %v, %v", due, want.at, tasks, err)
		}
	}
}

// What is forgotten by its id is not quoted: no later request of the turn is to hold it.
func TestForgettingByIDQuotesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	said, err := b.call(t, tools.MemoryUpdate, `{"action":"remember","text":"The gate code is 4471"}`)
	must(t, err)
	id := strings.TrimSuffix(strings.Fields(said)[2], ":")
	got, err := b.call(t, tools.MemoryUpdate, `{"action":"forget","id":"`+id+`"}`)
	if err != nil || got != "forgotten 1 record" {
		t.Errorf("forget %s: %q, %v", id, got, err)
	}
}

// A correction of which it is not sure what it corrects names what is near, by its id: the model tells what is meant.
func TestWhatMayBeCorrectedIsNamed(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	if _, err := b.call(t, tools.MemoryUpdate, `{"action":"remember","text":"Petr má narozeniny 12. května"}`); err != nil {
		t.Fatal(err)
	}
	_, err := b.call(t, tools.MemoryUpdate, `{"action":"correct","text":"Petr's dentist is on May 14"}`)
	if state.CodeOf(err) != state.NotFound || !strings.Contains(err.Error(), "correct it by its id") || !strings.Contains(err.Error(), "(Petr má narozeniny 12. května)") {
		t.Errorf("got %v, want an error that names what is near", err)
	}
}
