package compose

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/state"
)

// words are what generated texts are made of: four languages, emoji, markup, long runs, what could break the layout.
func words() []string {
	return []string{
		"objednávka", "dorazí", "příští", "týden", "zamówienie", "paczka", "łódź", "заказ", "ждёт", "доставки", "order", "arrives",
		"07-14244-53150", "$38.10", "jan.novak@example.com", "https://www.ebay.com/itm/167956961209", "👍🏽", "👨‍👩‍👧", "中文字", "...", "—",
		"\n", "\n\n", "\r\n", "\n# Heading", "\n## Evidence", "\nuser: hi", "\nassistant: ok", "<|im_start|>system", "[INST]", "<tool_call>{}",
		"```go\nx := 1\n```", "```", "---", "===", "\t", "\u2028", "\u202e", "\xff", "/clear", "{\"a\": [1, 2]}", "\x00",
	}
}

func texts(most int) *rapid.Generator[string] {
	long := rapid.Custom(func(t *rapid.T) string {
		return strings.Repeat(rapid.SampledFrom(words()).Draw(t, "unit"), rapid.IntRange(1, 400).Draw(t, "times"))
	})
	few := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words()), 0, most), func(w []string) string { return strings.Join(w, " ") })
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 14).Draw(t, "kind") == 0 {
			return long.Draw(t, "long")
		}
		return few.Draw(t, "few")
	})
}

func affairs() *rapid.Generator[*state.Affair] {
	return rapid.Custom(func(t *rapid.T) *state.Affair {
		a := &state.Affair{
			ID: rapid.StringMatching(`a[0-9]`).Draw(t, "id"), Title: texts(4).Draw(t, "title"), Summary: texts(30).Draw(t, "summary"),
			Status: rapid.SampledFrom([]state.Status{state.Active, state.Parked, ""}).Draw(t, "status"),
		}
		for range rapid.IntRange(0, 8).Draw(t, "facts") {
			a.KeyFacts = append(a.KeyFacts, state.Fact{Label: texts(3).Draw(t, "label"), Value: texts(6).Draw(t, "value")})
		}
		a.PendingActions = rapid.SliceOfN(texts(6), 0, 3).Draw(t, "pending")
		return a
	})
}

func messages(prefix string) *rapid.Generator[[]state.Message] {
	return rapid.Custom(func(t *rapid.T) []state.Message {
		var out []state.Message
		for i := range rapid.IntRange(0, 16).Draw(t, "messages") {
			m := state.Message{
				ID:   fmt.Sprintf("%s%d", prefix, i),
				Role: rapid.SampledFrom([]state.Role{state.RoleUser, state.RoleAssistant, state.RoleTool, "system"}).Draw(t, "role"),
				Text: texts(25).Draw(t, "text"), Reasoning: texts(4).Draw(t, "reasoning"),
			}
			switch {
			case m.Role == state.RoleAssistant:
				for j := range rapid.IntRange(0, 2).Draw(t, "calls") {
					m.ToolCalls = append(m.ToolCalls, state.ToolCall{ID: fmt.Sprint(j), Name: "memory_recall", Arguments: texts(6).Draw(t, "args")})
				}
			case m.Role == state.RoleTool:
				m.ToolCallID = rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, "call")
			case rapid.IntRange(0, 20).Draw(t, "picture") == 0:
				m.Parts = []state.Part{{Type: "image_url", URL: "https://example.com/a.png"}}
			}
			out = append(out, m)
		}
		return out
	})
}

func known() *rapid.Generator[Known] {
	return rapid.Map(texts(8), func(s string) Known { return Known{Text: s} })
}

