package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// distinct returns a title as it is, unless another affair of the user has the same, case and diacritics aside, archived ones too: then with
// something of the message that tells the two apart, else the day, else a number. Own is the affair that the title is for.
func (m *Memory) distinct(ctx context.Context, scope state.Scope, own, title string, msg state.Message, lang string) (string, error) {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return "", err
	}
	defer d.Unlock()
	taken := func(title string) bool {
		return slices.ContainsFunc(d.Titled(title), func(id string) bool { return id != own })
	}
	if !taken(title) {
		return title, nil
	}

	// A detail of the message tells the two apart, else the day, else a number.
	for _, detail := range facts.Details(ownWords(msg), lang, title) {
		if wide := facts.Widen(title, detail); !taken(wide) {
			return wide, nil
		}
	}
	now := m.c.Now()
	day := now.Format(facts.Phrase("title day", lang))
	for _, day := range []string{day, day + now.Format(" 2006")} {
		if wide := title + " (" + day + ")"; !taken(wide) {
			return wide, nil
		}
	}
	for n := 2; ; n++ {
		if wide := fmt.Sprintf("%s (%d)", title, n); !taken(wide) {
			return wide, nil
		}
	}
}

// titledUntil is how many messages an affair may have when its title still becomes better: later people know it by name.
const titledUntil = 12

// betterTitle returns what a title made by rule becomes by a later message of its affair: one without content is made anew, one of a
// single word gets what that message is about beside it; "" where it stays.
func (e *edits) betterTitle(ctx context.Context, a state.Affair, msg state.Message, lang string) (string, error) {
	if a.TitleBy != state.AuthorRules || a.Status != state.Active || a.Messages == 0 || a.Messages > titledUntil {
		return "", nil
	}

	better := a.Title
	switch {
	case facts.Untitled(a.Title):
		better = facts.Title(ownWords(msg), lang)
	case len(strings.Fields(a.Title)) == 1:
		if details := facts.Details(ownWords(msg), lang, a.Title); len(details) > 0 {
			better = facts.Widen(a.Title, details[0])
		}
	}

	if better == a.Title || facts.Untitled(better) {
		return "", nil
	}
	return e.m.distinct(ctx, e.Scope, a.ID, better, msg, lang)
}
