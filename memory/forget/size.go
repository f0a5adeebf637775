package forget

import (
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// muchMessages is how many messages a topic or a record takes without being asked about twice.
const muchMessages = 20

// Messages counts the user's messages that an order would take, whole or in part.
func Messages(would state.Order) int { return Items(would, "message", "sentence") }

// Items counts what an order would take of some kinds.
func Items(would state.Order, kinds ...string) (n int) {
	for _, item := range would.Would {
		if slices.Contains(kinds, item.Kind) {
			n++
		}
	}
	return n
}

// Much reports whether an order would take more than its words say: a topic or a record that takes whole affairs or many messages. Whoever carries
// it out asks first.
func Much(would state.Order) bool {
	named := would.What == "topic" || would.What == "record"
	return named && (Items(would, "affair") > 0 || Messages(would) > muchMessages)
}
