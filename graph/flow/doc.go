// Package flow makes a graph whose turns survive a crash, on CloudWeGo eino and by its public API alone.
//
//	b := flow.NewBuilder[State]("shop")
//	b.AddNode(flow.Node[State]{Name: "plan", Run: plan})
//	b.AddNode(flow.Node[State]{Name: "buy", Run: buy}) // may call flow.Commit in between, and state.AskPerson
//	b.AddEdge(flow.Start, "plan")
//	b.AddBranch("plan", enough, "buy", flow.End)
//	b.AddEdge("buy", flow.End)
//	g, err := b.Compile(ctx, flow.Config[State]{Log: log})
//	end, err := g.Invoke(ctx, thread, "t1", input) // the process dies
//	end, err = g.Resume(ctx, thread, nil)          // in any process: goes on after the last commit
//	for e, err := range g.Stream(ctx, thread, "t2", input, flow.Messages, flow.Updates) { ... }
//
// A graph is built as in LangGraph: nodes, edges, branches, cycles. A node gets the state by value, changes
// some fields of its copy and returns it; what it changed is merged into the state and committed to the
// thread's log before the next node starts. If the process dies, Resume goes on after the last commit: what
// is in the log is not done again, and branches go the way they went. A node that pays for several things
// (answers of a model, results of tools) commits in between with Commit and is entered again at that point.
// Three kinds of node write less: one that Rides goes into the next commit, a Volatile one only loads, runs in each attempt and writes nothing, and the last
// one is committed with the end of the turn.
//
//	START ──► [ intake ] ──► [ load ] ──► [ act ] ──► [ finish ] ──► END
//	              │ plain       │ volatile    │ Commit      │ last
//	              ▼             ▼             ▼ Commit      ▼
//	run:        state ◄── merge the patch: one at a time, under one lock
//	              │
//	              └──► deltas, decisions, effects ──► checkpoint.Turn.Commit ──► step n+1 of the log
//
//	Resume:     steps ──► state; finished visits are skipped, the others run
//
// # Not in this release
//
// The graph as a node of a host's graph; results kept beyond the process.
package flow

