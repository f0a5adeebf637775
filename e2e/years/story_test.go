package years_test

import (
	"os"
	"strings"
	"testing"
	"unicode"
)

// story is one user: what he says in his sessions, and what holds of him when.
type story struct {
	topics              []topic
	others, facts, talk []string
}

// topic is one thing that has one value at a time.
type topic struct {
	name, question string
	values         []value
}

// value is what was said when it came to hold, and the words that every text has that says it.
type value struct {
	words []string
	said  string
}

// in reports whether a text says the value.
func (v value) in(s string) bool {
	s = strings.ToLower(s)
	for _, w := range v.words {
		if !begins(s, w) {
			return false
		}
	}
	return true
}

// begins reports whether a word of a text begins with another.
func begins(s, word string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		at += i
		before := []rune(s[:at])
		if len(before) == 0 || !unicode.IsLetter(before[len(before)-1]) && !unicode.IsDigit(before[len(before)-1]) {
			return true
		}
		at += len(word)
	}
}

// read reads a table.
func read(t *testing.T, file string) story {
	t.Helper()
	b, err := os.ReadFile(file)
	must(t, err)
	var s story
	lists := map[string]*[]string{"others": &s.others, "facts": &s.facts, "talk": &s.talk}
	var list *[]string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(line, "- ")
		name, rest, isHead := strings.Cut(line, ":")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isItem && list != nil:
			*list = append(*list, item)
		case isItem && len(s.topics) > 0:
			words, said, ok := strings.Cut(item, " | ")
			if !ok {
				t.Fatalf("%s: %q has no sign | before what is said", file, line)
			}
			last := &s.topics[len(s.topics)-1]
			last.values = append(last.values, value{strings.Split(words, "+"), said})
		case isHead && lists[name] != nil:
			list = lists[name]
		case isHead:
			s.topics = append(s.topics, topic{name: name, question: strings.TrimSpace(rest)})
		default:
			t.Fatalf("%s: %q is no line of a story", file, line)
		}
	}
	return s
}

// spoken is one message; topic and value say what came to hold with it, topic < 0 for nothing.
type spoken struct {
	text         string
	topic, value int
}

// sessions lays the story out over so many sessions: the values of each topic over all of them, the topics one after the other, and in every
// session something besides.
func (s story) sessions(n int) [][]spoken {
	out := make([][]spoken, n)
	say := func(at int, text string) { out[at] = append(out[at], spoken{text, -1, 0}) }
	for i := range n {
		say(i, s.talk[i%len(s.talk)])
		if i%3 == 1 {
			say(i, s.others[i/3%len(s.others)])
		}
	}
	for t, topic := range s.topics {
		for v, value := range topic.values {
			at := (v*len(s.topics) + t) * (n - 1) / (len(s.topics) * len(topic.values))
			out[at] = append(out[at], spoken{value.said, t, v})
		}
	}
	for i := range n {
		if i%5 == 2 {
			say(i, s.facts[i/5%len(s.facts)])
		}
		say(i, s.talk[(i+7)%len(s.talk)])
	}
	return out
}
