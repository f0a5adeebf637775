package memory

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// ownWords returns those that the sender of a message says himself, all of them where he only quotes: a title is made of them, and not of what a
// letter calls itself.
func ownWords(msg state.Message) string {
	whole := desk.Said(msg)
	if own := whose.Own(whole); len(text.Terms(own)) > 0 {
		return own
	}
	return whole
}

// titledByOthers reports whether most of a title that a model gives stands only in what was pasted or what tools have returned.
func titledByOthers(title string, v state.View, msg state.Message) bool {
	own, pasted := whose.Split(desk.Said(msg))
	others := []string{pasted}
	for _, old := range v.Window {
		if old.Role == state.RoleTool {
			others = append(others, old.Text)
		}
	}
	says := whose.Read(title)
	return 2*whose.Read(others...).Holds(whose.Read(own).Lacks(says)) > len(says.Terms)
}

// opening returns the message without the phrases that only announce a change ("something else now"), which say
// nothing of what it is about.
func opening(msg state.Message, cues []string) state.Message {
	rest := desk.Said(msg)
	for _, cue := range cues {
		rest = strings.Replace(rest, cue, "", 1)
	}
	if len(text.Terms(rest)) > 0 {
		msg.Text, msg.Parts = strings.TrimLeft(rest, " .,:;!–—-\n"), nil
	}
	return msg
}
