package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// reason says in one sentence, in the user's language, why the rules decided so: "names “Roof repair”, parked since
// Monday". Its subject is the message.
func (m *Memory) reason(v state.View, msg state.Message, d state.Decision) string {
	s := sentencesIn(m.language(v, msg))
	a, known := v.Affair(d.AffairID)
	title := s.quote(a.Title)
	switch {
	case d.Kind == state.NewAffair:
		return fmt.Sprintf(s.opens, s.quote(d.Title))
	case d.Kind == state.AdHoc && !known:
		return s.asideElsewhere
	case d.Kind == state.AdHoc:
		return fmt.Sprintf(s.aside, title) + s.since(a, m.c.Now())
	case d.Kind == state.Switch:
		return s.names(said(msg), a) + s.since(a, m.c.Now())
	case answers(v.Window, msg):
		return s.answers
	case known:
		return fmt.Sprintf(s.goesOn, title)
	}
	return s.smallTalk
}

// answers reports whether the last message before this one is a question of the assistant, and this one is no question.
func answers(window []state.Message, msg state.Message) bool {
	if len(window) == 0 || strings.HasSuffix(strings.TrimSpace(msg.Text), "?") {
		return false
	}
	last := window[len(window)-1]
	return last.Role == state.RoleAssistant && strings.HasSuffix(strings.TrimRight(last.Text, " \n\t\"”)"), "?")
}

// names says what of an affair a message names: its title, or a word that is known of it.
func (s sentences) names(message string, a state.Affair) string {
	title, known := text.Terms(a.Title), slices.Concat(a.Topics, a.PendingActions)
	for _, f := range a.KeyFacts {
		known = append(known, f.Label, f.Value)
	}
	terms := text.Terms(strings.Join(known, "\n"))
	word := ""
	for _, t := range text.Tokens(message) {
		switch {
		case t.Stop || text.General(t.Stem):
		case slices.Contains(title, t.Stem):
			return fmt.Sprintf(s.namesTitle, s.quote(a.Title))
		case word == "" && slices.Contains(terms, t.Stem):
			word = t.Surface
		}
	}
	if word == "" {
		return fmt.Sprintf(s.back, s.quote(a.Title))
	}
	return fmt.Sprintf(s.namesWord, s.quote(word), s.quote(a.Title))
}

// since says how long an affair has been set aside, or that it is settled, "" of any other.
func (s sentences) since(a state.Affair, now time.Time) string {
	at := a.UpdatedAt.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	var when string
	switch age := now.Sub(at); {
	case a.Status == state.Resolved:
		return ", " + s.settled
	case a.Status != state.Parked || at.IsZero():
		return ""
	case age < 5*time.Minute:
		when = s.moment
	case !at.Before(midnight):
		when = s.from + at.Format("15:04")
	case !at.Before(midnight.AddDate(0, 0, -1)):
		when = s.yesterday
	case !at.Before(midnight.AddDate(0, 0, -6)):
		when = s.days[at.Weekday()]
	default:
		when = fmt.Sprintf("%s%d%s %s", s.from, at.Day(), s.dot, s.months[at.Month()-1])
		if at.Year() != now.Year() {
			when += at.Format(" 2006")
		}
	}
	return ", " + s.parked + " " + when
}

func (s sentences) quote(what string) string { return s.open + what + s.end }

// sentences are the words of reasons in one language.
type sentences struct {
	goesOn, answers, smallTalk, namesTitle, namesWord, back, aside, asideElsewhere, opens string

	parked, settled, moment, yesterday, from, dot string
	days                                          []string // since Sunday, since Monday
	months                                        []string
	open, end                                     string // quotation marks
}

// sentencesIn returns those of a language, of English for one that has none.
func sentencesIn(lang string) sentences {
	switch lang {
	case "cs":
		return sentences{
			goesOn: "navazuje na %s", answers: "odpovídá na právě položenou otázku", smallTalk: "netýká se žádné záležitosti",
			namesTitle: "jmenuje %s", namesWord: "zmiňuje %s, což patří k %s", back: "vrací se k %s",
			aside: "ptá se mimochodem na %s", asideElsewhere: "ptá se mimochodem na něco jiného",
			opens: "otevírá něco, o čem ještě nebyla řeč: %s", open: "„", end: "“",
			parked: "odloženo", settled: "už vyřízeno", moment: "před chvílí", yesterday: "od včerejška", from: "od ", dot: ".",
			days:   []string{"od neděle", "od pondělí", "od úterý", "od středy", "od čtvrtka", "od pátku", "od soboty"},
			months: strings.Fields("ledna února března dubna května června července srpna září října listopadu prosince"),
		}
	case "pl":
		return sentences{
			goesOn: "nawiązuje do %s", answers: "odpowiada na zadane właśnie pytanie", smallTalk: "nie dotyczy żadnej sprawy",
			namesTitle: "wymienia %s", namesWord: "wspomina %s, co należy do %s", back: "wraca do %s",
			aside: "pyta przy okazji o %s", asideElsewhere: "pyta przy okazji o coś innego",
			opens: "otwiera coś, o czym jeszcze nie było mowy: %s", open: "„", end: "”",
			parked: "odłożone", settled: "już załatwione", moment: "przed chwilą", yesterday: "od wczoraj", from: "od ",
			days:   []string{"od niedzieli", "od poniedziałku", "od wtorku", "od środy", "od czwartku", "od piątku", "od soboty"},
			months: strings.Fields("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
		}
	case "ru":
		return sentences{
			goesOn: "продолжает %s", answers: "отвечает на только что заданный вопрос", smallTalk: "не относится ни к одному делу",
			namesTitle: "называет %s", namesWord: "упоминает %s, это относится к %s", back: "возвращается к %s",
			aside: "спрашивает мимоходом о %s", asideElsewhere: "спрашивает мимоходом о другом",
			opens: "открывает то, о чём ещё не было речи: %s", open: "«", end: "»",
			parked: "отложено", settled: "уже решено", moment: "только что", yesterday: "со вчерашнего дня", from: "с ",
			days:   []string{"с воскресенья", "с понедельника", "со вторника", "со среды", "с четверга", "с пятницы", "с субботы"},
			months: strings.Fields("января февраля марта апреля мая июня июля августа сентября октября ноября декабря"),
		}
	}
	return sentences{
		goesOn: "goes on with %s", answers: "answers the question just asked", smallTalk: "is about no affair",
		namesTitle: "names %s", namesWord: "mentions %s, which belongs to %s", back: "goes back to %s",
		aside: "asks aside about %s", asideElsewhere: "asks aside about something else",
		opens: "opens something not talked about before: %s", open: "“", end: "”",
		parked: "parked", settled: "settled already", moment: "a moment ago", yesterday: "since yesterday", from: "since ",
		days:   []string{"since Sunday", "since Monday", "since Tuesday", "since Wednesday", "since Thursday", "since Friday", "since Saturday"},
		months: strings.Fields("January February March April May June July August September October November December"),
	}
}
