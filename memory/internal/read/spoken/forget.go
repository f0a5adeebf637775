package spoken

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// forgettings are the words of an order to forget a thing that it says itself: "please forget that I live in York". Beside how it is said plainly stand the
// forms that need a wish before them ("I want you to forget", "abys zapomněl"), and what may stand before and behind.
type forgetting struct {
	orders, wished, wishes, before, behind []string
}

func forgettings() []forgetting {
	list := strings.Fields
	return []forgetting{
		{
			orders: list("forget delete erase remove"), wishes: list("can could would want like need"),
			before: list("please ok okay and now just so then also i you to me id it"), behind: list("the fact please"),
		},
		{
			orders: list("zapomen zapomente smaz smazte vymaz vymazte"), wished: list("zapomenout zapomnel zapomnela smazat vymazat"),
			wishes: list("muzes mohl mohla muzete abys abyste prosim chci"), before: list("a tak ok ted uz jeste bys byste no"), behind: list("prosim to fakt informaci"),
		},
		{
			orders: list("zapomnij zapomnijcie usun usuncie skasuj"), wished: list("zapomniec zapomnial zapomniala usunac skasowac"),
			wishes: list("mozesz moglbys moglabys prosze zebys abys chce"), before: list("a to ok teraz juz no"), behind: list("prosze to fakt informacje"),
		},
		{
			orders: list("забудь забудьте удали удалите сотри сотрите"), wished: list("забыть забыл забыла забыли удалить удалил стереть"),
			wishes: list("можешь можете мог могла прошу чтобы хочу пожалуиста"), before: list("а ты вы ну ок теперь тогда"), behind: list("пожалуиста то тот факт о том"),
		},
	}
}

// toForget returns what a message of one sentence orders to forget, as it says it itself; "" where it orders nothing so plainly.
func toForget(message string, words []word) string {
	if len(words) == 0 || slices.ContainsFunc(words, func(w word) bool { return w.letters && w.sentence > 0 }) {
		return ""
	}
	for _, f := range forgettings() {
		if from := f.after(words); from > 0 {
			to := len(words)
			for to > from && !words[to-1].letters {
				to--
			}
			if to-from > 1 {
				return message[words[from].from:words[to-1].to]
			}
		}
	}
	return ""
}

// after returns where the statement begins behind an order to forget it, 0 if there is none.
func (f forgetting) after(words []word) int {
	at, wished := 0, false
	for ; at < len(words); at++ {
		switch w := words[at].fold; {
		case slices.Contains(f.orders, w) && (wished || at == 0 || words[at-1].fold != "i" && words[at-1].fold != "you"), wished && slices.Contains(f.wished, w):
			return f.statement(words, at+1)
		case slices.Contains(f.wishes, w):
			wished = true
		case words[at].letters && !slices.Contains(f.before, w):
			return 0
		}
	}
	return 0
}

// statement returns where what is to be forgotten begins: behind "that" or a colon, or with the user himself.
func (f forgetting) statement(words []word, at int) int {
	for ; at < len(words); at++ {
		switch w := words[at]; {
		case thats[w.fold] || w.fold == ":":
			return at + 1
		case slices.Contains([]string{"i", "im", "i'm", "i’m", "my", "ive", "i've", "i’ve"}, w.fold):
			return at
		case w.letters && !slices.Contains(f.behind, w.fold):
			return 0
		}
	}
	return 0
}

// opening returns how many words of a message only open it: whom it is said to, up to a sign, and words that say nothing of what is asked. 0 if it is nothing else.
func opening(words []word) int {
	const most = 2 // words of an address
	list := strings.Fields("oh hey hi hele ahoj hej привет слушаи listen sluchaj and now then so ok okay please a tak ted pak prosim no dobre i teraz potem wiec prosze cie ci pana pania te vas и а теперь тогда ну пожалуиста")
	from := 0
	for from < len(words) && words[from].letters && slices.Contains(list, words[from].fold) {
		from++
	}
	sign := slices.IndexFunc(words[from:min(len(words), from+most+1)], func(w word) bool { return !w.letters })
	if sign > 0 {
		from += sign + 1
	}
	for from < len(words) && (!words[from].letters || slices.Contains(list, words[from].fold)) {
		from++
	}
	if from == len(words) {
		return 0
	}
	return from
}

// notToForget reports whether a message says that something is not to be forgotten: it orders to forget nothing then, however much it sounds like it.
func notToForget(words []word) bool {
	begins := func(stems ...string) bool {
		return slices.ContainsFunc(words, func(w word) bool {
			return slices.ContainsFunc(stems, func(stem string) bool { return strings.HasPrefix(w.fold, stem) })
		})
	}
	// German is in no set that the orders were learnt from.
	if begins("merk", "notier", "speicher", "behalt") && !begins("vergiss", "vergess", "losch", "entfern", "streich", "nicht", "nie", "kein", "forget", "delete", "erase", "zapom", "smaz", "vymaz", "usun", "skasuj", "забу", "удал") {
		return true
	}
	for i, w := range words {
		if strings.HasPrefix(w.fold, "nezapom") {
			return true
		}
		forgets := slices.ContainsFunc([]string{"forget", "zapomn", "zapomin", "забуд", "забы"}, func(begins string) bool { return strings.HasPrefix(w.fold, begins) })
		if forgets && i > 0 && slices.Contains([]string{"not", "never", "dont", "don't", "don’t", "nie", "не", "никогда"}, words[i-1].fold) {
			return true
		}
	}
	return false
}

// keepsThat reports whether a message begins with an order not to forget that something is so, and states a number or a date: it is an order then, however much
// it goes on to say. Without one it may be what somebody else said: "don't forget that the oven is on, she shouted".
func keepsThat(words []word) bool {
	said := make([]string, 0, mostKeeps)
	for _, w := range words[:min(len(words), mostKeeps)] {
		if w.letters {
			said = append(said, w.fold)
		}
	}
	for _, order := range []string{
		"nezapomen", "nezapomente", "nezapominej", "nezapominejte", "don't forget", "don’t forget", "dont forget", "do not forget", "never forget", "nie zapomnij", "nie zapomnijcie",
		"nie zapominaj", "не забудь", "не забудьте", "не забываи", "не забываите", "vergiss nicht", "vergesst nicht", "vergessen sie nicht",
	} {
		if n := len(strings.Fields(order)); n < len(said) && strings.Join(said[:n], " ") == order {
			return thats[said[n]] && slices.ContainsFunc(words, func(w word) bool { return text.Digits(w.fold) > 0 })
		}
	}
	return false
}

// mostKeeps is how many words and signs an order not to forget has at most, with the "that" behind it.
const mostKeeps = 5

// tellsForgetting reports whether a message says or asks that somebody forgets, and orders nothing: "you forget everything", "did you forget it?", "I forget".
func tellsForgetting(words []word) bool {
	for i, w := range words {
		if i > 0 && strings.HasPrefix(w.fold, "forget") && slices.Contains([]string{"i", "you", "we", "they"}, words[i-1].fold) && !wished(words[:i-1]) {
			return true
		}
	}
	return false
}

// wished reports whether words before "you forget" or "we forget" make a wish of it: "could you forget", and not "how could you forget".
func wished(before []word) bool {
	has := func(list ...string) bool {
		return slices.ContainsFunc(before, func(w word) bool { return slices.Contains(list, w.fold) })
	}
	return has("can", "could", "would", "will", "want", "like", "need", "should", "must", "please") && !has("how", "why", "when", "if")
}
