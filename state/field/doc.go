// Package field has the kinds of field a graph's state is made of.
//
//	type Sum struct{ Tokens int } // a Reduce adds up whatever has Plus
//
//	func (s Sum) Plus(t Sum) Sum { return Sum{s.Tokens + t.Tokens} }
//
//	type State struct {
//		Decision field.Last[string]
//		Messages field.Append[string]
//		Spent    field.Reduce[Sum]
//	}
//
//	func (s *State) Fields() []field.Named {
//		return []field.Named{{Name: "decision", Field: &s.Decision}, {Name: "messages", Field: &s.Messages}, {Name: "spent", Field: &s.Spent}}
//	}
//
//	s.Decision.Set("CONTINUE")
//	s.Messages.Add("Hello!")
//	s.Spent.Add(Sum{Tokens: 40})
//
// A state is a struct of fields. A node receives it by value, changes some fields of its copy and
// returns the copy as its patch: the fields themselves know what is new, so nobody compares values and
// nothing is found by reflection. The committer merges patches one by one and writes each field's delta.
//
//	node A  ── copy of S, Decision set ──┐
//	                                     ├─► committer: Merge into S, Delta into the log
//	node B  ── copy of S, Messages added ┘
package field

// Design:
//
//   - Last, Append, Reduce are LangGraph's last value, list and binary-operator channels; Volatile is its
//     untracked value.
//   - An Append is written item by item and never again, so a thread's log grows linearly. Where nodes ran side by side
//     and ended in another order than the graph's, a delta says how many of the last items go behind its own.
//   - Deltas are BSON, so that people can read them with any MongoDB tool.
