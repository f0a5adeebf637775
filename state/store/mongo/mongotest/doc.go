// Package mongotest gives tests a server that speaks MongoDB's protocol, and a line to it that breaks on demand.
// The server is mongo-java-server behind a small main class of ours (TestMongo.java); it is an implementation
// that shares nothing with our driver, and its single-document writes are atomic as MongoDB's are.
//
//	s, err := mongo.Open(t.Context(), mongo.Config{URI: mongotest.Shared(t)})
//
//	test ─► mongo driver ─► Proxy (delay, reset, cut the reply, black hole, half open) ─► Server (Kill, Restart)
//
// Shared gives a database of its own on one server in memory, which all tests of a binary share. Start gives a
// server of its own: in a file, it keeps what it acknowledged even when it is killed.
package mongotest

// Design:
//
//   - The jars come through Maven and are compiled once, into the user's cache folder. Without Java or Maven the
//     test is skipped and says so; with MNEME_REQUIRE_MONGO=1 it fails instead, so that CI cannot pass by skipping.
//   - MNEME_TEST_MONGO_URI names a real server: then Shared and a plain Start use databases on it, each with a
//     random name and dropped at the end.
//   - The server ends when its standard input does, so none outlives the test binary, however that ends.
//   - What the server is not: a replica set, an enforcer of TTL, of index options or of the 16 MB limit.