// Design:
//
//   - eino saves a graph only when it is interrupted, and then all of it. So each node is wrapped in a
//     lambda that journals it and tells handlers of it; eino still schedules.
//   - Edges carry nothing: what eino hands to a node after an interrupt may be a zero value, and the state would be
//     copied at each edge. The state is in the run, and truly in the log.
//   - A visit (node, count in the turn) is the unit of the journal, so that cycles resume in the round in
//     which they stopped.
//   - A node that several nodes lead to waits for all that are under way to it. Without cycles eino sees to that. With
//     cycles we tell eino what runs next, round by round: a fan-in is held while another node is due from which a way leads
//     to it that does not go around a loop. What runs follows from the graph and its logged decisions, so that a
//     resumed turn has the same rounds.
//   - Nodes side by side may end in any order, and each is committed when it ends. What they append stands in the order
//     in which they were added to the graph all the same (with cycles, round by round): a delta says how many items it
//     goes in front of. Two that set one Last are an error that names them: which counts would depend on who ends first. Where
//     both declare it (Node.Writes) the later in the graph's order counts, whichever ends first; what the other set is left out of the log.
//   - Fields know what was changed. A commit writes deltas only: its size does not grow with the thread.
//   - Rides is for pure nodes: their result waits for the next commit and is computed again if that never
//     came. The order of the log is the order of the merges, so a riding result can never be overtaken by
//     one that was computed from it.
//   - Volatile is for nodes that load: they run in every attempt and leave nothing in the log. They cannot
//     have branches, since the decision would be taken anew and might contradict what is in the log.
//   - The last node's result is committed with the turn's end: a line of six nodes takes six commits, not
//     seven. That is done only where nothing else can be running.
//   - A node's error ends the turn's attempt but not its siblings: eino returns at once, we wait for the
//     nodes at work and commit what they bring. Of two nodes side by side of which one failed, only that
//     one runs again.
//   - Branches are decided in the node's wrapper, by the state as that node left it, and logged with its
//     result; eino only asks what was decided.
//   - With Config.Fresh each turn starts from a state of its own and names what is kept from the one before; with
//     Forgets nothing is, and what was before is not even read. Otherwise the state lives on as in LangGraph: from time
//     to time a turn's first step holds all of it, but for the items of fields that only grow.
//   - A turn's id counts once: Invoke of a finished turn returns its end, that of the unfinished one goes on with it. So
//     a queue that delivers twice needs no table of its own. Ids that are made for the purpose (ContextWithFreshTurn) skip that.
//   - Goto is LangGraph's Command: a node names what runs next, in place of a branch that reads what it has left. What it may
//     name is declared, so that the drawing, the fingerprint and fan-ins know it, and is logged as a branch's decision is.
//   - Items is LangGraph's Send: a node that works through a list whose length the state says. Each item is a task of its own in
//     the journal, committed when it ends (the last one together with the visit), merged at its place in the list. The
//     list is not copied into the log: it stands in the state, which is there already. Where a question or a crash stops
//     the turn, what is finished is kept; no graph is made at run time, so that Next, fork and fingerprint stay what they are.
//     Tasks for different nodes are a list for each, which a node that goes to all of them (Goto) has filled.
//   - A Retry runs a node again in the same attempt at the turn; a crash or Resume begins to count anew. Its waits are spread by a
//     hash of the visit's key, not by chance, so that a test sees the same ones. Timeouts end the node's context and wait for it: a
//     goroutine is never left behind, and what was paid for is taken.
//   - A result kept by Node.Key is in memory, bounded by number: the store would cost a read before each such node. It is the changed fields alone, and
//     never leaves its client.
//   - A stream's events wait in a bounded list; when it is full the oldest go and the reader is told how many. So a reader never holds
//     a turn up, and what he reads last is the newest. Emitting costs nothing where nobody listens. Graphs below emit into the same stream, under the
//     thread that they run on; Listen streams any call, a Resume or Answer too.
//   - Messages come from a callback handler, so that a node need not emit what its models say. It is there only while somebody
//     listens to them. Each streamed answer is read beside the node, whose end waits for it: its pieces come before its update, and a stream
//     that the node has left is cancelled. A model that is asked for a whole answer is not made to stream, as LangGraph does.
//   - A question to a person (state.AskPerson) ends the attempt, not the turn: it is committed, and Answer enters the node
//     again in any process. Questions have ids that come from where they are asked, so that answers are not matched by
//     their order. What does not wait for the answer is done first: all questions that can be asked are asked together.
//   - Call runs another graph inside a node, on a thread below the node's. Its questions carry the thread that asks;
//     who looks for open ones looks for answers there, so that one given at either thread counts at both.
//   - What is still to do (Next) is computed from the graph and the finished visits, at every step: also in the middle of
//     a turn, while nodes are at work, and in history.
//   - Rewind and Fork commit the state and the finished visits of an earlier step as one whole step: the log stays one
//     line, and nothing in it is ever changed to go back.
//   - Durability async moves the write behind the next node's work. It never moves an error: the next commit, a read of
//     memory, or the turn's end tells it. Exit keeps steps that do not edit memory for the end.
//   - The fingerprint of nodes, edges and fields stands in each turn's first step. A turn of another one is migrated
//     (Config.Migrate) or taken as it is, and refused where a node or field that it needs is gone.
//   - What a field holds must not be changed in place. The log has its own copy in any case; nodes at work
//     at the same time have not.
//   - Nodes side by side may or may not see what the others have merged: they must not depend on it.
//   - Every field of a state stands in its Fields(): Compile looks once, since one left out would be lost in silence.
//   - A panic in a node is an error of one line; the stack goes to Config.Logger.
//   - Handlers come in the context (callbacks.InitCallbacks), as eino passes them on. They hear the graph and each visit,
//     with what Config.Show makes of the state as input and output, and an end or an error after each start. A visit that
//     the log has ends at once. A question is an error to them, as eino's interrupts are.
