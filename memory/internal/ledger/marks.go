package ledger

import (
	"encoding/binary"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// mark says that everything a thread had decided up to a step is carried out in the document that keeps it.
type mark struct {
	Thread string `bson:"thread"`
	Seq    int64  `bson:"seq"`
}

// maxMarks bounds how many threads' marks a document keeps; the thread that wrote longest ago goes first.
const maxMarks = 16

// appliedKey is the element that holds a document's marks, unknown to the values that are kept in documents.
const appliedKey = "applied"

// marksOf reads a document's marks.
func marksOf(d store.Doc) ([]mark, error) {
	v, err := d.Body.LookupErr(appliedKey)
	if err != nil {
		return nil, nil //nolint:nilerr // it has none
	}
	var marks []mark
	if err := v.Unmarshal(&marks); err != nil {
		return nil, state.Errorf(state.Internal, string(d.Collection)+" "+d.ID, "its marks are damaged: %w", err)
	}
	return marks, nil
}

// addMarks adds marks to the body of a document.
func addMarks(body []byte, marks []mark) (bson.Raw, error) {
	if len(marks) == 0 {
		return body, nil
	}
	kind, list, err := bson.MarshalValue(marks)
	if err != nil {
		return nil, err
	}
	return addElement(body, appliedKey, byte(kind), list), nil
}

// addElement adds an element to the end of a document.
func addElement(body []byte, key string, kind byte, value []byte) bson.Raw {
	body = append(body[:len(body)-1], kind)
	body = append(append(body, key...), 0)
	body = append(append(body, value...), 0)
	binary.LittleEndian.PutUint32(body, uint32(len(body)))
	return body
}

// reaches reports whether marks say that the step is carried out.
func reaches(marks []mark, from state.Mark) bool {
	return slices.ContainsFunc(marks, func(k mark) bool { return k.Thread == from.Thread && k.Seq >= from.Seq })
}

// take reports whether an edit of the step is still to be made in the document, and notes that it is made now.
func (s *slot) take(from state.Mark) bool {
	s.edited = true
	if from.Thread != "" && reaches(s.had, from) {
		return false
	}
	s.markMade(from)
	return true
}

// markMade notes that the step changes the document.
func (s *slot) markMade(from state.Mark) {
	s.changed = true
	if from.Thread != "" {
		s.made = addMark(s.made, mark{from.Thread, from.Seq})
	}
}

// marks returns those the document keeps: one a thread, the last writer's last.
func (s *slot) marks() []mark {
	marks := s.had
	for _, k := range s.made {
		marks = addMark(marks, k)
	}
	return marks[max(0, len(marks)-maxMarks):]
}

// addMark returns marks with k at the end, in place of an older one of its thread.
func addMark(marks []mark, k mark) []mark {
	kept := make([]mark, 0, len(marks)+1)
	for _, old := range marks {
		if old.Thread == k.Thread {
			k.Seq = max(k.Seq, old.Seq)
			continue
		}
		kept = append(kept, old)
	}
	return append(kept, k)
}

// lastSteps returns the last steps of the threads that effects come from; none when any comes from no step.
func lastSteps(effects []state.Effect) []mark {
	var marks []mark
	for _, e := range effects {
		if e.From.Thread == "" {
			return nil
		}
		marks = addMark(marks, mark{e.From.Thread, e.From.Seq})
	}
	return marks
}
