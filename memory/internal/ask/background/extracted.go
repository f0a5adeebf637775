package background

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

type extractReply struct {
	Facts   json.RawMessage `json:"facts" also:"memories,fakty,fakta,факты,extracted_facts"`
	Summary prompts.Text    `json:"summary" also:"session_summary,streszczenie,shrnutí,резюме"`
	Lessons json.RawMessage `json:"lessons" also:"lesson,insights"`
}

type factReply struct {
	Label      prompts.Text `json:"category" also:"label,type,kind,memory_type"`
	Text       prompts.Text `json:"text" also:"fact,content,new,value"`
	Subject    prompts.Text `json:"subject" also:"about,who,owner"`
	Importance prompts.Text `json:"importance" also:"weight,score,priority"`
	Old        prompts.Text `json:"old" also:"replaces,old_text,previous,was"`
}

type lessonReply struct {
	Text   prompts.Text `json:"text" also:"lesson,content"`
	Worked prompts.Text `json:"worked" also:"outcome,result,success"`
}

// readExtract reads an answer in any of its forms: an object, a list of facts, or Markdown. SKIP is among the labels, so
// that an answer that only skips can be told from none. A list is tried last, because "[CORE]" looks like one.
func readExtract(raw string) ExtractAnswer {
	var out ExtractAnswer
	if reply, err := prompts.JSON[extractReply](raw); err == nil {
		out.Summary = string(reply.Summary)
		out.Lessons = readLessons(reply.Lessons)
		out.Facts = readFacts(reply.Facts, "")
	}
	if len(out.Facts) == 0 && out.Summary == "" {
		out = readMarkdown(raw)
	}
	if len(out.Facts) == 0 && out.Summary == "" {
		if list, err := prompts.JSON[[]json.RawMessage](raw); err == nil {
			for _, item := range list {
				out.Facts = append(out.Facts, readFacts(item, "")...)
			}
		}
	}
	return out
}

// readFacts reads facts of JSON: a list of objects or of lines, one of them, or an object of lists by label, which is what
// under says further down.
func readFacts(raw json.RawMessage, under string) (out []ExtractedFact) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			out = append(out, readFact(item, under)...)
		}
		return out
	}
	if out = readFact(raw, under); len(out) > 0 || under != "" {
		return out
	}
	var labelled map[string]json.RawMessage
	if json.Unmarshal(raw, &labelled) == nil {
		for _, is := range []string{Core, Preference, Decision, Project, Update, Delete, skip} {
			for key, value := range labelled {
				if label(key) == is {
					out = append(out, readFacts(value, is)...)
				}
			}
		}
	}
	return out
}

// readFact reads one fact, an object or a line.
func readFact(raw json.RawMessage, under string) []ExtractedFact {
	var line string
	if json.Unmarshal(raw, &line) == nil {
		return factOf(line, under)
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	reply, err := prompts.JSON[factReply](string(raw))
	is := label(strings.Trim(string(reply.Label), "[]*() "))
	if is == "" {
		is = under
	}
	said := string(reply.Text)
	if is == Delete && said == "" {
		said = string(reply.Old)
	}
	if err != nil || is == "" || said == "" {
		return nil
	}
	return []ExtractedFact{{
		Label: is, Text: cut(said, maxValue), Subject: otherThanUser(cut(string(reply.Subject), maxPhrase)), Old: cut(string(reply.Old), maxValue),
		Importance: importance(string(reply.Importance), is),
	}}
}

// otherThanUser is whom a fact speaks of, "" for the user himself.
func otherThanUser(subject string) string {
	if len(telling(subject)) == 0 {
		return ""
	}
	return subject
}

func readLessons(raw json.RawMessage) (out []Lesson) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, item := range list {
		var line string
		reply := lessonReply{}
		if json.Unmarshal(item, &line) == nil {
			out = append(out, lessonOf(line)...)
			continue
		}
		if len(item) > 0 && item[0] == '{' {
			reply, _ = prompts.JSON[lessonReply](string(item))
		}
		if reply.Text != "" {
			out = append(out, Lesson{Text: cut(string(reply.Text), maxValue), Worked: !failed(string(reply.Worked))})
		}
	}
	return out
}

