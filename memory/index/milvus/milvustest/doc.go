// Package milvustest gives tests a server that speaks Milvus's protocol: milvus-lite, an implementation in Python that shares
// nothing with our driver.
//
//	server := milvustest.Start(t)
//	shelf, err := milvus.Open(t.Context(), milvus.Config{Address: server.Address})
//
//	test ─► milvus.Shelf ─► Server (Stop, Kill, Restart) ─► folder of the test
//
// .ci/milvus-lite installs it, once, into the user's cache folder.
package milvustest

// Design:
//
//   - Without the installation a test is skipped and says so; with MNEME_REQUIRE_MILVUS=1 it fails instead, so that CI cannot
//     pass by skipping. MNEME_MILVUS_LITE names another folder to find it in.
//   - MNEME_TEST_MILVUS_ADDR names a real server, which External returns: tests run on both, with a prefix of their own.
//   - The server has its port to itself, and Start makes a collection and looks for it in the server's folder: two servers could
//     otherwise share a port without a word, and a test would talk to a stranger.
//   - It ends when its standard input does, so none outlives the test binary, however that ends.
//   - What the server is not: it knows no users, no TLS, no limits of rate and no levels of consistency, and it is slow.
