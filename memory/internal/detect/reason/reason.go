package reason

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Of returns the reason of a decision about a message. Its subject is the message.
func Of(v state.View, message string, d state.Decision, lang string, now time.Time) string {
	s := speech(lang)
	a, known := v.Affair(d.AffairID)
	title := s.quote(a.Title)
	switch {
	case d.Kind == state.NewAffair:
		return s.say("opens", s.quote(d.Title))
	case d.Kind == state.AdHoc && !known:
		return s.say("aside elsewhere")
	case d.Kind == state.AdHoc:
		return s.say("aside", title) + s.since(a, now)
	case d.Kind == state.Switch:
		return s.names(message, a) + s.since(a, now)
	case answers(v.Window, message):
		return s.say("answers")
	case known:
		return s.say("goes on", title)
	}
	return s.say("small talk")
}

// answers reports whether the last message before this one is a question of the assistant, and this one is no question.
func answers(window []state.Message, message string) bool {
	if len(window) == 0 || strings.HasSuffix(strings.TrimSpace(message), "?") {
		return false
	}
	last := window[len(window)-1]
	return last.Role == state.RoleAssistant && strings.HasSuffix(strings.TrimRight(last.Text, " \n\t\"”)"), "?")
}

// names says what of an affair a message names: its title, or a word that is known of it.
func (s speech) names(message string, a state.Affair) string {
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
			return s.say("names title", s.quote(a.Title))
		case word == "" && slices.Contains(terms, t.Stem):
			word = t.Surface
		}
	}
	if word == "" {
		return s.say("back", s.quote(a.Title))
	}
	return s.say("names word", s.quote(word), s.quote(a.Title))
}

// since says how long an affair has been set aside, or that it is settled, "" of any other.
func (s speech) since(a state.Affair, now time.Time) string {
	at := a.UpdatedAt.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	var when string
	switch age := now.Sub(at); {
	case a.Status == state.Resolved:
		return ", " + s.say("settled")
	case a.Status != state.Parked || at.IsZero():
		return ""
	case age < 5*time.Minute:
		when = s.say("moment")
	case !at.Before(midnight):
		when = s.say("hour", at.Format("15:04"))
	case !at.Before(midnight.AddDate(0, 0, -1)):
		when = s.say("yesterday")
	case !at.Before(midnight.AddDate(0, 0, -6)):
		when = strings.Split(s.say("weekdays"), ", ")[at.Weekday()]
	default:
		when = s.say("date", at.Day(), strings.Fields(s.say("months"))[at.Month()-1])
		if at.Year() != now.Year() {
			when += at.Format(" 2006")
		}
	}
	return ", " + s.say("parked") + " " + when
}

func (s speech) quote(what string) string { return s.say("quoted", what) }

// speech gives reasons in one language, as the word lists have it.
type speech string

func (s speech) say(what string, values ...any) string {
	return fmt.Sprintf(facts.Phrase("reason "+what, string(s)), values...)
}
