package scenario

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:embed words/*.json
var wordFiles embed.FS

// words are what commands say, in one language. {title}, {session}, {n}, {at}, {asks} and {text} stand for what is put in.
type words struct {
	Asks         map[string]string `json:"asks"` // what a suggestion asks for, by its Asks
	Everything   string            `json:"everything"`
	Suggested    string            `json:"suggested"`
	Help         []string          `json:"help"`
	Put          string            `json:"put"`
	Undone       string            `json:"undone"`
	Quoted       string            `json:"quoted"`
	NoTurn       string            `json:"no_turn"`
	NothingWaits string            `json:"nothing_waits"`
	Over         string            `json:"over"`
	Cleared      string            `json:"cleared"`
	New          string            `json:"new"`
	Ended        string            `json:"ended"`
	Renamed      string            `json:"renamed"`
	Session      string            `json:"session"`
	Last         string            `json:"last"`
	NoSessions   string            `json:"no_sessions"`
	NoAffairs    string            `json:"no_affairs"`
	Next         string            `json:"next"`
}

// languages holds the words by language, read once.
var languages = sync.OnceValue(func() map[string]*words { //nolint:gochecknoglobals // a constant that is computed once
	out := map[string]*words{}
	for _, lang := range []string{"cs", "en", "pl", "ru"} {
		w := &words{}
		data, err := wordFiles.ReadFile("words/" + lang + ".json")
		if err == nil {
			err = json.Unmarshal(data, w)
		}
		if err != nil {
			panic(fmt.Sprintf("words of commands in %s: %v", lang, err)) // they are part of the program: a test reads them
		}
		out[lang] = w
	}
	return out
})

// wordsOf returns the words of a language, the English ones where there are none.
func wordsOf(lang string) *words {
	if w := languages()[lang]; w != nil {
		return w
	}
	return languages()["en"]
}

// fill puts a value where {name} stands.
func fill(text, name, value string) string { return strings.ReplaceAll(text, "{"+name+"}", value) }
