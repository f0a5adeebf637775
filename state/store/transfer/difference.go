package transfer

import "github.com/mneme-graph/mneme/state"

// Kind says in which way a document is not the same on both sides.
type Kind string

// The kinds, seen from the target.
const (
	Differs Kind = "differs" // both have it, with another body
	Missing Kind = "missing" // only the source has it
	Extra   Kind = "extra"   // only the target has it
)

// DifferenceError names the first document that keeps a copy from being one. Found by Checking, nothing
// was written yet; found by Verifying, somebody changed source or target during the copy.
type DifferenceError struct {
	Collection state.Collection
	ID         string
	Kind       Kind
	Phase      Phase
}

// Error names the document and the way out.
func (e *DifferenceError) Error() string {
	text, out := "", ""
	switch e.Kind {
	case Differs:
		text, out = "stands in the target with another body", "; name an empty target, or overwrite it"
	case Missing:
		text = "is not in the target"
	case Extra:
		text, out = "stands in the target and not in the source", "; name an empty target, or overwrite this one, which lets it stand"
	}
	if e.Phase == Verifying {
		out = ": source or target changed during the copy; see that nobody writes them and run it again"
	}
	return op + ": " + string(e.Collection) + " " + e.ID + " " + text + out
}

// Is makes a DifferenceError match state.ErrConflict.
func (e *DifferenceError) Is(target error) bool { return target == error(state.ErrConflict) }
