"""A session of a client that was generated from the OpenAPI document: client.py FOLDER URL KEY. FOLDER holds the package mneme_client."""
import sys

sys.path.insert(0, sys.argv[1])

from mneme_client import AuthenticatedClient, models
from mneme_client.api.affairs import get_affairs, get_affairs_by_affair, get_affairs_by_affair_dossier, put_affairs_by_affair
from mneme_client.api.batches import get_batches
from mneme_client.api.erasing import post_memory_forget
from mneme_client.api.ingest import post_ingest_immediate
from mneme_client.api.memory import get_audit, get_brain, get_memory_graph, get_records, get_tasks, patch_records_by_record, post_recall, post_records
from mneme_client.api.sessions import get_sessions, get_sessions_by_session_export, get_sessions_by_session_history, get_sessions_by_session_messages, get_sessions_by_session_state
from mneme_client.api.sessions import post_sessions_by_session_end, post_sessions_by_session_promote
from mneme_client.api.settings import get_settings, put_settings_by_level
from mneme_client.api.turns import get_sessions_by_session_turns_by_turn, post_turns

client = AuthenticatedClient(base_url=sys.argv[2], token=sys.argv[3])
user = {"client": client, "x_mneme_user": "anna"}
done = 0


def want(answer, kind):
    """The answer, which is to be of a kind; anything else ends the session."""
    global done
    if not isinstance(answer, kind):
        sys.exit(f"step {done + 1}: got {answer!r}, want {kind.__name__}")
    done += 1
    return answer


def say(text, session):
    return want(post_turns.sync(**user, body=models.TurnRequest(message=text, session_id=session)), models.TurnReply)


# A conversation with two matters.
first = say("I ordered brake pads, order number 07-14244-53150.", "s1")
assert first.session_id == "s1" and first.active, first
say("Thanks.", "s1")
again = want(post_turns.sync(**user, body=models.TurnRequest(message="Hello.", session_id="s1", message_id="m-1")), models.TurnReply)
same = want(post_turns.sync(**user, body=models.TurnRequest(message="Hello.", session_id="s1", message_id="m-1")), models.TurnReply)
assert (again.turn_id, again.reply) == (same.turn_id, same.reply), (again, same)
assert isinstance(post_turns.sync(**user, body=models.TurnRequest(message="")), models.Problem)
want(get_sessions_by_session_turns_by_turn.sync("s1", first.turn_id, **user), object)

# Its affair, edited and looked at.
affairs = want(get_affairs.sync(**user), models.PageAffair).items
one = want(get_affairs_by_affair.sync(affairs[0].id, **user), models.StateAffair)
want(put_affairs_by_affair.sync(one.id, **user, body=models.AffairEdit(title="Brake pads for the van")), models.StateAffair)
want(get_affairs_by_affair_dossier.sync(one.id, **user), object)

# Records: made, corrected, found, listed; a document.
made = want(post_records.sync(**user, body=models.RecordRequest(content="The van is a Transporter from 2014")), models.StateReceipt)
fixed = want(patch_records_by_record.sync(made.id, **user, body=models.RecordEdit(content="The van is a Transporter from 2015")), models.StateRecord)
assert fixed.content.endswith("2015"), fixed
hits = want(post_recall.sync(**user, body=models.RecallRequest(text="van")), models.PageHit).items
assert any("2015" in hit.text for hit in hits) and not any("2014" in hit.text for hit in hits), hits
want(get_records.sync(**user), models.PageRecord)
want(post_ingest_immediate.sync(**user, body=models.IngestRequest(content="The workshop is open on Saturdays.", source_urn="urn:doc:1")), models.Ingested)
want(get_brain.sync(**user), models.MemoryBrain)
want(get_memory_graph.sync(**user), models.MemoryGraph)
want(get_tasks.sync(**user), object)
want(get_audit.sync(**user), models.PageAuditChange)

# Another user sees nothing of it.
other = {"client": client, "x_mneme_user": "bob"}
assert not want(get_affairs.sync(**other), models.PageAffair).items
assert not want(post_recall.sync(**other, body=models.RecallRequest(text="van")), models.PageHit).items

# Settings, sessions, forgetting.
want(get_settings.sync(**user), object)
want(put_settings_by_level.sync(models.PutSettingsByLevelLevel.USER, **user, body=models.SettingsEdit(set_=models.SettingsEditSet.from_dict({"autonomy": "2"}))), object)
assert want(get_sessions.sync(**user), models.PageSession).items
assert len(want(get_sessions_by_session_messages.sync("s1", **user), models.PageMessage).items) >= 6
steps = want(get_sessions_by_session_history.sync("s1", **user), models.PageStep).items
was = want(get_sessions_by_session_state.sync("s1", **user, step=steps[1].step), models.StateAt)
assert was.step == steps[1].step and was.state["input"]["turn"] == was.turn_id, was
out = want(get_sessions_by_session_export.sync("s1", **user), models.Exported)
assert len(out.messages) >= 6 and len(out.decisions) >= 3 and out.affairs, out
assert "turns:" in want(post_sessions_by_session_promote.sync("s1", **user), models.Promoted).scenario
want(get_batches.sync(client=client), models.ExtractionStanding)
want(post_memory_forget.sync(**user, body=models.EraseRequest(topic="van")), models.Erased)
assert not any("2015" in hit.text for hit in want(post_recall.sync(**user, body=models.RecallRequest(text="van")), models.PageHit).items)
want(post_sessions_by_session_end.sync("s1", **user), object)
print(done, "answers as the document says")
