package words

// profile says what counts how much in a scope.
type profile struct {
	fields Fields // weight of each

	speaker, speakers       float64 // the one speaker named; none or several named
	question, length        float64
	time, number            float64
	month, day              float64
	user                    float64
	instruction, preference float64
	recency                 float64

	kin, concept, alike float64 // weight of words that stand for a term
	offTopic            float64 // how much words about the conversation itself are held back
}

// Terms of a mean reply of role assistant: up to short they are small talk, from long on they are essays.
const (
	shortReply = 25
	longReply  = 50
)

// profile chooses from the scope's own statistics: people among themselves, an assistant that answers briefly, or one
// that answers at length. Between them it blends, so that one more message never turns the order over.
func (t *tables) profile() profile {
	if t.messages == 0 || t.replies == 0 {
		return t.people()
	}
	assisted := ramp(float64(t.replies)/float64(t.messages), 0, 0.25)
	long := ramp(mean(t.replyLen, t.replies), shortReply, longReply)
	return blend(blend(t.people(), dialogue(), assisted), essays(), assisted*long)
}

// people is for chats of people. Holding back questions and short messages, and the session, help where many messages
// ask and hurt a little where few do.
func (t *tables) people() profile {
	s := .5 + .5*ramp(float64(t.asking)/float64(max(t.messages, 1)), .15, .3)
	return profile{
		fields:  Fields{Own: 1, Prev: 1, Win: 1, Session: .65 + .25*s, Near: 1},
		speaker: .2, speakers: .1, question: .4 * s, length: 3 * s, time: .5, number: .3, month: .2, day: .4, recency: .03,
		kin: .45, concept: .15, alike: .25, offTopic: .25,
	}
}

// dialogue is for everyday talk with an assistant: the user's messages hold what is asked for later.
func dialogue() profile {
	return profile{
		fields:  Fields{Own: 1, Prev: 1, Win: 1, Session: .75, Pair: .3, Near: 1.25},
		speaker: .2, speakers: .1, question: .6, length: 6, time: .3, number: .35, month: .2, day: .4, user: .4, recency: .03,
		kin: .5, concept: .3, alike: .25,
	}
}

// essays is for long answers: whatever word is asked for, some answer has it somewhere, so beginnings and passages count.
func essays() profile {
	return profile{
		fields:   Fields{Lead: 1, Pair: 1.4, Passage: 1, Soft: .7, Near: 1.25},
		question: .2, time: .3, number: .2, month: .2, day: .4, user: 1, instruction: 1.2, preference: .8, recency: .03,
		kin: .4, concept: .15, alike: .2, offTopic: 1,
	}
}

// Terms of a query: up to shortQuery it asks one thing, from longQuery on it is a letter.
const (
	shortQuery = 64
	longQuery  = 128
)

// inPassing returns the profile for a query of so many terms. A letter tells of its own matters and calls back to another one in passing. Neighbours
// and sessions have words of a letter anywhere, so their weight goes to the own words. The user's part goes too: his other letters
// have most of the words.
func (p profile) inPassing(terms int) profile {
	rest := 1 - ramp(float64(terms), shortQuery, longQuery)
	f := &p.fields
	f.Own += (1 - rest) * (f.Prev + f.Win + f.Session)
	f.Lead += (1 - rest) * f.Pair
	f.Prev, f.Win, f.Session, f.Pair = rest*f.Prev, rest*f.Win, rest*f.Session, rest*f.Pair
	p.user *= rest
	return p
}

// ramp returns 0 up to low, 1 from high on.
func ramp(x, low, high float64) float64 { return min(max((x-low)/(high-low), 0), 1) }

// blend is a with the share of b in [0,1].
func blend(a, b profile, share float64) profile {
	mix := func(x, y float64) float64 { return x*(1-share) + y*share }
	f, g := a.fields, b.fields
	return profile{
		fields: Fields{
			mix(f.Text, g.Text), mix(f.Own, g.Own), mix(f.Prev, g.Prev), mix(f.Win, g.Win), mix(f.Session, g.Session),
			mix(f.Lead, g.Lead), mix(f.Pair, g.Pair), mix(f.Passage, g.Passage), mix(f.Soft, g.Soft), mix(f.Near, g.Near),
		},
		speaker: mix(a.speaker, b.speaker), speakers: mix(a.speakers, b.speakers),
		question: mix(a.question, b.question), length: mix(a.length, b.length),
		time: mix(a.time, b.time), number: mix(a.number, b.number),
		month: mix(a.month, b.month), day: mix(a.day, b.day), user: mix(a.user, b.user),
		instruction: mix(a.instruction, b.instruction), preference: mix(a.preference, b.preference),
		recency: mix(a.recency, b.recency),
		kin:     mix(a.kin, b.kin), concept: mix(a.concept, b.concept), alike: mix(a.alike, b.alike),
		offTopic: mix(a.offTopic, b.offTopic),
	}
}
