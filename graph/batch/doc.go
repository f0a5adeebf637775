// Package batch speaks with the batch services of OpenAI, Anthropic and Google, and has the small model do the same work where there is
// none. Each speaks its service's own protocol, with net/http and JSON alone.
//
//	service, err := batch.Open(batch.Config{Provider: "anthropic", APIKey: key})
//
//	           sent as                                found again by            results
//	openai     a JSONL file, then a batch             metadata "mneme_job"      output and error file, JSONL
//	anthropic  requests in one call                   the ids of its items      JSONL
//	google     requests in one call                   its display name          in the batch, or a JSONL file
//	local      nothing: kept until results are asked  nothing: it was not sent  the model is asked, one after the other
package batch

// Design:
//
//   - No SDK: the three would bring 280 packages for what is five calls each.
//
//   - Reading is repeated when the service is busy or broken. What makes a batch is repeated only after 429, which says that nothing was made;
//     after any other failure the batch may be there, and Find tells.
//
//   - Anthropic keeps nothing of ours with a batch, so the items carry the job in their ids. A batch that still runs shows none: one of the
//     same size and time may be the job, and Find says Unavailable until it is over.
//
//   - Results are read line by line and bounded. A line that cannot be read is a result without an id. Results that end before the service said
//     is an error, and they are read anew.
//
//   - Of an answer's text nothing is judged here.
//
//   - The key goes to the host of the base URL only, also when a redirect or an address in an answer leads elsewhere, and is in no error.
//
//   - The answers of package batchtest are those of the services' documentation, not recorded ones.
