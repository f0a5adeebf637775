package sealed_test

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
)

func ExampleNew() {
	ctx := context.Background()
	key, _ := sealed.GenerateKey("2027-01", nil) // keep it as MNEME_ENCRYPTION_KEYS
	keys, err := sealed.ParseKeys(key)
	if err != nil {
		fmt.Println(err)
		return
	}
	below := ram.New()
	s, err := sealed.New(sealed.Config{Store: below, Keys: keys})
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := bson.Marshal(bson.D{{Key: "title", Value: "car part"}})
	err = s.Write(ctx, store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Body: body})
	d, _ := s.Get(ctx, state.Affairs, "c1/u1/a1")
	fmt.Println(err, d.Rev, d.Body)

	// Somebody moves it to another client.
	stolen, _ := below.Get(ctx, state.Affairs, "c1/u1/a1")
	stolen.ID, stolen.Rev = "c2/u9/a1", 0
	fmt.Println(below.Write(ctx, stolen))
	_, err = s.Get(ctx, state.Affairs, "c2/u9/a1")
	fmt.Println(err)
	// Output:
	// <nil> 1 {"title": "car part"}
	// <nil>
	// affairs "c2/u9/a1" is sealed with key 000001 of client c2, which is not in the store: it was destroyed when the client was erased, or was lost
}

// A new key is put before the old one, everything that the old one sealed is sealed anew (the keys of clients), and the old one may go.
func ExampleStore_Reseal() {
	ctx := context.Background()
	below := ram.New()
	open := func(text string) *sealed.Store {
		keys, err := sealed.ParseKeys(text)
		if err != nil {
			fmt.Println(err)
		}
		s, err := sealed.New(sealed.Config{Store: below, Keys: keys})
		if err != nil {
			fmt.Println(err)
		}
		return s
	}
	older, _ := sealed.GenerateKey("2026", nil)
	newer, _ := sealed.GenerateKey("2027", nil)
	body, _ := bson.Marshal(bson.D{{Key: "title", Value: "car part"}})
	_ = open(older).Write(ctx, store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Body: body})

	s := open(newer + "," + older)
	for _, c := range store.Collections() {
		done, err := s.Reseal(ctx, store.Query{Collection: c})
		if done.Stale > 0 || err != nil {
			fmt.Println(c, done.Stale, "of", done.Seen, err)
		}
	}
	d, err := open(newer).Get(ctx, state.Affairs, "c1/u1/a1")
	fmt.Println(d.Rev, d.Body, err)
	// Output:
	// meta 1 of 1 <nil>
	// 1 {"title": "car part"} <nil>
}
