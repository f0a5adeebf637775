package offline

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// open lists the open affairs and what each waits for, as list_affairs tells them, else as far as the context shows them.
func (t turn) open() (string, []state.ToolCall) {
	if t.callsOf(listAffairs) == 0 && t.mayCall(listAffairs) {
		return "", calling(listAffairs, nil)
	}
	return t.tell(t.rows())
}

// next tells what the affair waits for that the message names, the active one where it names none.
func (t turn) next() (string, []state.ToolCall) {
	title := t.meant()
	switch a := t.memory.active; title {
	case "":
		return t.open()
	case a.title:
		return t.tell([]row{{title: title, waits: strings.Join(a.pending, "; ")}})
	}
	return t.tell([]row{{title: title}})
}

// tell writes open affairs.
func (t turn) tell(rows []row) (string, []state.ToolCall) {
	if len(rows) == 0 {
		return t.phrases.say("no_affairs"), nil
	}

	// Of an affair that waits for nothing the last words are told.
	var ask []state.ToolCall
	for _, r := range rows[:min(len(rows), mostRead)] {
		if r.waits == "" && !r.task {
			ask = append(ask, calling(recallAffair, map[string]string{"affair_id": r.title})...)
		}
	}
	if len(ask) > 0 && t.callsOf(recallAffair) == 0 && t.mayCall(recallAffair) {
		return "", ask
	}

	out := t.phrases.say("open")
	for _, r := range rows {
		out += "\n- " + r.title
		if r.waits != "" {
			out += ": " + r.waits
		} else if last := t.lastSaid(r.title); last.text != "" {
			out += ". " + t.quote(last)
		}
	}
	return out, nil
}

// mostRead is how many affairs are read for an overview.
const mostRead = 8

// row is an open affair and what it waits for, or a task.
type row struct {
	title, waits string
	task         bool
}

// rows returns the open affairs, then the tasks. list_affairs writes "- TITLE [STATUS] id ID; waiting for: ACTION; days: DAYS" and "- task: TEXT id ID".
func (t turn) rows() (out []row) {
	c, called := t.called(listAffairs)
	if !called || strings.HasPrefix(c.result, "error: ") {
		if a := t.memory.active; a.title != "" {
			out = append(out, row{title: a.title, waits: strings.Join(a.pending, "; ")})
		}
		for _, title := range t.memory.parked {
			out = append(out, row{title: title})
		}
		return out
	}
	for line := range strings.SplitSeq(c.result, "\n") {
		entry, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		if task, isTask := strings.CutPrefix(entry, "task: "); isTask {
			task = strings.TrimPrefix(task[:max(0, strings.LastIndex(task, " id "))], `\`)
			if !slices.ContainsFunc(out, func(r row) bool { return strings.Contains(r.waits, task) }) {
				out = append(out, row{title: task, task: true})
			}
			continue
		}
		for _, s := range []state.Status{state.Active, state.Parked} {
			if title, rest, ok := strings.Cut(strings.TrimPrefix(entry, `\`), " ["+string(s)+"] id "); ok {
				rest, _, _ = strings.Cut(rest, "; days: ") // its last words tell more
				_, waits, _ := strings.Cut(rest, "; waiting for: ")
				out = append(out, row{title: title, waits: waits})
			}
		}
	}
	return out
}

// where tells where an affair was left: what the user said in it last, and what it waits for.
func (t turn) where() (string, []state.ToolCall) {
	title := t.meant()
	if title == "" && len(t.memory.parked) > 0 { // in a new session, the one that was talked of last
		title = t.memory.parked[0]
	}
	switch {
	case t.callsOf(memoryRecall) == 0 && t.mayCall(memoryRecall):
		q := t.ask()
		return "", calling(memoryRecall, map[string]string{"query": q.query, "scope": q.scope})
	case title != "" && t.callsOf(recallAffair) == 0 && t.mayCall(recallAffair):
		return "", calling(recallAffair, map[string]string{"affair_id": title})
	}

	// What was said last of it, wherever it was filed.
	last := t.lastSaid(title)
	q := t.ask()
	for _, s := range t.sayings() {
		if has, _ := q.score(s); s.by == byUser && s.place > last.place && has >= sure {
			last = s
		}
	}
	if last.text == "" {
		return t.nothing(), nil
	}
	out := t.quote(last)
	if a := t.memory.active; a.title == title && len(a.pending) > 0 {
		out += "\n" + t.phrases.say("waiting", "actions", strings.Join(a.pending, "; "))
	}
	return out, nil
}

// meant returns the title of the affair that the message names; the active one where it names none.
func (t turn) meant() string {
	best, most := t.memory.active.title, 0
	for _, title := range append([]string{best}, t.memory.parked...) {
		if n := shared(text.Terms(title), text.Terms(t.question)); n > most {
			best, most = title, n
		}
	}
	return best
}

// shutsNone reports whether the message orders an affair to be closed that the prompt does not show.
func (t turn) shutsNone() bool {
	_, which := detect.Shuts(t.question, t.lang)
	return len(which) > 0 && !slices.ContainsFunc(append([]string{t.memory.active.title}, t.memory.parked...), func(title string) bool {
		return shared(text.Terms(title), text.Terms(t.question)) > 0
	})
}

// lastSaid returns what the user said last in an affair that recall_affair has read, questions, orders to memory and small talk left out. Its messages are lines
// "- 2006-01-02 15:04 user: TEXT", the latest last.
func (t turn) lastSaid(title string) (last saying) {
	at := slices.IndexFunc(t.calls, func(c call) bool {
		return c.name == recallAffair && c.args == calling(recallAffair, map[string]string{"affair_id": title})[0].Arguments
	})
	if at < 0 {
		return saying{}
	}
	c := t.calls[at]
	for line := range strings.SplitSeq(c.result, "\n") {
		entry, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		date, rest, timed := strings.Cut(entry, " ")
		_, said, user := strings.Cut(rest, " "+string(state.RoleUser)+": ")
		if !ok || !timed || !user || len(date) != len("2006-01-02") {
			continue
		}
		said = strings.TrimPrefix(said, `\`)
		order := spoken.Find(said).Action
		if t.phrases.social(text.Words(said)) != "" || !slices.Contains([]spoken.Action{spoken.None, spoken.Remember, spoken.Correct, spoken.Pin}, order) {
			continue
		}
		if all := stated(said); len(all) > 0 {
			last = saying{text: strings.Join(all, " "), by: byUser, date: date, place: days(date)}
		}
	}
	return last
}

// shared returns how many terms of b are in a, too.
func shared(a, b []string) (n int) {
	for _, term := range b {
		if slices.ContainsFunc(a, func(x string) bool { return text.Akin(x, term, inflected) }) {
			n++
		}
	}
	return n
}
