// Package sealed encrypts a store: it wraps any store.Store and is one itself. What lies in the store below has
// readable ids and field names and unreadable values; whoever copies the folder or the database learns who has
// how many documents of what size, and nothing that was said. Whoever alters what lies there is found out when it
// is read, with the three exceptions named below.
//
//	text, err := sealed.GenerateKey("2027-01", nil) // keep it as MNEME_ENCRYPTION_KEYS
//	keys, err := sealed.ParseKeys(text)
//	s, err := sealed.New(sealed.Config{Store: below, Keys: keys}) // in place of below from now on
//
//	Write ─► each body ─► key of this document ─► seal every field ─► seal the whole ─► store below
//	                      (HKDF of the client's     AES-256-GCM        "_sealed": key id, names,
//	                       current key)                                 what stays readable
//	Get, Scan ◄─ body, byte for byte ◄─ every seal holds, or a *RefusedError ◄────────── store below
//
// A stored body is BSON again, its fields in their order:
//
//	_sealed     binary: version 2, length and text of the key id, number and positions of the readable fields
//	            (unsigned varints), nonce (12 bytes), tag (16 bytes)
//	title       binary: nonce (12), BSON type and value encrypted (1 + n), tag (16)
//	expires_at  as it was
//
// All binaries have subtype 0x80. To read the code: store.go is what callers see, seal.go and open.go are the two
// directions, place.go is what a seal is bound to, keys.go the keyring, client.go the clients' keys, reseal.go the change of keys.
package sealed

// Design:
//
//   - Every seal is bound to client, collection, id and revision, each with its length, and to the write it
//     came from; a field's also to its name and position. "_sealed" is bound to all names and all readable
//     values. So an altered, moved, swapped, added, dropped or renamed field, a row under another id or another
//     client, an old body under a new revision and a row without a seal are all refused.
//   - The revision can be bound because the seam promises it: a document stands at Rev+1 after its Write. The
//     price is that rows cannot be carried to another store as bytes; copy through a sealed store on both
//     sides, which opens and seals anew. That is also how a plain store becomes a sealed one.
//   - What no seal can show: a whole row put back together with its old revision, a row that was deleted, and
//     a row of an earlier life of the id at the same revision. That takes a witness outside the store.
//   - Each client has a random key, which the keyring's current key seals as a document of state.Meta (~key/CLIENT/NUMBER, version 1 of the format; what
//     belongs to no client, and orders to erase, which have no text, are sealed so too). So a change of the keyring writes one document a client, and who
//     erases a client destroys its key: first a new one (ChangeKey), then all else, last the old one (DestroyKeys), which is also what a kill leaves to
//     be gone on with. A backup made before holds the old key, as it holds the rest.
//   - A process uses what it has read of a client's keys for a second, and says so (state.ErrUnavailable: read back) where a write took longer and the key has
//     changed. DestroyKeys waits for twice that before it seals anew what is left: no write that was acknowledged is sealed with a key that is gone.
//   - Each document has a key of its own, HKDF-SHA256 of the client's key with collection and id. Random
//     96-bit nonces are sound for 2^32 messages of one key; so that bound is per document: a document of 15
//     fields may be written 2^28 times, which is 8 years of once per second, and the store as a whole has no bound.
//   - Ids are not encrypted: they are keys, they must sort, and prefixes must find them. Put nothing secret in
//     an id. Field names stay readable because people read them in the usual tools; lengths show as well.
//   - expires_at stays readable because the server's TTL index reads it. Nobody can change it unseen, but who
//     can write to the database can have a document expire, as he could delete it.
//   - Damage is state.ErrInternal: there is nothing the caller could do better. A missing key is state.ErrDenied:
//     the document is sound, this process has no right to read it. Errors name the document and never what it holds.
//   - Sealed bodies do not compress, so a driver that compresses large ones gains nothing. Compressing before
//     sealing would show by the length what the text has in common with itself; we do not.
//   - Of keys only clients' are kept in RAM: the key of a document is computed at each call, and no key of a document outlives
//     the call. A body of 2 KB costs about 10 microseconds more than without, most of it not for AES.
