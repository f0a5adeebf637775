package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// basis is a ground by whose its texts are. Most calls store what the user has just said: then nothing else of it is read.
type basis struct {
	now      string       // what the user says himself in this turn
	at       time.Time    // when he says it
	asked    string       // the question that he answers with yes, "" = none
	messages []string     // what he says in the window, this turn included
	known    []string     // what is known of him, in lines
	said     texts        // all that
	ever     []string     // what he has said in other sessions and other affairs: only a message that says nearly all of something counts
	told     []whose.Said // what his messages and those lines tell, one by one; read when it is first asked for
	tools    texts        // results of tools
	document texts        // documents, and what he has pasted
	loose    texts        // answers, summaries and what is recalled
}

// texts are compared as one, and read when they are first asked for.
type texts struct {
	list []string
	said *whose.Said
}

func (t *texts) add(list ...string) { t.list, t.said = append(t.list, list...), nil }

func (t *texts) read() whose.Said {
	if t.said == nil {
		said := whose.Read(t.list...)
		t.said = &said
	}
	return *t.said
}

// readGround sorts the texts of a ground by whose they are.
func readGround(g *desk.Ground) *basis {
	b := &basis{}

	// Who has said what of the conversation.
	for _, msg := range append(g.View.Window[:len(g.View.Window):len(g.View.Window)], g.View.Turn...) {
		if msg.Role == state.RoleUser {
			b.now, b.at = b.hear(msg, msg.Turn == g.View.Turn[0].Turn), msg.At
			b.messages = append(b.messages, b.now)
			continue
		}
		b.hearOthers(msg, g.BuiltIn)
	}

	// The user's words are complete here: what he has answered to needs them all.
	b.said.add(b.messages...)
	b.answer(g.View)
	b.said.add(b.asked)
	if g.Shown != nil {
		b.show(g.Shown)
	}
	return b
}

// hear takes in what a message of the user brings, and returns what he says himself.
func (b *basis) hear(msg state.Message, now bool) string {
	said, brought := whose.Split(msg.Said())
	b.document.add(brought)
	for _, a := range msg.Attachments {
		b.document.add(a.Name, a.Text)
	}
	if x := msg.Extra; x != nil && now {
		for _, f := range x.Files {
			b.document.add(f.Name, f.Text)
		}
		b.document.add(x.Notes...)
		b.document.add(x.Links...)
	}
	return said
}

// hearOthers takes in a message that is not the user's. What a memory tool returns is nobody's word by itself.
func (b *basis) hearOthers(msg state.Message, builtIn func(string) bool) {
	switch {
	case msg.Role == state.RoleAssistant:
		b.loose.add(msg.Text)
	case msg.Role != state.RoleTool:
	case builtIn == nil || !builtIn(msg.ToolName):
		b.tools.add(msg.Text)
	case quotesOthers(msg):
		b.document.add(msg.Text)
	case strings.HasPrefix(msg.Text, "# Memory"):
		b.loose.add(msg.Text)
	}
}

// quotesOthers reports whether the result of a tool of the memory shows what others have written.
func quotesOthers(msg state.Message) bool {
	for _, mark := range []string{trustMark(state.TrustTool), trustMark(state.TrustDocument), ", " + string(state.RoleTool) + ", ", ", read_block "} {
		if strings.Contains(msg.Text, mark) {
			return true
		}
	}
	return msg.ToolName == "read_block"
}

// show takes in what a prompt shows of memory.
func (b *basis) show(in *compose.Input) {
	// What the user is known to have said.
	for _, list := range [][]compose.Known{in.Preferences, in.Brain.User, in.Brain.Decisions, in.Brain.Current} {
		for _, k := range list {
			b.know(k.Label + " " + k.Text)
		}
	}

	// What memory has made itself: summaries, titles, facts. It proves nothing.
	for _, k := range in.Project {
		b.loose.add(k.Label, k.Text)
	}
	b.loose.add(in.Summary, in.ActiveContext)
	if a := in.Active; a != nil {
		b.loose.add(a.Title, a.Summary)
		b.loose.add(a.PendingActions...)
		for _, f := range a.KeyFacts {
			b.loose.add(f.Label, f.Value)
		}
	}

	// Evidence counts by the trust of its source.
	for _, e := range append(in.Evidence[:len(in.Evidence):len(in.Evidence)], in.Associations...) {
		if e.Out == "" {
			b.learn(e.Trust, e.Text)
		}
	}
}

