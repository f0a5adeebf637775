package state

import (
	"slices"
	"time"
)

// Priority says how soon what is written must have its vector. By its words it is found at once, whatever the priority.
type Priority string

// The priorities, as the requirement documents name them.
const (
	Critical   Priority = "CRITICAL"   // before the write returns
	High       Priority = "HIGH"       // within 10 seconds
	Normal     Priority = "NORMAL"     // within 30 seconds
	Background Priority = "BACKGROUND" // when nothing else is to be done
)

// Priorities lists them, the most urgent first.
func Priorities() []Priority { return []Priority{Critical, High, Normal, Background} }

// Valid reports whether p is one of them.
func (p Priority) Valid() bool { return slices.Contains(Priorities(), p) }

// Within is how long the vector may take; 0 for Background, which has no bound. An unknown priority is Normal.
func (p Priority) Within() time.Duration {
	switch p {
	case Critical:
		return 3 * time.Second
	case High:
		return 10 * time.Second
	case Background:
		return 0
	case Normal:
	}
	return 30 * time.Second
}
