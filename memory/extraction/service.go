package extraction

import (
	"context"
	"time"
)

// Service is a batch service. Errors are state errors: Unavailable says that it may be asked again and, of Submit, that the batch may be there;
// any other that it refuses. All methods may be called from several goroutines.
type Service interface {
	// Submit sends a batch and returns what the service calls it. It is not sent twice by itself.
	Submit(ctx context.Context, b Batch) (remote string, err error)
	// Find returns what the service calls a batch that may have been sent. NotFound: it has none; Unavailable: it cannot be told yet.
	Find(ctx context.Context, b Batch) (remote string, err error)
	// Status says how a batch stands. NotFound: there is none, or no more.
	Status(ctx context.Context, remote string) (Status, error)
	// Results hands over what there is of a batch that is over, in any order. An error of yield ends it and is returned.
	Results(ctx context.Context, remote string, yield func(Result) error) error
	// Cancel asks that a batch be ended. NotFound: there is none, or no more.
	Cancel(ctx context.Context, remote string) error
}

// Batch is what is asked together.
type Batch struct {
	ID    string // ours; it goes along
	Model string
	At    time.Time // when it was planned
	Count int       // of items
	Items []Item    // Find needs none
}

// Item is one question. The ID has letters, digits and at most 40 characters.
type Item struct{ ID, Prompt string }

// Phase is how far a batch is at a service.
type Phase string

// The phases. An unknown state of a service is Running.
const (
	Running   Phase = "running"
	Ended     Phase = "ended" // there are results, though not all may be answers
	Failed    Phase = "failed"
	Expired   Phase = "expired"   // there may be results
	Cancelled Phase = "cancelled" // there may be results
)

// Status is how a batch stands. Said is the service's own word; Unknown that it is none of those it is known to use.
type Status struct {
	Phase   Phase
	Said    string
	Unknown bool
	Problem string // why it failed, if the service says so
}

// Result is what came of one item: a text, or a problem. A line that cannot be read has no ID.
type Result struct{ ID, Text, Problem string }
