package state_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
)

func TestScopeDefaultAndMerge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		got  state.Scope
		want state.Scope
	}{
		{"default", state.Scope{}.Default(), state.Scope{Client: "default", User: "default", Agent: "main", Session: "default"}},
		{"default keeps", state.Scope{User: "u", Project: "p"}.Default(), state.Scope{Client: "default", Project: "p", User: "u", Agent: "main", Session: "default"}},
		{"merge", state.Scope{Client: "c", User: "u"}.Merge(state.Scope{User: "v", Session: "s"}), state.Scope{Client: "c", User: "v", Session: "s"}},
		{"merge all", state.Scope{}.Merge(state.Scope{Client: "1", Project: "2", User: "3", Agent: "4", Session: "5"}), state.Scope{Client: "1", Project: "2", User: "3", Agent: "4", Session: "5"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			same(t, "got", tt.want, tt.got)
		})
	}
}

func TestValidateID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id   string
		want string // part of the error, "" = valid
	}{
		{"a", ""}, {"anna@example.org", ""}, {"uživatel 1", ""}, {strings.Repeat("x", 128), ""}, {".", ""},
		{"", "is empty"},
		{strings.Repeat("x", 129), "has 129 bytes"},
		{"a/b", "contains '/'"},
		{`{"$ne":""}`, "contains '$'"},
		{"a\xff", "not valid UTF-8"},
		{"a\nb", "control character"},
		{"\x00", "control character"},
		{"аnna", ""}, {"日本語", ""}, {"\u0e01\u0e33", ""}, // a Cyrillic letter is another id
		{"an\u200bna", "invisible mark U+200B"}, {"\ufeffanna", "U+FEFF"}, {"an\u00adna", "U+00AD"}, {"anna\u2060", "U+2060"},
		{"anna\u202e", "U+202E"}, {"\u2066anna\u2069", "U+2066"}, {"anna\u061c", "U+061C"},
		{"anna\U000e0041", "U+E0041"}, {"anna\ufe0f", "U+FE0F"}, {"anna\U000e0100", "U+E0100"}, {"anna\u2028", "U+2028"}, {"\u115fanna", "U+115F"},
		{" a", "begins or ends with a space"}, {"a ", "begins or ends with a space"}, {"a\u00a0", "begins or ends with a space"}, {"\u3000a", "begins or ends with a space"},
		{"r\u030ceka", "send it as NFC: \"řeka\""}, {"\u212bngström", "send it as NFC"},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			err := state.ValidateID("user", tt.id)
			if tt.want == "" {
				if err != nil {
					t.Errorf("error = %v", err)
				}
				return
			}
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "user id") {
				t.Errorf("error = %v, want invalid, user id, %q", err, tt.want)
			}
		})
	}
}

func TestScopeValidate(t *testing.T) {
	t.Parallel()
	good := state.Scope{Client: "c", User: "u", Session: "s"}
	if err := good.Validate(); err != nil {
		t.Errorf("without project and agent: %v", err)
	}
	for _, over := range []state.Scope{{Client: "/"}, {User: "/"}, {Session: "/"}, {Project: "/"}, {Agent: "/"}} {
		if err := good.Merge(over).Validate(); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%+v: %v, want invalid", over, err)
		}
	}
	if err := (state.Scope{}).Validate(); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("empty: %v, want invalid", err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := state.Scope{Client: "c", Project: "p", User: "u", Agent: "a", Session: "s"}
	for got, want := range map[string]string{
		s.UserPrefix():          "c/u/",
		s.SessionKey():          "c/u/s",
		s.Key("a1"):             "c/u/a1",
		s.MessageKey(12):        "c/u/s/000000000012",
		s.FeedKey(1):            "c/u/000000000001",
		s.Thread().Key():        "c/u/s",
		s.Thread().StepKey(3):   "c/u/s/$000000000003",
		state.SeqKey(1e12 - 1):  "999999999999",
		state.SeqKey(1e13):      "10000000000000",
		state.SeqKey(0):         "000000000000",
		s.Thread().StepPrefix(): "c/u/s/$",
	} {
		if got != want {
			t.Errorf("key = %q, want %q", got, want)
		}
	}
}

func TestThreadValidate(t *testing.T) {
	t.Parallel()
	for id, valid := range map[string]bool{"x": true, "u/s": true, "a/b/c": true, "": false, "/": false, "a/": false, "/a": false, "a//b": false, "a/$1": false} {
		if err := (state.Thread{Client: "c", ID: id}).Validate(); (err == nil) != valid {
			t.Errorf("%q: %v", id, err)
		}
	}
	if err := (state.Thread{ID: "x"}).Validate(); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("no client: %v", err)
	}
}

// Numbers sort as numbers do, and no valid thread's steps lie under another's prefix.
func TestStepKeysProperty(t *testing.T) {
	t.Parallel()
	id := rapid.StringMatching(`[a-c0]{1,3}(/[a-c0]{1,3}){0,2}`)
	rapid.Check(t, func(r *rapid.T) {
		a, b := state.Thread{Client: "c", ID: id.Draw(r, "a")}, state.Thread{Client: "c", ID: id.Draw(r, "b")}
		n, m := rapid.Int64Range(0, 1e12-1).Draw(r, "n"), rapid.Int64Range(0, 1e12-1).Draw(r, "m")
		if (a.StepKey(n) < a.StepKey(m)) != (n < m) {
			r.Errorf("%d and %d are sorted wrongly", n, m)
		}
		if a != b && strings.HasPrefix(b.StepKey(n), a.StepPrefix()) {
			r.Errorf("a step of %v lies under %v", b, a)
		}
	})
}

func TestScopeInContext(t *testing.T) {
	t.Parallel()
	if s, ok := state.ScopeFrom(t.Context()); ok || s != (state.Scope{}) {
		t.Errorf("without: %v, %v", s, ok)
	}
	want := state.Scope{User: "u"}
	if s, ok := state.ScopeFrom(state.ContextWithScope(t.Context(), want)); !ok || s != want {
		t.Errorf("got %v, %v", s, ok)
	}
}

func FuzzValidateID(f *testing.F) {
	for _, seed := range []string{"a", "", "a/b", "$", "\x00", "\xff", "řeka", strings.Repeat("x", 129), "a\u200b", "e\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		err := state.ValidateID("x", id)
		if err != nil && !errors.Is(err, state.ErrInvalid) {
			t.Errorf("error = %v, want invalid", err)
		}
		if err == nil && (id == "" || slices.ContainsFunc([]byte(id), func(c byte) bool { return c == '/' || c == '$' || c < ' ' })) {
			t.Errorf("%q is accepted", id)
		}
	})
}