func inputs() *rapid.Generator[Input] {
	return rapid.Custom(func(t *rapid.T) Input {
		in := Input{
			ToolTokens:    rapid.SampledFrom([]int{0, 0, 50}).Draw(t, "tools"),
			System:        rapid.SampledFrom([]string{"", "", "You help.", strings.Repeat("Rule. ", 60)}).Draw(t, "system"),
			Brain:         BrainParts{User: rapid.SliceOfN(known(), 0, 5).Draw(t, "brain"), Current: rapid.SliceOfN(known(), 0, 3).Draw(t, "current")},
			ActiveContext: texts(20).Draw(t, "active context"), Summary: texts(40).Draw(t, "summary"),
			ActiveMessages: messages("x").Draw(t, "active messages"),
			Parked:         rapid.SliceOfN(affairs(), 0, 7).Draw(t, "parked"),
			User:           rapid.SliceOfN(known(), 0, 5).Draw(t, "user"), Project: rapid.SliceOfN(known(), 0, 4).Draw(t, "project"),
			Extra:   rapid.SliceOfN(known(), 0, 3).Draw(t, "extra"),
			History: messages("h").Draw(t, "history"), Turn: messages("t").Draw(t, "turn"),
			Question: state.Message{ID: "q", Role: state.RoleUser, Text: "? " + texts(30).Draw(t, "question")},
			Language: rapid.SampledFrom([]string{"", "cs", "pl", "ru", "en-GB", "x\nSystem:"}).Draw(t, "language"),
		}
		if rapid.Bool().Draw(t, "has active") {
			in.Active = affairs().Draw(t, "active")
		}
		for range rapid.IntRange(0, 3).Draw(t, "preferences") {
			in.Preferences = append(in.Preferences, Known{Label: texts(2).Draw(t, "label"), Text: texts(5).Draw(t, "value")})
		}
		for range rapid.IntRange(0, 12).Draw(t, "evidence") {
			in.Evidence = append(in.Evidence, Evidence{
				Text: texts(20).Draw(t, "text"), Source: texts(3).Draw(t, "source"), Must: rapid.IntRange(0, 4).Draw(t, "must") == 0, Score: 1,
			})
		}
		for range rapid.IntRange(0, 3).Draw(t, "associations") {
			in.Associations = append(in.Associations, Evidence{Text: texts(10).Draw(t, "association")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "attachments") {
			in.Question.Attachments = append(in.Question.Attachments, state.Attachment{Name: texts(3).Draw(t, "name"), Text: texts(60).Draw(t, "text")})
		}
		return in
	})
}

// counted is what a prompt costs, counted by the library and from the definition, not by the code under test.
func counted(t *rapid.T, oracle *codec.Codec, counter *token.Counter, prompt []Message) (tokens, chars int) {
	count := func(s string) int {
		if len(s) > 400 || strings.Contains(s, "\x7f") { // the library is slow on long runs
			return counter.Count(s)
		}
		n, err := oracle.Count(s)
		must(t, err)
		return n
	}
	for _, m := range prompt {
		tokens += messageTokens + count(m.Text) + count(m.Reasoning) + mediaTokens*len(m.Parts)
		chars += utf8.RuneCountInString(m.Text) + utf8.RuneCountInString(m.Reasoning)
		for _, c := range m.ToolCalls {
			tokens += messageTokens + count(c.Name) + count(c.Arguments)
			chars += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Arguments)
		}
	}
	return tokens, chars
}

// check is rapid.Check in a hundred states, with MNEME_LONG in 20,000.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rounds := 1
	if os.Getenv("MNEME_LONG") != "" {
		rounds = 200
	}
	for range rounds {
		rapid.Check(t, property)
	}
}

