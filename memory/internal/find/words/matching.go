package words

// Matching lists the ids of the documents that keep lets through, in the order they were put; all is false if there are more
// than most. Keep is called as Query.Keep is.
func (x *Index) Matching(keep Filter, most int) (ids []string, all bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	ids = []string{}
	for i := range x.t.entries {
		if !x.t.cells[i].live || !keep.lets(&x.t.entries[i].doc) {
			continue
		}
		if len(ids) == most {
			return nil, false
		}
		ids = append(ids, x.t.entries[i].doc.ID)
	}
	return ids, true
}

// Has reports whether there is a document of the id.
func (x *Index) Has(id string) bool { return x.Kept(id, Filter{}) }

// Kept reports whether there is a document of the id and keep lets it through.
func (x *Index) Kept(id string, keep Filter) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	slot, ok := x.t.slots[id]
	return ok && keep.lets(&x.t.entries[slot].doc)
}
