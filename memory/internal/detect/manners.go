package detect

import "math"

// manners are how the two sides talk, whatever they talk about: who asks, and at what length. How often the subject changes goes with it.
type manners struct{ user, reply manner }

// manner is what one side has said.
type manner struct {
	messages, words, asking float64
}

// count takes in a message.
func (m *manners) count(q *query, reply bool) {
	of := &m.user
	if reply {
		of = &m.reply
	}
	of.messages++
	of.words += float64(len(q.tokens))
	of.asking += one(q.mark())
}

// features are the shares so far, drawn to what is usual while little was said.
func (m *manners) features(f *features) {
	f.add("user's questions", m.user.share(m.user.asking, 0.35))
	f.add("user's length", math.Log1p(m.user.share(m.user.words, 14)))
	f.add("replies' questions", m.reply.share(m.reply.asking, 0.6))
	f.add("replies' length", math.Log1p(m.reply.share(m.reply.words, 25)))
}

// usualMessages is how many messages the usual counts as.
const usualMessages = 4

func (m *manner) share(sum, usual float64) float64 {
	return (sum + usualMessages*usual) / (m.messages + usualMessages)
}
