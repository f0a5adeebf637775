package memory_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// docsWith names the documents that have a word.
func docsWith(t *testing.T, w *world, word string) (in []string) {
	t.Helper()
	for _, c := range store.Collections() {
		docs, err := w.store.Scan(t.Context(), store.Query{Collection: c})
		must(t, err)
		for _, d := range docs {
			if bytes.Contains(d.Body, []byte(word)) {
				in = append(in, string(c)+" "+d.ID)
			}
		}
	}
	return in
}

// suggest leaves a suggestion to remember something.
func suggestTo(t *testing.T, m *memory.Memory, o memory.Origin, c memory.Change) state.Suggestion {
	t.Helper()
	o.Suggests = true
	if o.Tool != "" {
		o.Call = "1/" + c.Content
	}
	_, err := m.Write(memory.ContextWithOrigin(t.Context(), o), o.Scope, c)
	code(t, err, state.Denied)
	list := suggestions(t, m, false)
	at := slices.IndexFunc(list, func(s state.Suggestion) bool { return strings.Contains(s.Text, c.Content) })
	if at < 0 {
		t.Fatalf("%q is not suggested: %+v", c.Content, list)
	}
	return list[at]
}

// What was suggested goes with what it was made of; another suggestion stays, to the byte.
func TestForgetReachesSuggestions(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		for kind, what := range map[string]func(m *memory.Memory, first turn, s state.Suggestion) forget.What{
			"topic": func(*memory.Memory, turn, state.Suggestion) forget.What { return forget.What{Topic: "kx77canary"} },
			"record": func(m *memory.Memory, _ turn, s state.Suggestion) forget.What { // that it was approved as
				if _, err := m.Suggestions().Answer(t.Context(), in("s1"), s.ID, state.Answer{Choice: state.Edit, Value: `"locks with kx77canary"`}); err != nil {
					t.Error(err)
				}
				records, err := m.Records(t.Context(), in("s1"))
				if err != nil || len(records) == 0 {
					t.Errorf("records: %+v, %v", records, err)
				}
				return forget.What{Record: records[len(records)-1].ID}
			},
			"affair": func(_ *memory.Memory, first turn, _ state.Suggestion) forget.What {
				return forget.What{Affair: first.view.Target}
			},
			"session": func(*memory.Memory, turn, state.Suggestion) forget.What { return forget.What{Session: "s1"} },
			"clear session": func(*memory.Memory, turn, state.Suggestion) forget.What {
				return forget.What{Clear: forget.ClearSession}
			},
			"user":     func(*memory.Memory, turn, state.Suggestion) forget.What { return forget.What{User: true} },
			"answered": func(*memory.Memory, turn, state.Suggestion) forget.What { return forget.What{Topic: "kx77canary"} },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				w := open()
				m, scope := w.memory(t, nil), in("s1")
				first := w.turn(t, m, scope, opens("Garage"), "The garage door needs kx77canary, I will go there on Friday.")
				asked := memory.Origin{Scope: scope, Turn: first.view.Turn[0].Turn, Seq: 1, Affair: first.view.Target, Tool: "memory_store"}
				s := suggestTo(t, m, asked, memory.Change{Subject: "garage", Content: "door needs kx77canary"})
				if kind == "answered" {
					if _, err := m.Suggestions().Answer(t.Context(), scope, s.ID, state.Answer{Choice: state.Reject, Reason: "not kx77canary"}); err != nil {
						t.Fatal(err)
					}
				}
				other := suggestTo(t, m, memory.Origin{Scope: in("s2")}, memory.Change{Subject: "dentist", Content: "called Anna Novak"})

				receipt, err := m.Forget().Erase(t.Context(), scope, what(m, first, s))
				must(t, err)
				if at := docsWith(t, w, "kx77canary"); len(at) > 0 {
					t.Errorf("the word is left in %q", at)
				}
				at := slices.IndexFunc(receipt.Layers, func(l state.OrderLayer) bool { return l.Name == string(state.Suggestions) })
				if at < 0 || receipt.Layers[at].Count < 1 || receipt.Layers[at].Left != 0 || receipt.Layers[at].Plan != receipt.Layers[at].Count {
					t.Errorf("the receipt: %+v", receipt.Layers)
				}
				left := suggestions(t, m, true)
				if stays := kind != "user"; stays && (len(left) != 1 || left[0].ID != other.ID) || !stays && len(left) > 0 {
					t.Errorf("suggestions that are left: %+v", left)
				}
				_, err = m.Suggestions().Answer(t.Context(), scope, s.ID, state.Answer{Choice: state.Approve})
				code(t, err, state.NotFound)
				if at := docsWith(t, w, "kx77canary"); len(at) > 0 {
					t.Errorf("after an answer the word is back in %q", at)
				}
			})
		}
	}
}

// What is known of the user goes, with what was suggested to be; what was suggested about an affair stays.
func TestClearGlobalReachesSuggestions(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m, scope := w.memory(t, nil), in("s1")
	boat, err := m.Affairs().Create(t.Context(), scope, "Boat", memory.AffairChange{})
	must(t, err)
	suggestTo(t, m, memory.Origin{Scope: scope}, memory.Change{Content: "is allergic to nuts", About: state.AboutUser})
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: scope, Suggests: true})
	_, err = m.Affairs().Edit(ctx, scope, boat.ID, memory.AffairChange{Title: "Old boat"})
	code(t, err, state.Denied)
	if _, err := m.Forget().Erase(t.Context(), scope, forget.What{Clear: forget.ClearGlobal}); err != nil {
		t.Fatal(err)
	}
	if left := suggestions(t, m, true); len(left) != 1 || left[0].Asks != "edit affair" {
		t.Errorf("left: %+v", left)
	}
}

