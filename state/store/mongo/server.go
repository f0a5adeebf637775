package mongo

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Server is what a server tells about itself.
type Server struct {
	Database string // the store's
	Version  string // such as "7.0.14"; "" when it does not tell
	Kind     string // "standalone", "replica set" or "sharded"
}

// Server asks the server anew what it is: one round trip. A user who may not ask still gets the kind.
func (s *Store) Server(ctx context.Context) (Server, error) {
	ctx, leave, err := s.admit(ctx, nil)
	if err != nil {
		return Server{}, err
	}
	defer leave()

	// The kind is known since the store was opened.
	about := Server{Database: s.db.Name(), Kind: "standalone"}
	switch {
	case s.facts.router:
		about.Kind = "sharded"
	case s.facts.replicated:
		about.Kind = "replica set"
	}

	var build struct {
		Version string `bson:"version"`
	}
	err = s.retry(ctx, func() error {
		return s.db.Client().Database("admin").RunCommand(ctx, bson.D{{Key: "buildInfo", Value: 1}}).Decode(&build)
	})
	if err != nil && !hasCode(err, codeUnauthorized) && !hasCode(err, codeCommandNotFound) {
		return about, explain("ask the server of "+s.db.Name(), err)
	}
	about.Version = build.Version
	return about, nil
}
