package mcp

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

//go:embed texts/*.json
var textFiles embed.FS

// texts is what prompts and resources say in one language; a file of its own per language.
type texts struct {
	Continue    string    `json:"continue"` // {title} is a blank
	Waits       string    `json:"waits"`
	Due         string    `json:"due"`
	Coming      string    `json:"coming"`
	Open        string    `json:"open"`
	Asked       string    `json:"asked"`
	Nothing     string    `json:"nothing"`
	User        string    `json:"user"`
	Preferences string    `json:"preferences"`
	Decisions   string    `json:"decisions"`
	Current     string    `json:"current"`
	Weekdays    [7]string `json:"weekdays"` // from Sunday
}

// english is what is said where nothing else is known.
const english = "en"

func readTexts() (map[string]texts, error) {
	files, err := textFiles.ReadDir("texts")
	if err != nil {
		return nil, err
	}
	out := map[string]texts{}
	for _, f := range files {
		raw, err := textFiles.ReadFile("texts/" + f.Name())
		if err != nil {
			return nil, err
		}
		var t texts
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = t
	}
	return out, nil
}

// says returns the texts of the user's language: the one that he prefers, else that of what he said last, else the caller's.
func (v *visit) says(ctx context.Context) texts {
	for _, tag := range v.languages(ctx) {
		name, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
		if t, ok := v.texts[name]; ok {
			return t
		}
	}
	return v.texts[english]
}

// languages lists the user's languages, what tells most first. What cannot be read tells none.
func (v *visit) languages(ctx context.Context) []string {
	sessions, err := v.c.Memory.Sessions().List(ctx, v.caller.Scope)
	if err != nil {
		return []string{v.caller.Language}
	}
	here := func(s state.Session) int {
		if s.ID == v.caller.Scope.Session {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(sessions, func(a, b state.Session) int { return cmp.Or(here(a)-here(b), b.LastAt.Compare(a.LastAt)) })
	var out []string
	for _, s := range sessions {
		out = append(out, s.Preferences[state.PreferredLanguage], s.Language)
	}
	return append(out, v.caller.Language)
}
