package openai

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// kept is an exchange as a session has it.
type kept struct {
	turn    string
	said    string
	parts   []state.Part
	msg     state.Message // the user's
	answers []string      // of the assistant; the last one is the answer
	over    bool
	cut     bool
	calls   []string          // of tools, by the names that the client knows
	results map[string]string // what they came to
}

// keptOf are the exchanges of a session's messages. What was taken back is left out, and so is an attempt that failed before another one.
func keptOf(messages []state.Message) (out []kept) {
	called := ""
	for _, m := range messages {
		if len(m.ToolCalls) > 0 {
			called = fmt.Sprint(m.Seq, "/")
		}
		switch {
		case m.Undone:
		case m.Role == state.RoleUser:
			if n := len(out) - 1; n >= 0 && !out[n].over && m.Turn != "" && out[n].is(base(m.Turn)) {
				out = out[:n]
			}
			out = append(out, kept{turn: m.Turn, said: m.Text, parts: m.Parts, msg: m, results: map[string]string{}})
		case len(out) == 0 || m.Turn != out[len(out)-1].turn:
		case m.Role == state.RoleTool:
			out[len(out)-1].results[nameCall(called+m.ToolCallID)] = m.Text
		case m.Role == state.RoleAssistant:
			k := &out[len(out)-1]
			k.answers, k.cut = append(k.answers, m.Text), m.Cut
			k.over = k.over || len(m.ToolCalls) == 0
			for _, c := range m.ToolCalls {
				k.calls = append(k.calls, nameCall(called+c.ID))
			}
		}
	}
	return out
}

// is reports whether a turn is the one of an id, at whichever attempt.
func (k kept) is(id string) bool {
	return id != "" && base(k.turn) == id
}

// follows reports whether a turn came behind an exchange of that name and answer: its id says so, whatever of the answer was forgotten since.
func (k kept) follows(name, answer string) bool {
	e := exchange{said: k.said, parts: k.parts}
	return k.is("oa-" + e.sum(sum(strings.TrimPrefix(name, "oa-"), bare(answer))))
}

// base is the name of a turn without the number of its attempt.
func base(turn string) string {
	name, _, _ := strings.Cut(turn, ".")
	return name
}

// says reports whether the user's words of a client's exchange are these. Their id says so by what came before; else their text does, which is kept
// without secrets.
func (k kept) says(e exchange, id string, mask func(string) string) bool {
	return k.is(id) || same(e.said, k.said, mask) && slices.Equal(urls(e.parts), urls(k.parts))
}

// matches reports whether a client's exchange is this one. What the client saw no answer to, or what asked for an approval, may have come to anything.
func (k kept) matches(e exchange, id string, mask func(string) string) bool {
	return k.says(e, id, mask) && (!e.over || k.cut || k.asked(e, mask) || k.wrote(e.answer, mask))
}

// asked reports whether a client's answer is what this turn has shown to a person to decide. That is worded here and never kept with the turn: what
// is kept, the model said, whatever it looks like.
func (k kept) asked(e exchange, mask func(string) string) bool {
	return (len(k.calls) > 0 || !k.over) && e.asksApproval() && !k.wrote(e.answer, mask)
}

// wrote reports whether an answer is the model's. A client that stopped reading has the beginning of it, one that read a stream may have more
// before it than was kept, and each has the words that were forgotten since.
func (k kept) wrote(answer string, mask func(string) string) bool {
	if len(k.answers) == 0 {
		return false
	}
	whole, last, got := bare(strings.Join(k.answers, "")), bare(k.answers[len(k.answers)-1]), bare(mask(answer))
	return got == last || got != "" && (strings.HasPrefix(last, got) || strings.HasPrefix(whole, got)) || k.over && last != "" && strings.HasSuffix(got, last) ||
		same(answer, k.answers[len(k.answers)-1], mask) || fills(got, last)
}

// fills reports whether a text is a kept one, with words in the place of the marks. One that was forgotten whole may have been any.
func fills(sent, kept string) bool {
	pieces := strings.Split(kept, bare(forget.Mark))
	first, last := pieces[0], pieces[len(pieces)-1]
	rest, begins := strings.CutPrefix(sent, first)
	if len(pieces) == 1 || !begins {
		return false
	}
	for _, piece := range pieces[1 : len(pieces)-1] {
		_, behind, found := strings.Cut(rest, piece)
		if !found {
			return false
		}
		rest = behind
	}
	return strings.HasSuffix(rest, last)
}

// took reports whether results are of calls that this turn made.
func (k kept) took(results []result) bool {
	return !slices.ContainsFunc(results, func(r result) bool { _, known := k.results[r.call]; return !known })
}

func same(sent, stored string, mask func(string) string) bool {
	return bare(sent) == bare(stored) || bare(mask(sent)) == bare(stored)
}

// decide puts the words by which the user has decided what a turn of a session asked to the exchange of that turn. Both are gone through once, side by
// side, as far as they say the same.
func (t talk) decide(have []kept, mask func(string) string) talk {
	all, at, id, from := t.exchanges, 0, "", ""
	t.exchanges = nil
	for i, e := range all {
		n, own := len(t.exchanges), e.sum(from)
		if _, decides := choiceOf(e.said); decides && len(e.parts) == 0 && n > 0 && t.exchanges[n-1].over {
			before, shown := &t.exchanges[n-1], t.exchanges[n-1]
			if !shown.asksApproval() && e.asksApproval() {
				if _, kept := next(have, at, e, "oa-"+own, mask); !kept {
					shown.answer = e.answer // who had not seen the question was shown it
				}
			}
			if have[at-1].asked(shown, mask) {
				before.choice, _ = choiceOf(e.said)
				before.asked, before.answer, before.over = before.answer, e.answer, e.over
				before.calls, before.results = slices.Concat(before.calls, e.calls), slices.Concat(before.results, e.results)
				from = sum(id, bare(e.answer))
				continue
			}
		}
		found, says := next(have, at, e, "oa-"+own, mask)
		if !says {
			t.exchanges = append(t.exchanges, all[i:]...)
			break
		}
		t.exchanges = append(t.exchanges, e)
		at, id, from = found+1, own, sum(own, bare(e.answer))
	}
	return t
}

// next returns where a session goes on, and whether that says what a client's exchange does. What nobody has answered the client need not have.
func next(have []kept, at int, e exchange, id string, mask func(string) string) (i int, says bool) {
	for i = at; i < len(have); i++ {
		if says = have[i].says(e, id, mask); says || have[i].over {
			break
		}
	}
	return i, says
}
