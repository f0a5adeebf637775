package state

import "time"

// Limits that are not settings. Sizes are in bytes. What a caller sends that is
// over one is refused with ErrInvalid, before anything is written.
const (
	MaxContentBytes = 256 << 10 // content of a record; a system prompt. A message has the setting max_message_bytes
	MaxIDBytes      = 128       // an id of a scope or an affair, so that a key of five stays far below every store's limit

	MaxMessageIDBytes     = 256     // the id that a host gives a message
	MaxNameBytes          = 256     // a speaker, an author, the name or MIME type of an attachment or a part
	MaxMetadata           = 64      // entries of a message's metadata
	MaxMetadataKeyBytes   = 128     // of each
	MaxMetadataValueBytes = 4 << 10 // of each
	MaxParts              = 64      // parts of a message
	MaxAttachments        = 64      // attachments of a message
	MaxAttachedBytes      = 8 << 20 // attachments and addresses of parts (data URLs) together: the message is one document of the store

	MaxExtra          = 64       // files, links, paths and notes of a request together
	MaxAddressBytes   = 4 << 10  // of a link or a path
	MaxNoteBytes      = 64 << 10 // of a note; files and notes count with the attachments
	MaxStyleNoteBytes = 1 << 10  // style notes stand in every prompt

	MaxAnswerBytes = 4 << 20  // a model's answer that says more, calls and reasoning included, is broken off
	MaxAnswerMedia = 32 << 20 // so is one with more bytes of images and sound
	MaxToolCalls   = 128      // an answer with more calls is an error

	MaxSubjectBytes = 1 << 10 // subject of a record: a few words
	MaxChanges      = 4 << 10 // changes of one write, which are compared with each other
)

// LeaseTTL is how long a turn is safe from being taken over: one whose holder has not renewed for so long may be.
const LeaseTTL = 30 * time.Second

// CheckSize refuses what is longer than a limit; what names the field, way the way out.
func CheckSize(what string, size, limit int, way string) error {
	if size <= limit {
		return nil
	}
	return Errorf(Invalid, what, "has %d bytes, at most %d are taken; %s", size, limit, way)
}

// CheckCount refuses more than a limit of things; what names them.
func CheckCount(what string, n, limit int, way string) error {
	if n <= limit {
		return nil
	}
	return Errorf(Invalid, what, "are %d, at most %d are taken; %s", n, limit, way)
}