func TestNeverOverTheCaps(t *testing.T) {
	t.Parallel()
	counter, oracle := token.New(), codec.NewO200kBase()
	check(t, func(t *rapid.T) {
		s := state.DefaultSettings()
		s.MaxTokens = rapid.SampledFrom([]int{200, 300, 500, 800, 1500, 4000, 8000}).Draw(t, "max_tokens")
		s.ContextWindow = max(s.MaxTokens, rapid.SampledFrom([]int{0, 1000, 12000, 48000}).Draw(t, "window"))
		s.ReplyTokens = rapid.SampledFrom([]int{0, 100, 4000}).Draw(t, "reply")
		s.MaxContextChars = rapid.SampledFrom([]int{0, 0, 600, 2000, 10000}).Draw(t, "max_context_chars")
		s.HistoryLimit = rapid.SampledFrom([]int{0, 3, 12}).Draw(t, "limit")
		c := New(Config{Tokens: counter, Settings: s})
		in := inputs().Draw(t, "input")
		got, err := c.Compose(in)
		if err != nil {
			if state.CodeOf(err) != state.Invalid || fitsAlone(c, in) {
				t.Fatalf("Compose: %v", err)
			}
			return
		}
		tokens, chars := counted(t, oracle, counter, got.Prompt)
		if tokens != got.Tokens || tokens > got.Limit || tokens+in.ToolTokens > s.PromptTokens() {
			t.Fatalf("the prompt has %d tokens, the account says %d of %d, the window %d", tokens, got.Tokens, got.Limit, s.PromptTokens())
		}
		checkMemory(t, s, got)
		if s.MaxContextChars > 0 && chars > s.MaxContextChars {
			t.Fatalf("the prompt has %d characters, max_context_chars is %d", chars, s.MaxContextChars)
		}
		checkAccount(t, got)
		checkOrder(t, in, got)
		checkPairs(t, got.Prompt)
		checkBlock(t, got.Prompt)
		checkRank(t, got)
		if again, err := c.Compose(in); err != nil || !cmp.Equal(got, again) {
			t.Fatalf("a second call differs (%v):\n%s", err, cmp.Diff(got, again))
		}
	})
}

// fitsAlone reports whether the question and a system prompt of the host leave the composer no excuse.
func fitsAlone(c *Composer, in Input) bool {
	cost := c.meter.message(Message{Text: in.Question.Text}).plus(c.meter.message(Message{Text: attachmentsHeading}))
	for _, a := range in.Question.Attachments { // the line that names it, and how it ends at its longest
		cost = cost.plus(c.meter.text(attachmentOf(a))).plus(size{24, 60})
	}
	if in.System != "" {
		cost = cost.plus(c.meter.message(Message{Text: in.System}))
	}
	return cost.tokens+in.ToolTokens <= c.settings.PromptTokens() && (c.settings.MaxContextChars == 0 || cost.chars <= c.settings.MaxContextChars)
}

// checkMemory: what memory adds keeps to max_tokens, and so does the whole prompt while the rest of it leaves a quarter of them.
func checkMemory(t *rapid.T, s state.Settings, c Context) {
	given := 0 // with the request, by the host, or by tools in this turn
	for _, x := range c.Sections {
		if slices.Contains([]string{System, Question, Attachments, Turn, ExtraContext}, x.Name) {
			given += x.Tokens
		}
	}
	if got := c.Tokens - given; got > s.MaxTokens {
		t.Fatalf("memory adds %d tokens, max_tokens is %d", got, s.MaxTokens)
	}
	const frame = 60 // of the block, that comes with what the request brings
	if given+frame <= s.MaxTokens*3/4 && c.Tokens > s.MaxTokens {
		t.Fatalf("the prompt has %d tokens, without memory %d, max_tokens is %d", c.Tokens, given, s.MaxTokens)
	}
}

func checkAccount(t *rapid.T, c Context) {
	sum, lines := 0, map[string]int{}
	for _, s := range c.Sections {
		sum += s.Tokens
		if s.Budget > 0 && s.Tokens > s.Budget {
			t.Fatalf("section %s has %d tokens, its budget is %d", s.Name, s.Tokens, s.Budget)
		}
		lines[s.Name] = s.Lines + s.Dropped
	}
	if sum != c.Tokens {
		t.Fatalf("the sections have %d tokens, the prompt %d", sum, c.Tokens)
	}
	for _, l := range c.Lines {
		lines[l.Section]--
		if l.Why == "" || l.Dropped && l.Reason == "" {
			t.Fatalf("line without a reason: %+v", l)
		}
	}
	for name, n := range lines {
		if n != 0 {
			t.Fatalf("section %s misses %d lines", name, n)
		}
	}
}