// learn takes in what memory holds, by the trust of its source.
func (b *basis) learn(trust state.Trust, text string) {
	switch trust {
	case state.TrustUser:
		said, brought := whose.Split(text)
		b.know(said)
		b.document.add(brought)
	case state.TrustTool:
		b.tools.add(text)
	case state.TrustDocument:
		b.document.add(text)
	default:
		b.loose.add(text)
	}
}

// know takes in a line that the user is known to have said.
func (b *basis) know(line string) {
	b.known = append(b.known, line)
	b.said.add(line)
}

// answer takes what the assistant has asked for the user's words, when he says yes to it.
func (b *basis) answer(v state.View) {
	if len(v.Window) == 0 || !whose.Does(b.now, whose.Agree) {
		return
	}
	for i := len(v.Window) - 1; i >= 0; i-- {
		if msg := v.Window[i]; msg.Role == state.RoleAssistant && msg.Text != "" {
			b.asked = whose.Questions(msg.Text)
			return
		}
	}
}

// tainted reports whether the model was shown words of others. One word, such as "done", tells nobody what to do.
func (b *basis) tainted() bool { return len(b.tools.read().Terms)+len(b.document.read().Terms) > 1 }

// hearsay reports whether it was shown answers or summaries.
func (b *basis) hearsay() bool { return len(b.loose.read().Terms) > 0 }

// states reports whether the user tells something, in this turn or before it, or says yes to a question.
func (b *basis) states() bool { return b.asked != "" || slices.ContainsFunc(b.messages, whose.States) }

// theirs returns all that others say.
func (b *basis) theirs() whose.Said { return b.tools.read().And(b.document.read()) }

// found is where the words of a text stand.
type found struct {
	says   whose.Said
	lacks  int  // words that the user has not said
	theirs int  // of them those that others say
	loose  int  // of them those that an answer or a summary says
	exact  bool // it points at something that the user has not named
	turned bool // it says never or always, and he does not
	tools  bool // most of what others say of it the results of tools say
}

// find looks a text's words up.
func (b *basis) find(says whose.Said) found {
	said := b.said.read()
	lacks := said.Lacks(says)
	f := found{says: says, lacks: len(lacks), exact: said.LacksExact(says), turned: says.Turns(said)}
	if f.lacks > 0 || f.exact || f.turned {
		f.theirs, f.loose = b.theirs().Holds(lacks), b.loose.read().Holds(lacks)
		f.tools = b.tools.read().Holds(lacks) >= b.document.read().Holds(lacks)
	}
	return f
}

// share returns the part of the words that the user has said.
func (f found) share() float64 {
	if len(f.says.Terms) == 0 {
		return 0
	}
	return 1 - float64(f.lacks)/float64(len(f.says.Terms))
}

// whole reports whether the user has said all of it.
func (f found) whole() bool { return f.lacks == 0 && !f.exact && !f.turned && len(f.says.Terms) > 0 }

// taken reports whether a part of it that counts stands only where others say it.
func (f found) taken() bool {
	const part = 4
	return f.theirs > 0 && (part*f.theirs > len(f.says.Terms) || f.exact)
}

// hearsay reports whether most of it stands only in an answer or a summary.
func (f found) hearsay() bool { return f.share() < .5 && 2*f.loose >= len(f.says.Terms) && f.loose > 0 }

// level is the trust of what the user has not told: that of its source, and where it has none but an answer, the model's.
func (f found) level() state.Trust {
	switch {
	case f.theirs == 0:
		return state.TrustAgent
	case f.tools:
		return state.TrustTool
	}
	return state.TrustDocument
}

// stands says in words where it does.
func (f found) stands() string {
	switch {
	case f.theirs > 0 && f.tools:
		return "stands in the result of a tool"
	case f.theirs > 0:
		return "stands in a document"
	case f.loose > 0:
		return "stands in an answer or a summary"
	}
	return "stands nowhere"
}

// trustMark says of a record which is not the user's whose it is, for a prompt.
func trustMark(t state.Trust) string {
	switch t {
	case state.TrustTool:
		return ", from the result of a tool"
	case state.TrustDocument:
		return ", from a document"
	case state.TrustUser, state.TrustAgent, state.TrustExtracted:
	}
	return ""
}
