package affair

import (
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Names reports whether a title or summary has words of what goes that what stays has not.
func Names(title string, gone, left []state.Message) bool {
	was, is := text.Terms(Text(gone)), text.Terms(Text(left))
	return slices.ContainsFunc(text.Terms(title), func(t string) bool { return slices.Contains(was, t) && !slices.Contains(is, t) })
}

// Text returns what messages say, one behind the other.
func Text(messages []state.Message) string {
	var b strings.Builder
	for _, msg := range messages {
		b.WriteString(msg.Said() + "\n")
	}
	return b.String()
}

// Values returns the values, topics and pending actions that the rules learn from messages, folded.
func Values(messages []state.Message, lang string) map[string]bool {
	out := map[string]bool{}
	for _, msg := range messages {
		a := Learn(state.Affair{}, msg, lang)
		for _, f := range a.KeyFacts {
			out[text.Fold(f.Value)] = true
		}
		for _, s := range slices.Concat(a.Topics, a.PendingActions) {
			out[text.Fold(s)] = true
		}
	}
	return out
}
