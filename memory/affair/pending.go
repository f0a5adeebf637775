package affair

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/facts"
	"github.com/mneme-graph/mneme/memory/text"
)

// pending returns the open actions after a message: without those it settles, with those it states.
func pending(open []string, message, lang string) []string {
	stated := facts.Pending(message, lang)
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
func settles(message string, open []string) []string {
	var out []string
	for _, s := range facts.Sentences(message) {
		if len(open) == 0 || facts.IsQuestion(s) || !finished(s) || len(facts.Pending(s, anyLanguage)) > 0 {
			continue
		}
		said, enough := terms(s), 0.6
		if slices.ContainsFunc(text.Words(s), doneWord) {
			enough = 0.5 // "paid the rent" of "pay the rent"
		}
		for _, p := range open {
			if covers(said, terms(p)) >= enough {
				out = append(out, p)
			}
		}
		if len(open) == 1 && bare(s) {
			out = append(out, open[0])
		}
	}
	return out
}

// bare reports whether a sentence says only that something is finished.
func bare(sentence string) bool {
	words := text.Words(sentence)
	return len(words) <= 3 && slices.ContainsFunc(words, doneWord)
}

// finished reports whether a sentence tells of something done: by a word for it, or by the past tense of the speaker.
func finished(sentence string) bool {
	for _, t := range text.Tokens(sentence) {
		w := t.Folded
		switch w {
		case "jsem", "jsme", "uz", "juz", "уже", "already", "have", "i've", "ive", "we've", "weve", "did", "habe":
			return true
		}
		past := strings.HasSuffix(w, "lem") || strings.HasSuffix(w, "lam") || strings.HasSuffix(w, "lismy") || strings.HasSuffix(w, "ed") ||
			strings.HasSuffix(w, "ил") || strings.HasSuffix(w, "ила") || strings.HasSuffix(w, "ал") || strings.HasSuffix(w, "ала") || strings.HasSuffix(w, "или") || strings.HasSuffix(w, "али")
		if past && len(w) > 4 || doneWord(w) {
			return true
		}
	}
	return false
}

// doneWord knows the words that say by themselves that something is finished.
func doneWord(folded string) bool {
	switch folded {
	case "hotovo", "hotova", "hotovy", "vyrizeno", "splneno", "odeslano", "zaplaceno", "zarizeno", "uz",
		"zrobione", "gotowe", "zalatwione", "wyslane", "zaplacone", "готово", "сделано", "отправлено", "оплачено", "решено",
		"done", "finished", "sent", "paid", "settled", "sorted", "erledigt", "fertig":
		return true
	}
	return false
}

// terms are the distinct content stems of s.
func terms(s string) []string {
	all := text.Terms(s)
	slices.Sort(all)
	return slices.Compact(all)
}

// covers is the share of part's terms that whole has too; 0 when part has none.
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
