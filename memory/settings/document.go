package settings

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Level says for whom a document is.
type Level string

// The levels, the nearer one counts.
const (
	ForAll    Level = "global"
	ForClient Level = "client"
	ForUser   Level = "user"
)

// document is what is set at one level.
type document struct {
	Values  map[string]string `bson:"values"`
	History []Change          `bson:"history"` // the newest last

	level Level
	rev   int64 // of the global document it counts the changes of all levels
	body  bson.Raw
	err   error // it cannot be read
}

// Change is one change of a document.
type Change struct {
	Number int64     `bson:"number" json:"number"` // in its document, from 1
	At     time.Time `bson:"at" json:"at"`
	By     string    `bson:"by" json:"by"`
	Why    string    `bson:"why,omitempty" json:"why,omitempty"`
	Values []Changed `bson:"values" json:"values"`
}

// Changed is a setting before and after a change; nil = it was not set there.
type Changed struct {
	Name   string  `bson:"name" json:"name"`
	Before *string `bson:"before,omitempty" json:"before,omitempty"`
	After  *string `bson:"after,omitempty" json:"after,omitempty"`
}

// documentName is the last part of the key of a document. What is older of its history stands behind it.
const documentName = "settings"

// keyOf returns the document of a level.
func keyOf(level Level, scope state.Scope) ledger.Ref {
	switch level {
	case ForAll:
		scope = state.Scope{Client: state.EveryClient, User: state.ClientUser}
	case ForClient:
		scope.User = state.ClientUser
	}
	return ledger.Ref{Collection: state.Overrides, ID: scope.Key(documentName)}
}

// decode reads the document of a level. One that is not there says nothing.
func decode(level Level, doc store.Doc) (d document) {
	if doc.Body != nil {
		if err := bson.Unmarshal(doc.Body, &d); err != nil {
			d = document{err: err}
		}
	}
	d.level, d.rev, d.body = level, doc.Rev, doc.Body
	return d
}
