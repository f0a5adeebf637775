package checkpoint

import (
	_ "embed" // the dictionary
	"slices"

	"github.com/klauspost/compress/zstd"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// maxFold is how many bytes of steps are folded into one document at most; a longer turn stays as it is.
const maxFold = 1 << 20

// maxUnfold bounds what a folded document may unpack to: a turn, and the state before it where that was put into it.
const maxUnfold = 64 * maxFold

// folded is the one document that a finished turn's steps become: the last of them, without its parts, and all of
// them compressed, one BSON document behind the other.
type folded struct {
	Version int    `bson:"v"`
	Seq     int64  `bson:"seq"`
	Base    int64  `bson:"base"`
	First   int64  `bson:"first"`
	Items   int64  `bson:"items,omitempty"`
	Attempt string `bson:"attempt,omitempty"`
	Done    bool   `bson:"done"`
	Steps   []byte `bson:"steps"` // zstd
}

// placeholder stands where a step stood that was folded into another.
func placeholder(seq, base, into int64) bson.Raw {
	doc := bsoncore.AppendInt32Element(nil, "v", stepVersion)
	doc = bsoncore.AppendInt64Element(doc, "seq", seq)
	doc = bsoncore.AppendInt64Element(doc, "base", base)
	return makeDocument(bsoncore.AppendInt64Element(doc, "into", into))
}

// dictionary holds steps of some turns as the pipeline writes them: what a turn's steps have in common with all others
// takes next to no room. What was packed with it can be read with it only, so it never changes; a better one gets
// another number. The second one is the first and fold2.dict: steps that have an account, and words of accounts.
//
//go:embed fold.dict
var dictionary1 []byte

//go:embed fold2.dict
var dictionary2 []byte

// The numbers of the dictionaries.
const (
	firstDictionary = 1 + iota
	secondDictionary
)

// folder packs and unpacks steps. Safe for concurrent use.
type folder struct {
	pack   *zstd.Encoder
	unpack *zstd.Decoder
}

func newFolder() *folder {
	whole := slices.Concat(dictionary1, dictionary2)

	// With these options neither can fail to be made.
	pack, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true),
		zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(maxFold),
		zstd.WithEncoderDictRaw(secondDictionary, whole))
	unpack, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxUnfold),
		zstd.WithDecoderDictRaw(firstDictionary, dictionary1), zstd.WithDecoderDictRaw(secondDictionary, whole))
	return &folder{pack, unpack}
}

// fold makes one document of the bodies of a finished turn's steps, the last of which is s.
func (f *folder) fold(s Step, first int64, bodies []bson.Raw) (bson.Raw, error) {
	var all []byte
	for _, b := range bodies {
		all = append(all, b...)
	}
	return bson.Marshal(folded{
		Version: stepVersion, Seq: s.Seq, Base: s.Base, First: first, Items: s.Items, Attempt: s.Attempt, Done: s.Done,
		Steps: f.pack.EncodeAll(all, nil),
	})
}

// unfold reads what a document holds: one step, or all of a folded turn, oldest first, or none.
func (f *folder) unfold(d store.Doc) ([]Step, error) {
	// A step of its own, a placeholder, or a folded turn.
	last, err := decodeStep(d)
	if err != nil {
		return nil, err
	}
	switch {
	case last.into > 0:
		return nil, nil
	case last.first == 0:
		return []Step{last}, nil
	}

	// Its steps stand one behind the other.
	_, packed, ok := d.Body.Lookup("steps").BinaryOK()
	if !ok {
		return nil, state.Errorf(state.Internal, "step "+d.ID, "is damaged: it is folded and has no steps")
	}
	all, err := f.unpack.DecodeAll(packed, nil)
	if err != nil {
		return nil, state.Errorf(state.Internal, "step "+d.ID, "is damaged: %w", err)
	}
	steps := make([]Step, 0, last.Seq-last.first+1)
	for seq := last.first; len(all) > 0; seq++ {
		var body bsoncore.Document
		var ok bool
		if body, all, ok = bsoncore.ReadDocument(all); !ok {
			return nil, state.Errorf(state.Internal, "step "+d.ID, "is damaged: folded step %d ends early", seq)
		}
		s, err := decodeBody(slices.Clip(bson.Raw(body)))
		if err == nil && s.Seq != seq {
			err = damagedError("folded step %d says it is %d", seq, s.Seq)
		}
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	if len(steps) == 0 || steps[len(steps)-1].Seq != last.Seq {
		return nil, state.Errorf(state.Internal, "step "+d.ID, "is damaged: its folded steps do not end with it")
	}
	return steps, nil
}
