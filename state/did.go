package state

import "slices"

// Did is what a turn did to memory, in words: what a host may show beside the answer.
type Did struct {
	Affairs []AffairDid `json:"affairs,omitempty"` // opened, moved or renamed
	Facts   []FactDid   `json:"facts,omitempty"`   // key facts learnt
	Records []RecordDid `json:"records,omitempty"` // stored or ended
}

// AffairDid is an affair as it is after the turn's last edit of it.
type AffairDid struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status Status `json:"status,omitempty"` // "" = it was not moved
	Opened bool   `json:"opened,omitempty"`
}

// FactDid is a key fact of an affair; one whose Value is empty is over.
type FactDid struct {
	Affair string `json:"affair"` // its title
	Label  string `json:"label"`
	Value  string `json:"value,omitempty"`
}

// RecordDid is a record; Ended says that it does not hold any more.
type RecordDid struct {
	ID      string     `json:"id"`
	Kind    RecordKind `json:"kind"`
	Subject string     `json:"subject,omitempty"`
	Content string     `json:"content"`
	Ended   bool       `json:"ended,omitempty"`
}

// Add takes in what edits do, in their order. title names an affair that is there by its id.
func (d *Did) Add(edits []Effect, title func(id string) string) {
	for _, e := range edits {
		switch {
		case e.Record != nil:
			r := RecordDid{ID: e.Record.ID, Kind: e.Record.Kind, Subject: e.Record.Subject, Content: e.Record.Content, Ended: e.Record.ValidTo != nil}
			put(&d.Records, r, func(x RecordDid) bool { return x.ID == r.ID })
		case e.Affair != nil:
			d.addAffair(*e.Affair, title)
		}
	}
}

func (d *Did) addAffair(e AffairEdit, title func(id string) string) {
	a := AffairDid{ID: e.ID, Title: title(e.ID), Status: e.Status}
	at := slices.IndexFunc(d.Affairs, func(x AffairDid) bool { return x.ID == e.ID })
	if at >= 0 {
		a = d.Affairs[at]
	}
	if e.Create != nil {
		a.Title, a.Status, a.Opened = e.Create.Title, e.Create.Status, true
	}
	if e.Title != "" {
		a.Title = e.Title
	}
	if e.Status != "" {
		a.Status = e.Status
	}
	if at >= 0 || e.Create != nil || e.Status != "" || e.Title != "" {
		put(&d.Affairs, a, func(x AffairDid) bool { return x.ID == e.ID })
	}

	// What is dropped and comes again in the same edit is a new value.
	for _, label := range e.Drop {
		d.putFact(FactDid{Affair: a.Title, Label: label})
	}
	for _, f := range e.Facts {
		d.putFact(FactDid{a.Title, f.Label, f.Value})
	}
}

func (d *Did) putFact(f FactDid) {
	put(&d.Facts, f, func(x FactDid) bool { return x.Affair == f.Affair && x.Label == f.Label })
}

// put puts x in the place of the one that is the same thing, or behind the others.
func put[T any](list *[]T, x T, same func(T) bool) {
	if at := slices.IndexFunc(*list, same); at >= 0 {
		(*list)[at] = x
		return
	}
	*list = append(*list, x)
}
