package limit

// Accepted says what a setting takes, for forms that ask for its value.
type Accepted struct {
	Type    string   `json:"type" enum:"integer,number,boolean,duration,choice,text"`
	Min     float64  `json:"min,omitempty" doc:"Of numbers, and of durations in seconds"`
	Max     float64  `json:"max,omitempty" doc:"0 = no upper bound"`
	Choices []string `json:"choices,omitempty"`
	Process bool     `json:"process,omitempty" doc:"It counts from the start of a process on: no client and no user has one of its own"`
}
