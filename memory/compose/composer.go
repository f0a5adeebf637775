package compose

import (
	"math"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Config says how much a prompt may hold.
type Config struct {
	Tokens   *token.Counter // default: a counter of its own; share one, it remembers what it has counted
	Settings state.Settings // default: state.DefaultSettings
}

// Composer makes prompts. It is safe for concurrent use and keeps nothing but the counter's cache.
type Composer struct {
	meter    meter
	settings state.Settings
}

// New makes a Composer.
func New(c Config) *Composer {
	if c.Tokens == nil {
		c.Tokens = token.New()
	}
	if c.Settings.MaxTokens <= 0 {
		c.Settings = state.DefaultSettings()
	}
	return &Composer{meter: meter{c.Tokens}, settings: c.Settings}
}

// Tokens is what a message costs as Compose counts it: its text, reasoning, names and arguments of tool calls, four
// tokens for the message and for each call, 765 for an image or file.
func (c *Composer) Tokens(m Message) int { return c.meter.message(m).tokens }

// Compose makes the prompt: the system prompt, the context block, the history, the question, the turn so far. Together
// they never exceed max_tokens, nor max_context_chars if that is set. The same input gives the same prompt. An error is
// Invalid: the question is empty, or its head, its tail and the system prompt alone are too large.
func (c *Composer) Compose(in Input) (Context, error) {
	d := newDraft(c, in)
	d.window = d.lastUnits()
	if err := d.fixed(); err != nil {
		return Context{}, err
	}
	d.keepTurn()
	d.ofUser()
	complete := d.affair()
	d.must()
	if complete { // nothing else stays while a line of the active affair finds no room
		d.attachments()
		d.stable()
		d.recent(min(c.settings.BudgetRecent, c.share(settingShare)))
		d.growTurn(c.share(turnShare))
		d.parked()
		d.affairMessages()
		d.evidence()
	}
	d.growTurn(c.settings.MaxTokens)
	if complete {
		d.recent(c.settings.MaxTokens)
	} else {
		d.giveUp()
	}
	return d.context(), nil
}

// Admits reports whether a user's message can be composed at all: nil, or the error that Compose gives for it as the
// question. system is the host's system prompt for the turn, "" = Identity. A message whose bytes fit is not tokenised.
func (c *Composer) Admits(msg state.Message, system string) error {
	d := newDraft(c, Input{System: system, Question: msg})
	if most := d.atMost(); !d.askNothing() && d.left.holds(most) {
		return nil
	}
	return d.fixed()
}

// share is so many per cent of max_tokens.
func (c *Composer) share(percent int) int { return c.settings.MaxTokens * percent / 100 }

// draft is a prompt being filled, from what must be in to what may.
type draft struct {
	c     *Composer
	meter meter
	in    Input

	left   size // of the caps
	framed bool // the context block has begun
	lines  []Line
	seen   map[string]bool // texts that need not come again
	said   [][]string      // terms of what stands there as the user's

	brain, preferences, activeContext, summary, active, parkedOnes, userContext, recalled section

	system   *Message
	question Message
	window   []unit // of the history, not looked at yet, newest last
	history  []unit // of the history, taken, newest first
	rounds   []round
	files    *Message       // that quotes the question's attachments; nil = it has none
	bodies   []body         // their texts, as far as they are in
	spent    map[string]int // tokens of the sections that are messages
}

func newDraft(c *Composer, in Input) *draft {
	own := func(name string, budget, slots int) section {
		return section{name: name, heading: "## " + name, budget: budget, slots: make([]slot, slots)}
	}
	d := &draft{
		c: c, meter: c.meter, in: in,
		left: size{c.settings.MaxTokens, c.settings.MaxContextChars},
		seen: map[string]bool{}, spent: map[string]int{}, bodies: make([]body, min(len(in.Question.Attachments), listedAtMost)),

		brain:         own(Brain, min(c.settings.BrainMaxTokens, c.share(settingShare)), 1),
		preferences:   own(Preferences, c.share(preferencesShare), 1),
		activeContext: own(ActiveContext, c.share(contextShare), 1),
		summary:       own(SessionSummary, min(c.settings.BudgetSummary, c.share(settingShare)), 1),
		active:        own(ActiveAffair, c.share(activeShare), len(activeLeads())),
		parkedOnes:    own(ParkedAffairs, c.share(parkedShare), 1),
		userContext:   own(UserContext, c.share(userShare), 1),
		recalled:      own(EvidenceLines, c.settings.MaxTokens, 1),
	}
	if d.left.chars <= 0 {
		d.left.chars = math.MaxInt / 2
	}
	for i, lead := range activeLeads() {
		d.active.slots[i].lead = lead
	}
	d.question, d.files = d.asked(true), d.quoteFiles()
	return d
}

// layout is the order of the sections in the context block, from the most stable to the most volatile.
func (d *draft) layout() []*section {
	return []*section{
		&d.brain, &d.preferences, &d.activeContext, &d.summary, &d.active, &d.parkedOnes, &d.userContext, &d.recalled,
	}
}

// fixed places what must be in: the system prompt and the names of the question's attachments whole, the question whole if there
// is room, else its head and tail.
func (d *draft) fixed() error {
	if d.askNothing() {
		return state.Errorf(state.Invalid, "compose context", "the question is empty; give it a text")
	}
	system, cost, ok := d.fitQuestion()
	if !ok && len(d.question.Parts) > 0 {
		d.question = d.asked(false)
		system, cost, ok = d.fitQuestion()
	}
	if !ok {
		_, cost = d.fit()
		return d.tooLarge(cost)
	}
	d.left = d.left.minus(cost)
	d.system = system
	d.spent[Question] = d.meter.message(d.question).tokens
	d.spent[Attachments] = d.asking().tokens - d.spent[Question]
	d.seen[quote.Item(d.in.Question.Text)] = true
	if system != nil {
		d.spent[System] = cost.tokens - d.asking().tokens
		d.lines = append(d.lines, Line{Section: System, Text: system.Text, Tokens: d.spent[System], Why: "who the model is here"})
	}
	return nil
}

// fit chooses the system prompt and says what it and the question cost: the host's, or the longest form of our own that
// leaves room for the question; nil if none does.
func (d *draft) fit() (*Message, size) {
	question := d.asking()
	if d.in.System != "" {
		m := &Message{Role: RoleSystem, Text: valid(d.in.System)}
		return m, question.plus(d.meter.message(*m))
	}
	for _, text := range []string{Identity(d.in.Language, d.in.Now), briefIdentity()} {
		m := &Message{Role: RoleSystem, Text: text}
		if cost := question.plus(d.meter.message(*m)); d.left.holds(cost) {
			return m, cost
		}
	}
	return nil, question
}

// asking is what the question and the message of its attachments cost.
func (d *draft) asking() size {
	cost := d.meter.message(d.question)
	if d.files != nil {
		cost = cost.plus(d.meter.message(*d.files))
	}
	return cost
}

// atMost is more than system prompt and question cost, told by their bytes: no token and no character has less than one.
func (d *draft) atMost() size {
	bytes := len(d.question.Text) + len(valid(d.in.System))
	if d.files != nil {
		bytes += len(d.files.Text)
	}
	return size{bytes + 3*messageTokens + mediaTokens*len(d.question.Parts), bytes}
}

// ofUser places what the user prefers and what else is known of him, within their shares, and within a third each of the room
// that there is: it holds whatever the affair is, so it stays before the affair's last lines do.
func (d *draft) ofUser() {
	d.preferences.budget = min(d.preferences.budget, d.left.tokens/userPart)
	for _, f := range d.in.Preferences {
		said := quote.Item(f.Value)
		if label := quote.Item(f.Label); label != "" {
			said = label + ": " + quote.Line(f.Value)
		}
		d.own(&d.preferences, said, "what the user prefers")
	}
	d.userContext.budget = min(d.userContext.budget, d.left.tokens/userPart)
	for _, line := range d.in.User {
		d.own(&d.userContext, quote.Item(line), "context of the user")
	}
}

// own places a line of what is the user's. As evidence it would stand there twice.
func (d *draft) own(s *section, said, why string) {
	if said == "" || d.seen[said] {
		return
	}
	whole := d.meter.line("- "+said).tokens <= factLine
	if d.putCut(s, 0, Line{Text: "- " + said, Why: why}, factLine) == kept && whole {
		d.seen[said] = true
		d.said = append(d.said, text.Terms(said))
	}
}

// stable places what changes least: brain, active context and the summary of the session.
func (d *draft) stable() {
	d.text(&d.brain, d.in.Brain, "known for long")
	d.text(&d.activeContext, d.in.ActiveContext, "what was going on last")
	d.text(&d.summary, d.in.Summary, "what was said before the last messages")
}

// text places a text of several lines, as many as its section's budget holds.
func (d *draft) text(s *section, text, why string) {
	for _, line := range quote.Items(text) {
		if d.putFit(s, 0, Line{Text: line, Why: why}, s.budget) != kept {
			return
		}
	}
}
