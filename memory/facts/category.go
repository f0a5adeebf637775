package facts

import (
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// Category says which kind of record one note of these facts should be. Of several that fit, the first
// of order, deadline, preference, decision, contact wins; everything else is a fact.
func Category(found []Fact, message, lang string) state.RecordKind {
	var bought, prefers, decided, due bool
	for _, l := range scan(message) {
		if l.shape != word {
			continue
		}
		bought = bought || lookup(l.fold, orderVerb) != "" || lookup(l.fold, orderNoun) != "" && slices.ContainsFunc(found, orderFact)
		prefers = prefers || lookup(l.fold, preferring) != ""
		decided = decided || lookup(l.fold, deciding) != ""
		due = due || lookup(l.fold, deadlineNoun) != "" || l.fold == "termin"
	}
	has := func(kinds ...Kind) bool {
		return slices.ContainsFunc(found, func(f Fact) bool { return slices.Contains(kinds, f.Kind) })
	}
	switch {
	case bought && !has(Deadline):
		return state.OrderRecord
	case has(Deadline) || has(Date) && (due || len(Pending(message, lang)) > 0):
		return state.DeadlineRecord
	case bought:
		return state.OrderRecord
	case prefers:
		return state.PreferenceRecord
	case decided:
		return state.DecisionRecord
	case has(Phone, Email, Address, Name):
		return state.ContactRecord
	}
	return state.FactRecord
}

// orderFact reports whether a fact is what orders have: a number, a price or a thing on sale.
func orderFact(f Fact) bool { return f.Kind == Reference || f.Kind == Item || f.Kind == Price }

// Decides reports whether a word of the message says that something was decided or chosen.
func Decides(message string) bool {
	return slices.ContainsFunc(scan(message), func(l lexeme) bool {
		return l.shape == word && (lookup(l.fold, deciding) != "" || lookup(l.fold, orderVerb) != "")
	})
}

func deciding(stem string) string {
	switch stem {
	case "rozhodl", "rozhodn", "vybral", "zvolil", "domluvil", "dohodl", "plati.", "zdecydowa", "wybral", "postanowi", "ustali", "uzgodni",
		"решил", "решен", "выбрал", "договорил", "decided", "decision", "chose", "chosen", "agreed", "settled", "picked", "entschieden", "beschlossen":
		return stem
	}
	return ""
}

func preferring(stem string) string {
	switch stem {
	case "radeji", "radsi", "nejradsi", "preferuj", "oblib", "vadi.", "nesnasim", "wole.", "wolimy", "lubie.", "ulubion", "preferuje", "nie lubie",
		"предпочита", "люблю.", "любим", "нравит", "prefer", "favorit", "favourit", "love.", "hate.", "lieber", "bevorzug":
		return stem
	}
	return ""
}
