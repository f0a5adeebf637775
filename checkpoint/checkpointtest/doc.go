// Package checkpointtest tests durable steps over each kind of store: what package checkpoint keeps and what graph/flow
// makes of it, through their exported names only. A new driver passes state/store/storetest, and is added to stores_test.go here. Besides its tests
// it has what tests of other packages write memory with:
//
//	err := checkpointtest.Append(ctx, store, memory, state.Effect{Scope: scope, Record: &r})
//
// The cases are those of LangGraph's two conformance suites for checkpointers, said in our words, and those that
// neither has: races, faults, clocks, damage, old schemas. To find one:
//
//	LangGraph                               here
//	put                                     Commit, of a turn that a graph runs                      put/
//	put_writes of completed siblings        parts of finished nodes, in the steps of their turn       writes/
//	get_tuple(config)                       Graph.State(at)                                           get/
//	list(filter, before, limit)             Graph.History(Which)                                      history/
//	metadata source, step, run_id           Step.Source, Step.Seq, Step.Turn
//	parent_config                           the step before; Step.Parent and From where it is another
//	checkpoint_id                           Step.Seq
//	checkpoint_ns                           a thread's id with "/" parts: "x/child:abc"
//	channel_values, channel_versions        fields; their deltas by step
//	pending writes                          parts of an unfinished turn, Snapshot.Next and Snapshot.Waits
//	INTERRUPT and RESUME writes             Step.Asked and Step.Answers
//	get_delta_channel_history               growing fields and their snapshots                        growing/
//	run_id as a key of idempotency          Graph.Invoke of a turn that is finished                   once/
//	delete_thread                           Log.Delete                                                delete/
//	delete_for_runs                         Graph.DeleteTurns                                         delete turns/
//	prune keep_latest                       Graph.Prune(Keep{Turns: 1})                               prune/
//	prune delete                            Log.Delete
//
// # What LangGraph's suites ask and this one does not
//
//   - The values of versions_seen and channel_versions survive: there are none. What has run stands in the parts, and a
//     field knows itself what was changed.
//   - A channel dropped from channel_versions is not loaded: a state has the fields of its type. A stored field that the
//     type lacks is an error, never dropped (graph/flow: TestChangedGraph); Config.Fresh leaves fields behind.
//   - Keys of the config (thread_id, ns, id) come back exactly, default ns is "", missing configurable throws: a thread
//     is a Go value; one without client or id is put/a thread without an id is refused.
//   - copy_thread: there is none; a fork goes on from the last step as well.
//   - task_path is accepted: a visit of a node is its name and count.
//   - The write of an ERROR channel: a node's error goes to the caller and is not stored; the turn stays unfinished.
//   - Filters on custom metadata keys: a step has no custom metadata. Which selects by turn, source and end of turn, and
//     a turn's id is the caller's own.
//   - delete_thread, prune and delete_for_runs across namespaces: a thread below another is a thread of its
//     own and stays; that it does has its cases.
//   - prune and delete_for_runs of a list of threads, empty or not: they take one thread. DeleteTurns takes any number
//     of turns, none included.
//   - A plain value from before delta channels seeds the history: a field is growing or not by its type; a thread that
//     was written without snapshots is growing/a thread written without snapshots gets one.
//   - Writes of two tasks are returned sorted by task: steps come in the order in which they were merged. What growing
//     fields hold is in the graph's order.
//   - Migration of pending sends: never stored.
//   - Each query uses an index: a store has but ids in order; its driver's own tests look at plans.
package checkpointtest

// Design:
//
//   - Each case has a client id of its own, so that all of them may share one store, as they must on a server, and
//     may find anything there.
//   - A process is a checkpoint.Log of its own with ids and leases of its own; it dies by being used no more, or at a
//     call of its store (storetest.Faulty). Leases end because the clock is set on, never by waiting.
//   - Cases in race/ say that the store is Shared, whatever it is: two processes on one folder cannot be, but what
//     they would do to a thread is the same everywhere.
//   - In fault/ an operation is cut short at each of its store's calls in turn (with -short at every seventh): before the call was done, after it
//     but without a reply, and half done where the store is not Atomic. It is then repeated by another process. All
//     that readers see, of this thread and of its neighbours, must be as if nothing had happened.
//   - A step that is moved is refused by its number. One that is moved to the same number of another thread, or altered so
//     that it is still a step, is told by a seal only: state/store/sealed proves that.
//   - testdata/written holds threads as former schemas stored them; version/ reads each of them. A new schema adds a
//     file (TestWriteGolden) and changes none.
