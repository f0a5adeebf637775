package affair

import (
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// pending returns the open actions after a message: without those it settles, with those it states.
func pending(open []string, message *facts.Reading) []string {
	stated := message.Pending()
	stated = stated[max(0, len(stated)-2*maxPending):]
	settled := settles(message, open)
	var out []string
	for _, p := range open {
		if !slices.Contains(settled, p) {
			out = append(out, p)
		}
	}
	for _, p := range stated {
		if !slices.ContainsFunc(out, func(old string) bool {
			return covers(terms(old), terms(p)) > 0.75 && covers(terms(p), terms(old)) > 0.75
		}) {
			out = append(out, p)
		}
	}
	return out[max(0, len(out)-maxPending):]
}

// settles returns the open actions that a message says are done: it tells of something finished and shares most content words
// with the action; or it says no more than "done" while one action is open.
func settles(message *facts.Reading, open []string) []string {
	if len(open) == 0 {
		return nil
	}
	var out []string
	for _, s := range message.Sentences() {
		if !s.Finished() || s.IsQuestion() || len(s.Pending()) > 0 {
			continue
		}
		said, enough := terms(s.Text()), 0.6
		if s.Done() {
			enough = 0.5 // "paid the rent" of "pay the rent"
		}
		for _, p := range open {
			if covers(said, terms(p)) >= enough {
				out = append(out, p)
			}
		}
		if len(open) == 1 && s.Done() && len(text.Words(s.Text())) <= 3 {
			out = append(out, open[0])
		}
	}
	return out
}

// terms returns the distinct content stems of s.
func terms(s string) []string {
	all := text.Terms(s)
	slices.Sort(all)
	return slices.Compact(all)
}

// covers returns the share of part's terms that whole has too; 0 when part has none.
func covers(whole, part []string) float64 {
	if len(part) == 0 {
		return 0
	}
	n := 0
	for _, t := range part {
		if slices.ContainsFunc(whole, func(w string) bool { return akin(w, t) }) {
			n++
		}
	}
	return float64(n) / float64(len(part))
}
