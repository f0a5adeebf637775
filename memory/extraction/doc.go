// Package extraction has parts of sessions that are over read by a batch service: what they say of their users is asked in bulk, for half the
// price, and taken hours later.
//
//	service, err := batch.Open(batch.Config{Provider: "openai", APIKey: key})
//	if err != nil {
//		return err
//	}
//	x, err := extraction.New(extraction.Config{Memory: m, Store: s, Service: service})
//	if err != nil {
//		return err
//	}
//	go x.Run(ctx) // until ctx ends; or x.Pass(ctx, true) from a scheduler of your own
//
// A job's way:
//
//	parts that wait ──► planned ──► submitted ──► done, expired, failed, cancelled
//	  ▲                 job written  the service      each answer in the commit that says its part is read
//	  │                 down first   has it             │
//	  └────────── failed, missing, expired, cancelled ◄─┘    (three times failed: read by rules)
package extraction

// Design:
//
//   - The part's document is the one truth of what is still to be read, a job only remembers whom was asked what. So a job that is lost,
//     taken twice or cancelled loses nothing and doubles nothing.
//
//   - A job is written down before it is sent, and goes to the service with its id. Who finds one planned asks the service whether it is there
//     (Service.Find). It is not sent again: if it never got there it is given up, and its parts are asked about in a new job. So an
//     answer never meets another question than the one it was given to. While a service cannot tell, the job waits.
//
//   - A job holds no text. Questions are made from the documents when the job is sent, so what was forgotten by then is not asked
//     about; and an answer is dropped whose part says something else by now (sessions.Waiting). A job that is over names no part any more.
//
//   - One process at a time works on jobs: it holds a lease, a document that it renews before each call of the service. One that dies blocks the
//     others for Config.Lease at most. One that was stopped for longer and goes on may send a job that another has given up: then
//     it is paid for twice, and taken once.
//
//   - A job holds parts of one client only, of many users. The service sees of each what the small model would have seen, under an id made of a
//     hash.
//
//   - An item fails when the service says so, when it is missing from the results, when the job expired before it, and when its answer cannot be
//     read. That counts, three times at most. A job that the service refused or lost, and one that is cancelled, counts against no part: the parts wait until
//     somebody has seen to it.
//
//   - A state that is not known is said, and the job goes on waiting. Of what a service answers only the items of the job count, each once.
//
//   - There is no goroutine here: Run works until its context ends.
