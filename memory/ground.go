package memory

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// Ground is what a model had before it when it made a call. By it the door tells whose words a change has.
type Ground struct {
	View    state.View             // with the turn's messages so far
	Shown   *compose.Input         // what of memory the prompt showed
	BuiltIn func(tool string) bool // whether a tool is one of the memory's own
}

// basis is a ground as texts are compared with it.
type basis struct {
	now      string     // what the user says himself in this turn, with what he says yes to
	asked    string     // the question that he answers with yes, "" = none
	stated   bool       // a message of his in the window states something
	said     whose.Said // all that the user says, and what is known of him
	tools    whose.Said // results of tools
	document whose.Said // documents, and what he has pasted
	loose    whose.Said // answers, summaries and what is recalled
}

// read sorts the texts of a ground by whose they are.
func (g *Ground) read() *basis {
	var own, tools, document, loose []string
	messages := append(g.View.Window[:len(g.View.Window):len(g.View.Window)], g.View.Turn...)
	b := &basis{}
	for _, msg := range messages {
		switch msg.Role {
		case state.RoleUser:
			said, brought := whose.Split(msg.Said())
			own, document = append(own, said), append(document, brought)
			b.now, b.stated = said, b.stated || whose.States(said)
			for _, a := range msg.Attachments {
				document = append(document, a.Name, a.Text)
			}
			if x := msg.Extra; x != nil && msg.Turn == g.View.Turn[0].Turn {
				for _, f := range x.Files {
					document = append(document, f.Name, f.Text)
				}
				document = append(document, strings.Join(x.Notes, "\n"), strings.Join(x.Links, "\n"))
			}
		case state.RoleAssistant:
			loose = append(loose, msg.Text)
		case state.RoleTool:
			switch {
			case g.BuiltIn == nil || !g.BuiltIn(msg.ToolName):
				tools = append(tools, msg.Text)
			case quotesOthers(msg):
				document = append(document, msg.Text)
			case strings.HasPrefix(msg.Text, "# Memory"):
				loose = append(loose, msg.Text)
			}
		}
	}
	if g.Shown != nil {
		o, t, d, l := shownTexts(g.Shown)
		own, tools, document, loose = append(own, o...), append(tools, t...), append(document, d...), append(loose, l...)
	}
	b.answer(g.View)
	own = append(own, b.asked)
	b.said, b.tools, b.document, b.loose = whose.Read(own...), whose.Read(tools...), whose.Read(document...), whose.Read(loose...)
	return b
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

// shownTexts are the texts that a prompt shows of memory, by whose they are.
func shownTexts(in *compose.Input) (own, tools, document, loose []string) {
	lines := func(list []compose.Known) (out []string) {
		for _, k := range list {
			out = append(out, k.Label+": "+k.Text)
		}
		return out
	}
	for _, list := range [][]compose.Known{in.Preferences, in.Brain.User, in.Brain.Decisions, in.Brain.Current} {
		own = append(own, lines(list)...)
	}
	loose = append(lines(in.Project), in.Summary, in.ActiveContext)
	if a := in.Active; a != nil {
		loose = append(loose, a.Title, a.Summary, strings.Join(a.PendingActions, "\n"))
		for _, f := range a.KeyFacts {
			loose = append(loose, f.Label+": "+f.Value)
		}
	}
	for _, e := range append(in.Evidence[:len(in.Evidence):len(in.Evidence)], in.Associations...) {
		switch {
		case e.Out != "":
		case e.Trust == state.TrustUser:
			said, brought := whose.Split(e.Text)
			own, document = append(own, said), append(document, brought)
		case e.Trust == state.TrustTool:
			tools = append(tools, e.Text)
		case e.Trust == state.TrustDocument:
			document = append(document, e.Text)
		default:
			loose = append(loose, e.Text)
		}
	}
	return own, tools, document, loose
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
func (b *basis) tainted() bool { return len(b.tools.Terms)+len(b.document.Terms) > 1 }

// hearsay reports whether it was shown answers or summaries.
func (b *basis) hearsay() bool { return b.loose.Any() }

// agrees reports whether the user says yes to a question.
func (b *basis) agrees() bool { return b.asked != "" }

// states reports whether the user tells something, in this turn or before it in the window.
func (b *basis) states() bool { return b.stated || b.agrees() }

// theirs is all that others say.
func (b *basis) theirs() whose.Said { return b.tools.And(b.document) }

// named says whose words others' are.
func (b *basis) named() string {
	switch {
	case b.tools.Any() && b.document.Any():
		return "the result of a tool or a document, if anywhere"
	case b.tools.Any():
		return "the result of a tool, if anywhere"
	case b.document.Any():
		return "a document, if anywhere"
	}
	return "an answer or a summary"
}

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
	lacks := b.said.Lacks(says)
	f := found{says: says, lacks: len(lacks), exact: b.said.LacksExact(says), turned: says.Turns(b.said)}
	if f.lacks > 0 || f.exact || f.turned {
		f.theirs, f.loose = b.theirs().Holds(lacks), b.loose.Holds(lacks)
		f.tools = b.tools.Holds(lacks) >= b.document.Holds(lacks)
	}
	return f
}

// share is the part of the words that the user has said.
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
	return f.theirs > 0 && (part*f.theirs >= len(f.says.Terms) || f.exact)
}

// hearsay reports whether most of it stands only in an answer or a summary.
func (f found) hearsay() bool { return f.share() < .5 && 2*f.loose >= len(f.says.Terms) && f.loose > 0 }

// level is the trust of what others have told.
func (f found) level() state.Trust {
	if f.tools {
		return state.TrustTool
	}
	return state.TrustDocument
}
