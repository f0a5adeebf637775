// Package scenario reads conversations written as YAML and plays them on the whole product. It is the way to test an agent
// that is built on this module: a team writes down what its users say and what must hold then, and plays it against its own
// model, tools and approvals in a Go test, with a store, a clock and ids of each scenario's own.
//
//	func TestStories(t *testing.T) {
//		data, err := os.ReadFile("testdata/stories.yaml")
//		...
//		stories, err := scenario.Parse("testdata/stories.yaml", data)
//		...
//		for _, s := range stories {
//			result, err := scenario.Run(ctx, s, scenario.Config{Model: ours, Tools: tools, Approve: []string{"pay"}})
//			...
//			for _, f := range result.Failures {
//				t.Errorf("%s: %s", s.Name, f)
//			}
//		}
//	}
//
// Without Go, on Mneme's own models and tools: mneme replay FILE.
//
// A scenario is a story a non-programmer can review: what the user says, what the chat model and the
// small model answer (scripted, or left to the offline model), and what must hold after each turn: the
// decision, the affair it names, which affairs are parked, which tools ran, what the prompt held, what
// recall finds. Parse turns a file into values and refuses whatever it does not know, with file and line.
// Run plays a scenario in a store of its own, a folder or a database on a MongoDB server, and reports every difference.
//
//	file.yaml ──Parse──► []Scenario ──Run──► graph, its store ──► Reply, Memory
//	                                   │                              │
//	                                   └─────────── Result ◄──check───┘
//
// # The file
//
//	# A scenario is a conversation and what must hold after each of its turns. A file may hold several, separated by ---.
//	# Every key stands here once, with its form. Only turns is needed; a key that is not known is an error with its line.
//	# This text is itself a scenario: mneme replay --format > all.yaml && mneme replay all.yaml
//
//	name: the boiler and the car part          # default: the name of the file
//	language: en                               # of the conversation, BCP-47; for people only
//	now: 2026-02-15T21:00:00Z                  # where the clock starts, RFC 3339; default 2026-01-01T00:00:00Z
//	scope: {client: c1, project: p1, user: u1, agent: main, session: s1}   # whose memory; defaults exist for all but project
//	settings: {sliding_summary_window: 6, switch_threshold: 0.7}           # any setting by its name; mneme doctor lists them
//	agents: [{name: tester, role: a tester, rules: ["always answer"]}]        # who answers as these; mneme agents --help has the keys
//
//	turns:
//	  # A turn is a message of the user (user), a chat command (command: /help, /clear or /cler, /end, /new, /rename TITLE, /sessions, /affairs, /affair TITLE, /not-this, /undo, /why, /suggestions, /approve, /reject), an answer to what the turn
//	  # before it asked (approve), or only time that passes (at) or a restart (restart).
//	  - user: "I ordered brake pads, order number 07-14244-53150."
//	    model:                                 # the chat model's answers, in order; absent = the configured model, else the offline one
//	      - {say: "Noted."}                    # a text
//	    background:                            # the small model's answers by task; absent = the configured one, else rules
//	      detect: {type: NEW_AFFAIR, new_affair_title: Brake pads, confidence: 0.9}   # an object is handed over as JSON
//	      title: "Brake pads"                  # a text as it is; also: park, summary, extract, digest, duplicate, same, judge
//	    expect:                                # every key may be left out
//	      decision: NEW_AFFAIR                 # CONTINUE, SWITCH, AD_HOC or NEW_AFFAIR
//	      target: Brake pads                   # the affair that the decision names, by its title; "" = none
//	      active: Brake pads                   # the affair that is active then; a title in slashes is a regular expression: /brake/
//	      parked: []                           # exactly these
//	      status: {Brake pads: ACTIVE}         # ACTIVE, PARKED, RESOLVED or ARCHIVED
//	      affairs: 1                           # how many are not archived
//	      reply_contains: [Noted.]             # texts match with white space folded
//	      reply_excludes: [Sorry]
//
//	  - user: "My boiler is serviced on October 2, please keep that."
//	    at: +5m                                # the clock moves on before the turn: +30s, +5m, +36h, +3d
//	    model:
//	      - {call: memory_store, args: {subject: boiler, content: "Boiler service is on October 2.", category: deadline}}   # one call of a tool
//	      - calls:                             # several calls in one answer
//	          - {call: memory_recall, args: {query: brake pads, scope: all}}
//	          - {call: list_affairs, args: "{not JSON"}                        # arguments as a text go out as they are
//	      - {say: "Kept."}
//	    background:
//	      detect: {type: NEW_AFFAIR, new_affair_title: Boiler, confidence: 0.9}
//	      park: {summary: "The brake pads are ordered.", key_facts: {order: 07-14244-53150}, pending_actions: ["track the parcel"]}
//	      fail: [summary]                      # as fail beside it
//	    crash: after respond/tool:memory_store # before or after NODE, NODE/model or NODE/tool:NAME, #2 = the second: the process dies there
//	    expect:
//	      decision: NEW_AFFAIR
//	      parked: [Brake pads]
//	      facts: {Brake pads: {order: 07-14244-53150}}                         # key facts, by affair, label and value
//	      facts_contain: {Brake pads: [07-14244-53150, track the parcel]}      # anywhere in title, summary, key facts, pending actions
//	      tools: [memory_store, memory_recall, list_affairs]                   # every call of the turn, in order
//	      records: {deadline: 1}               # how many records of a kind are valid now
//	      recall:                              # what recall finds after the turn, in its scope
//	        - {query: "boiler service", scope: all, contains: "October 2", rank: 1}         # in the first so many hits; default 10
//	        - {query: "boiler service", as_of: "2026-01-01T00:00:00Z", absent: "October"}   # as of a time, in none of the first ten
//
//	  - user: "Hey, what is the order number of the brake pads?"
//	    session: s1                            # for this turn only; scope: {session: s2} sets any part
//	    scope: {agent: main}
//	    restart: true                          # everything is closed and opened again before the turn
//	    model: [{say: "It is 07-14244-53150."}]
//	    background: {detect: {type: AD_HOC, target_affair: Brake pads, confidence: 0.9}}
//	    expect:
//	      decision: AD_HOC
//	      active: Boiler
//	      context_contains: [07-14244-53150]   # in a prompt of the turn, as the chat model saw it
//	      context_excludes: [secret]           # in none of them
//	      context_order: [Boiler, "what is the order number"]                  # in this order in one prompt
//	      max_context_tokens: 8000
//
//	  - user: "And what about the weather?"
//	    fail: [respond]                        # calls that fail in this turn: tasks of the small model, or respond, the chat model
//	    expect: {error: unavailable}           # the code that the turn ends with: invalid, not_found, conflict, denied, unavailable, internal
//
//	---
//	name: what does not work
//	settings: {small_model_timeout: 20ms}
//	turns:
//	  - user: "My name is Ann."
//	    expect:
//	      max_section_tokens: {Brain: 0, System: 200}                          # what a section of the prompt costs at most, by its name
//	  - command: /end                          # beside a command background, fail and hang may stand, too
//	    hang: [extract]                        # tasks of the small model that get no answer in this turn: they end with small_model_timeout
//	    expect:
//	      asked: {extract: 1}                  # how often the small model of the turn was asked, by task
//	      notes_contain: [extracted later]     # each in something that the turn's trace notes
//	  - user: "Hello!"
//	    session: s2
//	    damage: {records: "Ann"}               # sessions, affairs, records or messages of the user that hold a text are unreadable from now on
//	    expect: {notes_contain: [is damaged]}
//
//	---
//	name: what a request brings
//	turns:
//	  - user: "Was kostet der Umzug?"
//	    preferred_language: en                 # of the answer, BCP-47; "und" = that of the question
//	    tone: concise                          # concise, detailed or neutral
//	    style_notes: "no lists"
//	    preference_scope: session              # until /clear or the end of the session's part; global = in all sessions of the user
//	    store_knowledge: true                  # false = nothing of the exchange is kept but its messages, for this session; true = extra_context too
//	    extra_context:                         # quoted in the prompt of this turn
//	      notes: ["The van is 14 m3."]
//	      links: ["https://example.org/offer"]
//	      paths: [docs/offer.pdf]
//	      files: {offer.txt: "Fixed price: 480 EUR."}                          # text by name
//	    expect: {context_contains: ["Fixed price: 480 EUR", "The van is 14 m3", "tone: concise"], records: {fact: 3}}
//
//	---
//	name: a question to a person
//	settings: {autonomy: 1}                    # every change of memory asks
//	turns:
//	  - user: "Please remember that I like coffee without sugar."
//	    model:
//	      - {call: memory_store, args: {subject: coffee, content: "Coffee without sugar.", category: preference}}
//	      - {say: "Kept."}
//	    expect: {pending_approval: 1}          # how many questions wait
//	  - approve: yes                           # yes, no, or the arguments to run the call with: {content: "..."}
//	    expect: {pending_approval: 0, records: {preference: 1}, reply_contains: [Kept.]}
//	  - command: /clear
package scenario

