package milvus

import "github.com/mneme-graph/mneme/memory/index"

// CollectionName is the name of a space's collection.
func CollectionName(s *Shelf, space index.Space) string { return s.collection(space) }

// Prefix is what the names of the shelf's collections begin with.
func Prefix(s *Shelf) string { return s.cfg.Prefix }

// RowKey is the primary key of an entry.
func RowKey(o index.Owner, id string) string { return rowKey(o, id) }

// EmptyFilter is what comes of a filter that nobody made.
func EmptyFilter() error {
	_, err := filter{}.expression()
	return err
}

// Plain writes text for the server.
func Plain(text string) string { return plain(text) }

// Spoken reads what Plain wrote.
func Spoken(written string) (string, error) { return spoken(written) }
