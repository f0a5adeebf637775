// Package limit holds the limits that are not settings. Sizes are in bytes. What a caller sends that is over one is refused with state.ErrInvalid, before
// anything is written.
//
//	if len(content) > limit.ContentBytes { ... }
package limit

// The limits.
const (
	ContentBytes = 256 << 10 // content of a record; a system prompt. A message has the setting max_message_bytes
	IDBytes      = 128       // an id of a scope or an affair, so that a key of five stays far below every store's limit

	MessageIDBytes     = 256     // the id that a host gives a message
	NameBytes          = 256     // a speaker, an author, the name or MIME type of an attachment or a part
	Metadata           = 64      // entries of a message's metadata
	MetadataKeyBytes   = 128     // of each
	MetadataValueBytes = 4 << 10 // of each
	Parts              = 64      // parts of a message
	Attachments        = 64      // attachments of a message
	AttachedBytes      = 8 << 20 // attachments and addresses of parts (data URLs) together: the message is one document of the store

	Extra          = 64       // files, links, paths and notes of a request together
	AddressBytes   = 4 << 10  // of a link or a path
	NoteBytes      = 64 << 10 // of a note; files and notes count with the attachments
	StyleNoteBytes = 1 << 10  // style notes stand in every prompt

	AnswerBytes = 4 << 20  // a model's answer that says more, calls and reasoning included, is broken off
	AnswerMedia = 32 << 20 // so is one with more bytes of images and sound
	ToolCalls   = 128      // an answer with more calls is an error

	SubjectBytes = 1 << 10 // subject of a record: a few words
	Changes      = 4 << 10 // changes of one write, which are compared with each other
)