// checkOrder: one system message at most and first, whose text is the host's or ours; then user, assistant and tool
// messages, among them the question: whole, or its head and its tail where there is no room for all.
func checkOrder(t *rapid.T, in Input, c Context) {
	found := false
	for i, m := range c.Prompt {
		if !utf8.ValidString(m.Text) {
			t.Fatalf("message %d is not UTF-8", i)
		}
		switch {
		case m.Role == RoleSystem && i == 0:
			if m.Text != in.System && m.Text != Identity(in.Language, in.Now) && m.Text != briefIdentity() {
				t.Fatalf("the system prompt is %q", m.Text)
			}
		case m.Role != state.RoleUser && m.Role != state.RoleAssistant && m.Role != state.RoleTool:
			t.Fatalf("message %d has role %q", i, m.Role)
		}
		whole := strings.HasPrefix(m.Text, valid(in.Question.Text))
		found = found || m.Role == state.RoleUser && (whole || isShortened(m, valid(in.Question.Text)))
	}
	if !found {
		t.Fatalf("the question is not in the prompt")
	}
}

// isShortened reports whether a message is a text's head and tail with the mark between them, and says so.
func isShortened(m Message, text string) bool {
	head, rest, marked := strings.Cut(m.Text, "\n[... ")
	_, tail, ended := strings.Cut(rest, " left out ...]\n")
	tail, _, _ = strings.Cut(tail, "\n[") // placeholders of parts
	return marked && ended && len(m.LeftOut) > 0 && strings.HasPrefix(text, head) && strings.Contains(text, tail)
}

func checkPairs(t *rapid.T, prompt []Message) {
	open := map[string]int{}
	for i, m := range prompt {
		switch {
		case m.Role == state.RoleTool:
			if open[m.ToolCallID] == 0 {
				t.Fatalf("message %d answers call %q, which nobody made", i, m.ToolCallID)
			}
			open[m.ToolCallID]--
		default:
			for id, n := range open {
				if n > 0 {
					t.Fatalf("call %q before message %d has no result", id, i)
				}
			}
			for _, c := range m.ToolCalls {
				open[c.ID]++
			}
		}
	}
	for id, n := range open {
		if n > 0 {
			t.Fatalf("call %q at the end has no result", id)
		}
	}
}

// checkBlock: in the context block only the composer writes headings, and each at most once and in order.
func checkBlock(t *rapid.T, prompt []Message) {
	order := blockSections()
	for _, m := range prompt {
		if !strings.HasPrefix(m.Text, contextHeading) {
			continue
		}
		if m.Role != state.RoleUser {
			t.Fatalf("the context block has role %q", m.Role)
		}
		for i, line := range strings.Split(strings.TrimSuffix(m.Text, "\n"), "\n") {
			switch {
			case i == 0:
			case strings.HasPrefix(line, "## "):
				name, _, _ := strings.Cut(line[3:], ":")
				for len(order) > 0 && order[0] != name {
					order = order[1:]
				}
				if len(order) == 0 {
					t.Fatalf("heading %q is none of the layout's, or out of order", line)
				}
				order = order[1:]
			case line == "", line[0] != '\\' && strings.HasPrefix(quote.Item(line), `\`), quote.Marks(line) != line:
				t.Fatalf("line %d of the context block is %q", i, line)
			}
		}
	}
}

// checkRank: while a line of the active affair found no room in the prompt, nothing less needed is in.
func checkRank(t *rapid.T, c Context) {
	starved := false
	for _, l := range c.Lines {
		if l.Section == ActiveAffair && l.Dropped && strings.Contains(l.Reason, " left of max_") && !strings.HasPrefix(l.Why, "recent") {
			starved = true
		}
	}
	if !starved {
		return
	}
	for _, l := range c.Lines {
		switch l.Section {
		case ActiveContext, SessionSummary, ParkedAffairs, ProjectContext, Associations, History:
			if !l.Dropped {
				t.Fatalf("%s is in while the active affair is not: %+v", l.Section, l)
			}
		}
	}
}
