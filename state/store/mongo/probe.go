package mongo

import (
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// minWire is the version of the protocol that MongoDB 5.0 speaks.
const minWire = 13

// facts are what the server says it is.
type facts struct {
	replicated bool // replica set or router: it knows what a majority has
	router     bool // of a sharded cluster
}

// probe asks the server what it is. Nothing of the answer is required but the version: a standalone server
// has no set name, and one that is not MongoDB may have no sessions, or not know hello.
func (s *Store) probe(ctx context.Context) error {
	var hello struct {
		SetName string `bson:"setName"`
		Msg     string `bson:"msg"`
		MaxWire int    `bson:"maxWireVersion"`
	}

	admin := s.db.Client().Database("admin")
	err := s.retry(ctx, func() error {
		err := admin.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello)
		if hasCode(err, codeCommandNotFound) {
			err = admin.RunCommand(ctx, bson.D{{Key: "isMaster", Value: 1}}).Decode(&hello)
		}
		return err
	})
	if err != nil {
		return explain("open store "+s.db.Name(), err)
	}

	if hello.MaxWire < minWire {
		return state.Errorf(state.Invalid, "open store "+s.db.Name(),
			"the server is too old (wire version %d, needed is %d); use MongoDB 6.0 or later", hello.MaxWire, minWire)
	}
	s.facts = facts{replicated: hello.SetName != "" || hello.Msg == "isdbgrid", router: hello.Msg == "isdbgrid"}
	return nil
}

// collections returns the names of all collections a store uses.
func collections() []string {
	names := []string{}
	for _, c := range store.Collections() {
		names = append(names, string(c))
	}
	return append(names, piecesName)
}

// checkShards refuses collections that are sharded by anything but _id: the server then keeps an _id unique
// within a shard only, and two could insert the same document.
func (s *Store) checkShards(ctx context.Context) error {
	if !s.facts.router {
		return nil
	}

	names := []string{}
	for _, name := range collections() {
		names = append(names, s.db.Name()+"."+name)
	}

	// The router keeps the shard keys of all collections in one place.
	var sharded []bson.Raw
	err := s.retry(ctx, func() (err error) {
		sharded, err = all(ctx, s.db.Client().Database("config").Collection("collections"),
			bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: names}}}}, options.Find())
		return err
	})
	if err != nil {
		return explain("open store "+s.db.Name()+": read the shard keys in config.collections", err)
	}

	for _, entry := range sharded {
		if err := checkShardKey(entry); err != nil {
			return err
		}
	}
	return nil
}

// checkShardKey judges one entry of config.collections.
func checkShardKey(entry bson.Raw) error {
	for _, mark := range []string{"dropped", "unsplittable"} {
		if set, _ := entry.Lookup(mark).BooleanOK(); set {
			return nil
		}
	}

	key, ok := entry.Lookup("key").DocumentOK()
	if !ok {
		return nil
	}

	fields, err := key.Elements()
	if err == nil && len(fields) == 1 && fields[0].Key() == idField {
		return nil
	}
	name, _ := entry.Lookup(idField).StringValueOK()
	return state.Errorf(state.Invalid, "open store",
		"collection %s is sharded by %s, which does not keep an _id unique; shard it by _id (hashed or ranged), or not at all", name, key)
}

// expiresField is the date from which a document may be removed by the server; documents without it stay.
const expiresField = "expires_at"

// makeIndexes looks at all collections at the same time, and makes the TTL index of each that lacks it, one
// after the other.
func (s *Store) makeIndexes(ctx context.Context) error {
	// Looking is one round trip for all.
	names := collections()
	there, errs := make([]bool, len(names)), make([]error, len(names))
	var calls []func()
	for i, name := range names {
		calls = append(calls, func() { there[i], errs[i] = s.hasIndex(ctx, name) })
	}
	together(calls)

	// Making is seldom; an index that is there with other options is the operator's to decide about.
	for i, name := range names {
		if errs[i] != nil {
			return errs[i]
		}
		if there[i] {
			continue
		}
		model := mongo.IndexModel{
			Keys:    bson.D{{Key: expiresField, Value: 1}},
			Options: options.Index().SetName(expiresField + "_1").SetExpireAfterSeconds(0),
		}
		err := s.retry(ctx, func() error {
			_, err := s.collection(name).Indexes().CreateOne(ctx, model)
			return err
		})
		switch {
		case hasCode(err, codeIndexOptions), hasCode(err, codeIndexKeys):
			return indexConflict(name, err.Error())
		case err != nil:
			return explain("open store "+s.db.Name()+": make the index on "+expiresField+" of "+name, err)
		}
	}
	return nil
}

// hasIndex says whether a collection has the TTL index; one on the same field with other options is an error.
func (s *Store) hasIndex(ctx context.Context, name string) (there bool, err error) {
	// A collection that is not there yet has no indexes.
	var indexes []bson.Raw
	err = s.retry(ctx, func() error {
		cursor, err := s.collection(name).Indexes().List(ctx)
		if err != nil {
			return err
		}
		indexes, err = drain(ctx, cursor)
		return err
	})
	switch {
	case hasCode(err, codeNoNamespace):
		return false, nil
	case err != nil:
		return false, explain("open store "+s.db.Name()+": list the indexes of "+name, err)
	}

	// The index is known by its field, whatever it is called.
	for _, index := range indexes {
		key, _ := index.Lookup("key").DocumentOK()
		fields, err := key.Elements()
		if err != nil || len(fields) != 1 || fields[0].Key() != expiresField {
			continue
		}
		if other := differing(index); len(other) > 0 {
			return false, indexConflict(name, "it differs in "+strings.Join(other, ", "))
		}
		there = true
	}
	return there, nil
}

// differing lists the options of an index on expires_at that are not as ours.
func differing(index bson.Raw) (names []string) {
	if after, ok := index.Lookup("expireAfterSeconds").AsInt64OK(); !ok || after != 0 {
		names = append(names, "expireAfterSeconds")
	}
	for _, option := range []string{"partialFilterExpression", "collation"} {
		if _, err := index.LookupErr(option); err == nil {
			names = append(names, option)
		}
	}
	slices.Sort(names)
	return names
}

func indexConflict(collection, detail string) error {
	return state.Errorf(state.Invalid, "open store",
		"collection %s has an index on %s with other options (%s); drop it, and it is made anew as {%s: 1} with expireAfterSeconds 0",
		collection, expiresField, detail, expiresField)
}
