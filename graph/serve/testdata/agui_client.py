"""What an interface that speaks AG-UI sees of a session: each event is read by the SDK's models and kept in the order that the protocol demands.

    agui_client.py URL KEY
"""

import json
import sys
import urllib.request

from ag_ui.core import Event, EventType, RunAgentInput, UserMessage
from pydantic import TypeAdapter

event = TypeAdapter(Event)


def run(number, messages, resume=None):
    """Runs once as HttpAgent of the TypeScript SDK does, and returns the events and the messages as an interface keeps them."""
    asked = RunAgentInput(thread_id="s1", run_id=f"run-{number}", messages=messages, tools=[], context=[], state={}, forwarded_props={}, resume=resume)
    request = urllib.request.Request(sys.argv[1] + "/ag-ui", data=asked.model_dump_json(by_alias=True).encode(), headers={"Authorization": "Bearer " + sys.argv[2], "Content-Type": "application/json", "Accept": "text/event-stream"})
    events, kept = [], {m.id: m.content for m in messages}
    texts, calls, steps = {}, set(), set()
    with urllib.request.urlopen(request) as lines:
        for line in lines:
            if not line.startswith(b"data: "):
                continue
            e = event.validate_python(json.loads(line[6:]))
            assert not e.model_extra, (e.type, e.model_extra)  # nothing that the protocol does not know
            assert bool(events) != (e.type == EventType.RUN_STARTED), "the first event, and no other, begins the run"
            assert not events or events[-1].type not in (EventType.RUN_FINISHED, EventType.RUN_ERROR), "an event behind the end"
            events.append(e)
            if e.type == EventType.TEXT_MESSAGE_START:
                assert e.message_id not in kept and not texts
                texts[e.message_id] = kept[e.message_id] = ""
            elif e.type == EventType.TEXT_MESSAGE_CONTENT:
                kept[e.message_id] += e.delta
                texts[e.message_id] += e.delta
            elif e.type == EventType.TEXT_MESSAGE_END:
                assert texts.pop(e.message_id)
            elif e.type == EventType.TOOL_CALL_START:
                assert e.tool_call_id not in calls
                calls.add(e.tool_call_id)
            elif e.type == EventType.TOOL_CALL_END:
                calls.remove(e.tool_call_id)
            elif e.type == EventType.STEP_STARTED:
                assert e.step_name not in steps
                steps.add(e.step_name)
            elif e.type == EventType.STEP_FINISHED:
                steps.remove(e.step_name)
            elif e.type == EventType.MESSAGES_SNAPSHOT:
                kept = {m.id: m.content for m in e.messages}
            elif e.type == EventType.RUN_FINISHED:
                assert not texts and not calls and not steps, (texts, calls, steps)
    return events, kept


def of(events, kind):
    return [e for e in events if e.type == kind]


first = UserMessage(id="msg-1", content="Note my seat, 14C.")
events, kept = run(1, [first])
end = events[-1]
assert end.type == EventType.RUN_FINISHED and end.outcome.type == "interrupt", end
question = end.outcome.interrupts[0]
assert question.reason == "tool_call" and question.metadata["tool"] == "memory_store", question
names = {e.name for e in of(events, EventType.CUSTOM)}
assert names == {"mneme.decision", "mneme.question"}, names
assert [e.content for e in of(events, EventType.TOOL_CALL_RESULT)], events

events, kept = run(2, [first], [{"interruptId": question.id, "status": "resolved", "payload": {"approved": True}}])
assert events[-1].type == EventType.RUN_FINISHED and events[-1].outcome is None, events[-1]
assert "stored fact" in of(events, EventType.TOOL_CALL_RESULT)[0].content
assert list(kept.values())[-1] == "Noted it." == events[-1].result["reply"], kept

# The line broke: the message is sent again, with what came of the reply behind it, and comes to the same.
events, kept = run(3, [first, UserMessage(id="half", content="Not")][:1])
assert list(kept.values())[-1] == "Noted it.", kept

# An unknown question, and a message that was another one, end in RUN_ERROR.
events, _ = run(4, [first], [{"interruptId": "none", "status": "cancelled"}])
assert events[-1].type == EventType.RUN_ERROR and events[-1].code == "not_found", events[-1]
events, _ = run(5, [UserMessage(id="msg-1", content="Something else.")])
assert events[-1].type == EventType.RUN_ERROR and events[-1].code == "conflict", events[-1]
print("5 runs, as the protocol demands")
