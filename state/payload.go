package state

import "maps"

// Tone is how much of an answer a user wants.
type Tone string

// The tones.
const (
	Concise  Tone = "concise"
	Detailed Tone = "detailed"
	Neutral  Tone = "neutral"
)

// Tones lists the tones.
func Tones() []Tone { return []Tone{Concise, Detailed, Neutral} }

// PreferenceScope says how long a preference holds: in this session until it is cleared or has ended, or for the user in all sessions.
type PreferenceScope string

// The scopes of a preference. "" is SessionPreference.
const (
	SessionPreference PreferenceScope = "session"
	GlobalPreference  PreferenceScope = "global"
)

// PreferenceScopes lists the scopes of a preference.
func PreferenceScopes() []PreferenceScope {
	return []PreferenceScope{SessionPreference, GlobalPreference}
}

// The names that preferences of a request have in a prompt, in Session.Preferences and as subjects of records.
const (
	PreferredLanguage = "preferred_language"
	PreferredTone     = "tone"
	StyleNotes        = "style_notes"
)

// Preferences are how a request wants to be answered. What is empty stays as it was.
type Preferences struct {
	Language   string          `bson:"language,omitempty" json:"preferred_language,omitempty"` // BCP-47; "und" = that of the question
	Tone       Tone            `bson:"tone,omitempty" json:"tone,omitempty"`
	StyleNotes string          `bson:"style_notes,omitempty" json:"style_notes,omitempty"`
	Scope      PreferenceScope `bson:"scope,omitempty" json:"preference_scope,omitempty"`
}

// Facts lists those that are set by their names, always in the same order.
func (p Preferences) Facts() Facts {
	var out Facts
	for _, f := range (Facts{{Label: PreferredLanguage, Value: p.Language}, {Label: PreferredTone, Value: string(p.Tone)}, {Label: StyleNotes, Value: p.StyleNotes}}) {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}

// Global reports whether they hold in all sessions of the user.
func (p Preferences) Global() bool { return p.Scope == GlobalPreference }

// Over returns what holds in a session once a message has said these: those of the session replaced by name, and without those
// that the message made the user's. The map that is given does not change.
func (p Preferences) Over(had map[string]string) map[string]string {
	facts := p.Facts()
	if len(facts) == 0 {
		return had
	}

	now := maps.Clone(had)
	if now == nil {
		now = map[string]string{}
	}

	for _, f := range facts {
		if p.Global() {
			delete(now, f.Label)
		} else {
			now[f.Label] = f.Value
		}
	}
	return now
}

// ExtraContext is what a request brings for its turn besides its text. Nothing here is opened or fetched: a path and a link are text.
type ExtraContext struct {
	Files []Attachment `bson:"files,omitempty" json:"files,omitempty"`
	Links []string     `bson:"links,omitempty" json:"links,omitempty"`
	Paths []string     `bson:"paths,omitempty" json:"paths,omitempty"`
	Notes []string     `bson:"notes,omitempty" json:"notes,omitempty"`
}

// Empty reports whether there is nothing in it.
func (x ExtraContext) Empty() bool { return x.Len() == 0 }

// Len is how many things it brings.
func (x ExtraContext) Len() int { return len(x.Files) + len(x.Links) + len(x.Paths) + len(x.Notes) }
