// Package jobs is what was asked of a batch service, as it is kept: see memory/extraction.
//
//	job := jobs.Job{ID: id, Client: "acme", Provider: "openai", State: jobs.Planned}
//	...
//	if job.Open() {
//		// something is still to be done about it
//	}
package jobs
