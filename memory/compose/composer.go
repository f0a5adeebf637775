package compose

import (
	"math"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/compose/token"
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

// With returns a Composer of other settings with the same counter.
func (c *Composer) With(s state.Settings) *Composer { return &Composer{meter: c.meter, settings: s} }

// Tokens is what a message costs as Compose counts it: its text, reasoning, names and arguments of tool calls, four
// tokens for the message and for each call, 765 for an image or file.
func (c *Composer) Tokens(m Message) int { return c.meter.message(m).tokens }

// Compose makes the prompt: the system prompt, the context block, the history, the question, the turn so far. Together with the
// tools they never exceed what context_window leaves for them, nor max_context_chars if that is set; what memory adds never exceeds
// max_tokens, and all together do not while the rest leaves memory its quarter of that. The same input gives the same prompt. An error
// is Invalid: the question is empty, or its head, its tail and the system prompt alone are too large.
func (c *Composer) Compose(in Input) (Context, error) {
	d := newDraft(c, in)
	d.window = d.lastUnits()
	if err := d.fixed(); err != nil {
		return Context{}, err
	}
	d.keepTurn()
	d.brought()
	d.limitMemory()
	d.ofUser()
	complete := d.affair()
	d.must()
	if complete { // nothing else stays while a line of the active affair finds no room
		d.stable()
		d.recent(d.budget(c.settings.BudgetRecent))
		d.parked()
		d.sureEvidence()
		d.affairMessages()
		d.evidence()
		d.associations()
	}
	d.growTurn(d.room)
	if complete {
		d.recent(d.room)
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

// draft is a prompt being filled, from what must be in to what may.
type draft struct {
	c     *Composer
	meter meter
	in    Input

	room   int           // tokens that the window leaves for the prompt
	most   int           // tokens of what memory adds: max_tokens, within room
	limit  int           // tokens of this prompt, once it is known what it needs beside memory
	left   size          // of room, then of limit; and of max_context_chars
	framed map[bool]bool // the context block has begun; true: what stands behind the history has
	lines  []Line
	seen   map[string]bool // texts that need not come again
	said   [][]string      // terms of what stands there as the user's

	brain, preferences, activeContext, summary, active, parkedOnes, userContext, project section
	recalled, associated, extra                                                          section

	system   *Message
	question Message
	window   []unit // of the history, not looked at yet, newest last
	history  []unit // of the history, taken, newest first
	rounds   []round
	files    *Message       // that quotes the question's attachments; nil = it has none
	bodies   []body         // their texts, as far as they are in
	spent    map[string]int // tokens of the sections that are messages
	placed   []bool         // evidence that is in, or need not be
}

// share returns so many per cent of what memory may add.
func (d *draft) share(percent int) int { return d.most * percent / 100 }

// budget is so many tokens, but not more than a quarter of what memory may add.
func (d *draft) budget(tokens int) int { return min(tokens, d.share(budgetShare)) }

func newDraft(c *Composer, in Input) *draft {
	own := func(name string, budget, slots int) section {
		return section{name: name, heading: "## " + name, budget: budget, slots: make([]slot, slots)}
	}

	// The prompt as a whole: what memory may take of it, and what is left.
	s := c.settings
	d := &draft{
		c: c, meter: c.meter, in: in, room: s.PromptTokens() - in.ToolTokens,
		seen: map[string]bool{}, spent: map[string]int{}, bodies: make([]body, min(len(in.Question.Attachments), listedAtMost)),
		placed: make([]bool, len(in.Evidence)), framed: map[bool]bool{},
	}
	d.most = max(0, min(s.MaxTokens, d.room))
	d.left = size{d.room, s.MaxContextChars}

	// Each section has its name, its share and its slots.
	d.brain = own(Brain, d.budget(s.BrainMaxTokens), len(brainLeads()))
	d.preferences = own(Preferences, d.share(s.ShareUser), 1)
	d.activeContext = own(ActiveContext, d.budget(s.BudgetActive), 1)
	d.summary = own(SessionSummary, d.budget(s.BudgetSummary), 1)
	d.active = own(ActiveAffair, d.share(s.ShareAffair), len(activeLeads()))
	d.parkedOnes = own(ParkedAffairs, d.share(s.ShareParked), 1)
	d.userContext = own(UserContext, d.share(s.ShareUser), 1)
	d.project = own(ProjectContext, d.share(s.ShareProject), 1)
	d.recalled = own(EvidenceLines, d.room, len(in.Evidence))
	d.associated = own(Associations, d.budget(s.BudgetAssociations), 1)
	d.extra = own(ExtraContext, d.room, len(in.Extra))

	// Sections of the question come late, behind the history.
	for _, s := range []*section{&d.recalled, &d.associated, &d.extra} {
		s.late = true
	}
	if d.left.chars <= 0 {
		d.left.chars = math.MaxInt / 2
	}
	for i, lead := range activeLeads() {
		d.active.slots[i].lead = lead
	}
	for i, lead := range brainLeads() {
		d.brain.slots[i].lead = lead
	}

	// The question and its files, as they are asked first: with nothing left out.
	d.question, d.files = d.asked(true), d.quoteFiles()
	return d
}

// layout returns the order of the sections in the context block, from the most stable to the most volatile.
func (d *draft) layout() []*section {
	return []*section{
		&d.brain, &d.preferences, &d.activeContext, &d.summary, &d.active, &d.parkedOnes, &d.project, &d.userContext, &d.recalled, &d.associated, &d.extra,
	}
}

// fixed places what must be in: the system prompt and the names of the question's attachments whole, the question whole if there
// is room, else its head and tail.
func (d *draft) fixed() error {
	if d.askNothing() {
		return state.Errorf(state.Invalid, "compose context", "the question is empty; give it a text")
	}

	// Pictures go before the question does.
	system, cost, ok := d.fitQuestion()
	if !ok && len(d.question.Parts) > 0 {
		d.question = d.asked(false)
		system, cost, ok = d.fitQuestion()
	}
	if !ok {
		_, cost = d.fit()
		return d.tooLarge(cost)
	}

	// What has to be in takes its room first.
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

// fit chooses the system prompt and says what it and the question cost: the host's with what holds beside it, or the longest
// form of our own that leaves room for the question; nil if none does.
func (d *draft) fit() (*Message, size) {
	question := d.asking()
	if d.in.System != "" {
		m := &Message{Role: RoleSystem, Text: valid(d.in.System)}
		if d.in.Standing != "" {
			more := &Message{Role: RoleSystem, Text: m.Text + "\n\n" + d.in.Standing}
			if cost := question.plus(d.meter.message(*more)); d.left.holds(cost) {
				return more, cost
			}
		}
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

// asking returns what the question and the message of its attachments cost.
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

// brought places what the request brings beside its question, and the results of its tools: whole, if the window holds them
// beside memory's part.
func (d *draft) brought() {
	kept := size{d.share(memoryShare), d.left.chars * memoryShare / 100}
	d.left = d.left.minus(kept)
	if len(d.bodies)+len(d.in.Extra) > 0 {
		d.growTurn(d.spent[Turn] + d.left.tokens/2)
		d.attachments()
		d.requested()
	}
	d.growTurn(d.room)
	d.left = d.left.plus(kept)
}

// limitMemory sets what the prompt may have in all: max_tokens, or more where else memory had less than its part of them.
func (d *draft) limitMemory() {
	spent := d.room - d.left.tokens
	d.left.tokens = min(d.left.tokens, max(d.most-spent, d.share(memoryShare)))
	d.limit = spent + d.left.tokens
}
