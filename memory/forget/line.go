package forget

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Ledger keeps outside of the store what was ordered to be erased, so that a store from before it does not bring it back. Package
// memory/forget/erasures has one in a file and one in a database.
type Ledger interface {
	// Append adds a line behind the last one, whoever wrote that (Line.Behind), and returns it. It is durable before Append returns.
	Append(ctx context.Context, l Line) (Line, error)
	// Lines returns all lines in their order. Whether they are a chain its caller looks (Check).
	Lines(ctx context.Context) ([]Line, error)
	// Where names the place, as it may be printed.
	Where() string
}

// Said is what a line says of an order.
type Said string

// What a line may say.
const (
	Asked   Said = "asked"   // somebody has ordered it; it is carried out from here on
	Done    Said = "done"    // nothing of it is left
	Waits   Said = "waits"   // all is done but what Held names
	Again   Said = "again"   // a store from before it was opened, and it was carried out there
	Dropped Said = "dropped" // nothing was there to be erased any more
)

// Line is a line of a Ledger. It names documents and holds no text of them.
type Line struct {
	Seq    int64     `json:"seq"`
	At     time.Time `json:"at"`
	Said   Said      `json:"said"`
	Client string    `json:"client"`
	User   string    `json:"user"`
	Order  string    `json:"order"` // its id

	// Of a line that asks.
	What    string             `json:"what,omitempty"`    // state.Order.What
	Name    string             `json:"name,omitempty"`    // the id of what is meant
	By      *state.By          `json:"by,omitempty"`      // without its reason
	AskedAt time.Time          `json:"asked_at,omitzero"` // what was said later is not meant
	Origin  int64              `json:"origin,omitempty"`  // when the user's memory began, in milliseconds: the same in each copy of the store
	Pinned  bool               `json:"pinned,omitempty"`
	Whole   bool               `json:"whole,omitempty"`
	Erase   []string           `json:"erase,omitempty"` // as in state.Order
	Cut     []state.OrderCut   `json:"cut,omitempty"`
	Threads []string           `json:"threads,omitempty"`
	Turns   []state.OrderTurns `json:"turns,omitempty"`
	Spared  []string           `json:"spared,omitempty"`

	Held   []Holding          `json:"held,omitempty"` // what it waits for, also of a line that says so
	Layers []state.OrderLayer `json:"layers,omitempty"`

	Prev string `json:"prev"` // the sum of the line before
	Sum  string `json:"sum"`  // of all above
}

// Holding is a record that an order waits for.
type Holding struct {
	Record string    `json:"record"` // its id
	By     state.By  `json:"by"`     // who holds it, without the reason
	At     time.Time `json:"at"`
}

// Behind returns the line as it comes behind another one; the first comes behind the zero Line.
func (l Line) Behind(last Line) (Line, error) {
	l.Seq, l.Prev, l.Sum = last.Seq+1, last.Sum, ""
	sum, err := l.sum()
	l.Sum = sum
	return l, err
}

func (l Line) sum() (string, error) {
	l.Sum = ""
	text, err := json.Marshal(l)
	if err != nil {
		return "", state.Errorf(state.Internal, "erasure ledger", "a line cannot be written: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Check looks whether each line follows from the one before, and is state.ErrConflict at the first that does not.
func Check(lines []Line) error {
	var last Line
	for _, l := range lines {
		sum, err := l.sum()
		if err != nil {
			return err
		}
		if l.Seq != last.Seq+1 || l.Prev != last.Sum || l.Sum != sum {
			return state.Errorf(state.Conflict, "line "+state.SeqKey(last.Seq+1), "does not follow from the line before: it was edited, or lines were cut out")
		}
		last = l
	}
	return nil
}
