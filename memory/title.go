package memory

import (
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// opening is the message without the phrases that only announce a change ("something else now"), which say
// nothing of what it is about.
func opening(msg state.Message, cues []string) state.Message {
	rest := said(msg)
	for _, cue := range cues {
		rest = strings.Replace(rest, cue, "", 1)
	}
	if len(text.Terms(rest)) > 0 {
		msg.Text, msg.Parts = strings.TrimLeft(rest, " .,:;!–—-\n"), nil
	}
	return msg
}