// readMarkdown reads headings and bullets. A labelled line is a fact wherever it stands but in the lessons.
func readMarkdown(raw string) (out ExtractAnswer) {
	var summary []string
	for _, s := range prompts.Outline(raw, announces) {
		part := headed(s.Heading)
		for _, line := range s.Lines {
			facts := factOf(line, label(part))
			switch {
			case part == partLessons:
				out.Lessons = append(out.Lessons, lessonOf(line)...)
			case len(facts) > 0:
				out.Facts = append(out.Facts, facts...)
			case part == partSummary:
				summary = append(summary, line)
			}
		}
	}
	out.Summary = prompts.Plain(strings.Join(summary, "\n"))
	return out
}

// factOf reads "[CORE] text", "CORE: text" and the like; without a label of its own a line has the one it stands under.
func factOf(line, under string) []ExtractedFact {
	is, said := leadingLabel(line)
	if is == "" {
		is, said = under, line
	}
	if is == "" {
		return nil
	}
	stars := strings.Count(said, "★")
	said = strings.Trim(said, " \t*_★☆\"")
	f := ExtractedFact{Label: is, Importance: importance(strings.Repeat("★", stars), is)}
	if is == Update {
		for _, arrow := range []string{"→", "->", "=>"} {
			if old, next, ok := strings.Cut(said, arrow); ok && f.Old == "" {
				f.Old, said = cut(strings.TrimSpace(old), maxValue), strings.TrimSpace(next)
			}
		}
	}
	if f.Text = cut(said, maxValue); len(text.Words(f.Text)) == 0 {
		return nil
	}
	return []ExtractedFact{f}
}

// leadingLabel cuts a label off the beginning of a line: in brackets, or with a colon, a dash or Markdown behind it.
func leadingLabel(line string) (is, rest string) {
	from := strings.TrimLeft(line, "*_` ")
	word := strings.TrimLeft(from, "[(<{ ")
	end := strings.IndexFunc(word, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) })
	if end <= 0 {
		return "", line
	}
	rest = word[end:]
	if is = label(strings.TrimRight(word[:end], "_")); is == "" {
		return "", line
	}
	between := strings.TrimLeft(rest, " ")
	next, _ := utf8.DecodeRuneInString(between)
	if bracketed := len(word) < len(from); bracketed && !strings.ContainsRune("])>}:", next) || !bracketed && !strings.ContainsRune(":–—-*_`", next) {
		return "", line
	}
	return is, strings.TrimLeft(between, "])>}:–—-*_` \t")
}

// lessonOf reads a line of the lessons: what begins with a word for failure, or a cross, did not work.
func lessonOf(line string) []Lesson {
	bare := strings.TrimLeft(line, "[(*_ ")
	word, rest, marked := strings.Cut(bare, ":")
	if w, r, ok := strings.Cut(bare, "]"); ok && (!marked || len(w) < len(word)) {
		word, rest, marked = w, r, true
	}
	l := Lesson{Text: line, Worked: !strings.ContainsAny(line, "✗✘❌")}
	if is := spellings()[text.Fold(strings.Trim(word, " *_)"))]; marked && (is == lessonWorked || is == lessonFailed) {
		l = Lesson{Text: rest, Worked: is == lessonWorked}
	}
	if l.Text = cut(strings.Trim(l.Text, " *_:✗✘❌✓✔✅"), maxValue); len(text.Words(l.Text)) == 0 {
		return nil
	}
	return []Lesson{l}
}

// failed reports whether an outcome begins with a word for failure.
func failed(outcome string) bool {
	words := text.Words(outcome)
	return len(words) > 0 && spellings()[words[0]] == lessonFailed
}

// importance reads a figure of 1 to 10, a share of a whole ("4/5", "80%", "0.8") or stars; what is none is as important as
// its label.
func importance(said, label string) int {
	if stars := strings.Count(said, "★"); stars > 0 {
		return min(2*stars, 10)
	}
	var n prompts.Number
	_ = n.UnmarshalJSON(strconv.AppendQuote(nil, said)) // what is no number leaves n unstated
	part := strings.ContainsAny(said, "/%") || n.Value < 1
	switch {
	case n.Stated && part && n.Value > 0:
		return int(math.Round(max(1, min(10, 10*n.Value))))
	case n.Stated:
		return int(math.Round(max(1, min(10, n.Value))))
	case label == Update || label == Delete:
		return 9
	case label == Core:
		return 8
	}
	return 6
}
