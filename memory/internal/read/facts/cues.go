package facts

import "slices"

// Changes reports whether a message takes back or changes what was said.
func (r *Reading) Changes() bool { return slices.ContainsFunc(r.lex, r.changes) }

// changes reports whether something takes another's place by a word.
func (r *Reading) changes(l lexeme) bool {
	if l.shape != word {
		return false
	}
	cue := r.called(l, cueWord)
	return cue == "change" || cue == "instead" || l.is(renews)
}

// Decides reports whether a word of the message says that something was decided or chosen.
func (r *Reading) Decides() bool {
	return slices.ContainsFunc(r.lex, func(l lexeme) bool { return l.shape == word && l.set.meets(in(decides, bought)) })
}

// Finished reports whether a message tells of something done: by a word for it, or by the past tense of the speaker.
func (r *Reading) Finished() bool {
	return slices.ContainsFunc(r.lex, func(l lexeme) bool {
		return l.set.meets(in(done, finishes)) || len(l.fold) > 4 && r.w.anyEnds(l.fold, pastEnding, 0)
	})
}

// Done reports whether a word of a message says by itself that something is finished.
func (r *Reading) Done() bool {
	return slices.ContainsFunc(r.lex, func(l lexeme) bool { return l.is(done) })
}