// What is set for a user, or for a client, goes with him, and who set it why. A process that has read it goes by it no more.
func TestForgetReachesSettings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		level settings.Level
		what  forget.What
		user  string // who is forgotten
	}{
		"user":                      {settings.ForUser, forget.What{User: true}, "u1"},
		"client":                    {settings.ForClient, forget.What{Client: true}, "u1"},
		"a user of a client":        {settings.ForUser, forget.What{Client: true}, "u1"},
		"who has never said a word": {settings.ForUser, forget.What{Client: true}, "u9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			m, other, scope := w.memory(t, nil), w.memory(t, nil), in("s1")
			scope.User = tt.user
			if name != "who has never said a word" {
				write(t, m, scope, memory.Change{Content: "The gate is B7"})
			}
			change := func(value string) {
				t.Helper()
				_, err := m.Settings().Change(t.Context(), tt.level, scope, settings.Edit{Set: map[string]string{"max_tokens": value}, By: "olga", Why: "kx77canary"})
				must(t, err)
			}
			for i := range 70 { // some of them are history in a document of its own
				change([]string{"4000", "5000"}[i%2])
			}
			if set, err := other.Settings().In(t.Context(), scope); err != nil || set.MaxTokens != 5000 {
				t.Fatalf("set %+v, %v", set.MaxTokens, err)
			}
			if _, err := m.Forget().Erase(t.Context(), scope, tt.what); err != nil {
				t.Fatal(err)
			}
			if at := docsWith(t, w, "kx77canary"); len(at) > 0 {
				t.Errorf("the word is left in %q", at)
			}
			w.pass(1e9)
			if set, err := other.Settings().In(t.Context(), scope); err != nil || set.MaxTokens == 5000 {
				t.Errorf("another process goes by it still: %v", err)
			}
			if history, err := m.Settings().History(t.Context(), tt.level, scope); err != nil || len(history) > 0 {
				t.Errorf("history: %+v, %v", history, err)
			}
			change("6000")
			if set, err := m.Settings().In(t.Context(), scope); err != nil || set.MaxTokens != 6000 {
				w.pass(1e9)
				if set, err = m.Settings().In(t.Context(), scope); err != nil || set.MaxTokens != 6000 {
					t.Errorf("set anew: %d, %v", set.MaxTokens, err)
				}
			}
		})
	}
}

// Of a message of which nothing is to be kept nothing stands in its affair either: no title, topic, action or summary. What others say stays.
func TestWithheldLeavesNothingInTheAffair(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ before, secret, word, stays string }{
		"en, opened by it": {"", "I want to sell my grandmother's emerald necklace, please call the jeweller.", "emerald", ""},
		"cs, opened by it": {"", "Chci prodat babiččin smaragdový náhrdelník, musím zavolat klenotníkovi.", "smaragd", ""},
		"pl, opened by it": {"", "Chcę sprzedać szmaragdowy naszyjnik babci, muszę zadzwonić do jubilera.", "szmaragd", ""},
		"ru, opened by it": {"", "Хочу продать изумрудное ожерелье бабушки, нужно позвонить ювелиру.", "изумруд", ""},
		"en, one of two":   {"The roof of the cottage leaks, I have to order new tiles.", "By the way, the emerald necklace pays for it, I must call the jeweller.", "emerald", "roof"},
	} {
		for _, by := range []string{"rules", "model"} {
			t.Run(name+", titled by "+by, func(t *testing.T) {
				t.Parallel()
				w := newWorld()
				m, scope := w.memory(t, nil), in("s1")
				if tt.before != "" {
					w.turn(t, m, scope, opens("Roof of the cottage"), tt.before)
				}
				small := judges(state.NewAffair, "", tt.secret, .95)
				switch {
				case tt.before != "":
					small = judges(state.Continue, "", "", .95)
				case by == "rules":
					small = nil
				}
				if got := w.turn(t, m, scope, small, tt.secret); got.view.Target == "" {
					t.Fatal("the message has no affair")
				}
				if _, err := m.Turn().Withhold(memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: scope, Turn: "t9", Seq: 99, Tool: "memory_update"}), scope, true); err != nil {
					t.Fatal(err)
				}
				docs, err := w.store.Scan(t.Context(), store.Query{Collection: state.Affairs})
				must(t, err)
				for _, d := range docs {
					if has := strings.ToLower(string(d.Body)); strings.Contains(has, tt.word) || !strings.Contains(has, tt.stays) {
						t.Errorf("affair %s: %q", d.ID, has)
					}
				}
			})
		}
	}
}

// Others are kept out for as long as the erasing takes, and not while the texts are read: that is done once, before the order.
func TestForgetReadsTheTextsOnce(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), nil, "The locker has number kx77canary. The gate is green.")
	reading := &counted{Store: w.store}
	if _, err := w.process(reading).memory(t, nil).Forget().Erase(t.Context(), in("s1"), forget.What{Topic: "kx77canary"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []state.Collection{state.Messages, state.Suggestions} {
		n := 0
		for _, q := range reading.asked {
			if q.Collection == c {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the %s are read %d times, want 1", c, n)
		}
	}
	if at := docsWith(t, w, "kx77canary"); len(at) > 0 {
		t.Errorf("it is left in %q", at)
	}
}
