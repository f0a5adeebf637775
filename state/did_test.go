package state_test

import (
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

func TestDid(t *testing.T) {
	t.Parallel()
	over := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	titles := map[string]string{"a1": "Roof", "a2": "Crete"}
	var d state.Did
	d.Add([]state.Effect{
		{Affair: &state.AffairEdit{ID: "a1", Status: state.Parked}},
		{Affair: &state.AffairEdit{ID: "a3", Create: &state.Affair{Title: "Boiler", Status: state.Active}}},
		{Affair: &state.AffairEdit{ID: "a3", Title: "Boiler, Vienna", Facts: state.Facts{{Label: "price", Value: "90"}}}},
		{Affair: &state.AffairEdit{ID: "a2", Drop: []string{"date", "price"}, Facts: state.Facts{{Label: "date", Value: "4 May"}}}},
		{Record: &state.Record{ID: "r1", Kind: state.FactRecord, Subject: "seat", Content: "14C"}},
		{Record: &state.Record{ID: "r1", Kind: state.FactRecord, Subject: "seat", Content: "14C", ValidTo: &over}},
		{Message: &state.Message{Text: "not told"}},
	}, func(id string) string { return titles[id] })
	want := state.Did{
		Affairs: []state.AffairDid{{ID: "a1", Title: "Roof", Status: state.Parked}, {ID: "a3", Title: "Boiler, Vienna", Status: state.Active, Opened: true}},
		Facts: []state.FactDid{
			{Affair: "Boiler, Vienna", Label: "price", Value: "90"}, {Affair: "Crete", Label: "date", Value: "4 May"}, {Affair: "Crete", Label: "price"},
		},
		Records: []state.RecordDid{{ID: "r1", Kind: state.FactRecord, Subject: "seat", Content: "14C", Ended: true}},
	}
	same(t, "got", want, d)
}