// Design:
//
//   - The parser walks the syntax tree instead of decoding into structs: every error can name its line,
//     the order of key facts is kept, and a scalar is taken as it is written (38.10 stays 38.10).
//   - A scenario sees no real clock and no random ids. The clock starts at the scenario's now and moves
//     only by at; ids are numbered. The same file gives the same run.
//   - Expectations are compared with what the store answers after the turn, not with what the turn says
//     about itself, wherever the store can answer.
//   - Each expectation that fails is one Failure; a turn goes on checking after the first, and the
//     scenario after the turn, because the second difference often explains the first.
//   - A crash is a crash: the turn is played by another process (Config.Child, which calls PlayTurn) that
//     kills itself at the place named, while this one has the store closed. This process, which knows nothing
//     of what the other had in RAM, then opens the store, goes on with the turn and is looked at. Scripts need
//     no position: the prompt says which of their answers were kept. A turn without a crash needs no process.
//   - On a server the clock moves past the lease of the process that died before this one goes on: the wait that a host
//     has there is no part of the story. A database is dropped in the end, so one that holds anything is refused.
//   - With an embedder every turn waits until what it wrote has its vectors: recall of the next one must not depend on how
//     fast the machine is.
//   - A crash at a place that the turn never comes to fails the turn: skipping it would make a red story green.
//   - Damage is done to the stored documents themselves, while everything is closed. So what reads them meets it as it would after an edit by hand.
//   - What a turn scripts wins over the model of the Config, which answers where there is no script or it has ended. So one
//     file can hold exact stories and those in which the agent speaks for itself.
//   - The reference above is format.yaml. Tests play it, compare it with the keys that the parser knows and with this text; who
//     writes a key in another form is shown the line of the reference.
