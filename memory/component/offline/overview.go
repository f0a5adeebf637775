package offline

import (
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// overview lists the affairs: as list_affairs tells them, else as far as the context shows.
func (t turn) overview() (string, []state.ToolCall) {
	if t.mayCall(listAffairs) {
		return "", []state.ToolCall{{Name: listAffairs, Arguments: "{}"}}
	}
	rows := t.listed()
	if len(rows) == 0 {
		return t.phrases.say("no_affairs"), nil
	}
	return t.phrases.say("overview") + "\n" + strings.Join(rows, "\n"), nil
}

// listed are the rows of the overview. list_affairs writes "- TITLE [STATUS] id ID; waiting for: ACTION".
func (t turn) listed() []string {
	row := func(title, status string) string { return "- " + title + " (" + t.phrases.Status[status] + ")" }
	var out []string

	// What list_affairs tells, each line as a row.
	if c, called := t.called(listAffairs); called && !strings.HasPrefix(c.result, "error: ") {
		for line := range strings.SplitSeq(c.result, "\n") {
			entry, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
			if !ok {
				continue
			}
			entry = strings.TrimPrefix(entry, `\`)
			told := "- " + entry
			for _, s := range []state.Status{state.Active, state.Parked, state.Resolved, state.Archived} {
				if title, _, ok := strings.Cut(entry, " ["+string(s)+"] id "); ok {
					told = row(title, string(s))
				}
			}
			out = append(out, told)
		}
		return out
	}

	// Without it what the context shows: the active affair, then the parked ones.
	if t.memory.active.title != "" {
		out = append(out, row(t.memory.active.title, string(state.Active)))
	}
	for _, title := range t.memory.parked {
		out = append(out, row(title, string(state.Parked)))
	}
	return out
}
