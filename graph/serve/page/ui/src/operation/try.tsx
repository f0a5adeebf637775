// Trying the service: as which user, in which session, with which agent. The models are those of the service.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { go, path, query, to } from "../core/route.ts";
import { sessions, user } from "../core/session.ts";
import { hasText, t } from "../core/text.ts";
import { percent } from "../core/time.ts";
import { Button, Card, Chip, Field } from "../core/ui.tsx";
import { doing, useLoaded } from "../parts/loaded.tsx";
import { newSession } from "../shell/shell.tsx";

export function Try() {
  const [whose, setWhose] = useState(user.value);
  const [session, setSession] = useState(() => newSession());
  const [agent, setAgent] = useState("");
  const [message, setMessage] = useState("");
  const [busy, setBusy] = useState(false);
  const [reply, setReply] = useState<Schemas["TurnReply"] | null>(null);
  const models = useLoaded(async (signal) => (await api.get("/api/v1/models", { signal })).items ?? [], []);
  const submit = async (e: Event) => {
    e.preventDefault();
    showAs(whose.trim());
    setBusy(true);
    const body = { message, session_id: session.trim(), message_id: crypto.randomUUID(), ...(agent.trim() ? { agent: agent.trim() } : {}) };
    if (await doing(async () => setReply(await api.post("/api/v1/turns", { body })))) {
      setMessage("");
      changed();
    }
    setBusy(false);
  };
  return (
    <>
      <form class="card" onSubmit={submit}>
        <p class="small">{t("try.says")} {models.value && <span>{t("try.models", { names: models.value.map((m) => `${m.role} ${m.name}`).join(", ") })}</span>}</p>
        <div class="filters">
          <Field label={t("keys.user")} value={whose} onInput={setWhose} placeholder={t("shell.user_own")} />
          <Field label={t("memory.session")} value={session} onInput={setSession} />
          <Field label={t("memory.agent")} value={agent} onInput={setAgent} />
        </div>
        <Field label={t("timeline.message")} value={message} onInput={setMessage} rows={3} />
        <div class="row">
          <Button kind="main" type="submit" disabled={busy || !message.trim() || !session.trim()}>{t("try.send")}</Button>
          <Button onClick={() => setSession(newSession())}>{t("session.new")}</Button>
          {sessions.value.some((s) => s.id === session) && <a class="button" href={to`/s/${session}`}>{t("timeline.back")}</a>}
        </div>
      </form>
      <div aria-live="polite">{busy ? <p class="empty">{t("parts.loading")}</p> : reply && <Reply of={reply} />}</div>
    </>
  );
}

// showAs has the whole page show another user, who stands in the address.
function showAs(name: string) {
  if (name === user.value) return;
  const next = new URLSearchParams(query.peek());
  if (name) next.set("user", name);
  else next.delete("user");
  go(`${path.peek()}?${next}`);
}

function Reply({ of }: { of: Schemas["TurnReply"] }) {
  const key = `kind.${of.decision.type}`;
  return (
    <Card title={t("try.reply")}>
      <p class="content">{of.reply}</p>
      <div class="row">
        <Chip>{hasText(key) ? t(key) : of.decision.type} {percent(of.decision.confidence)}</Chip>
        {of.decision.title && <span>{of.decision.title}</span>}
        <span class="small">{t("try.usage", { prompt: of.usage.prompt_tokens, completion: of.usage.completion_tokens, calls: of.usage.model_calls })}</span>
        <a href={to`/s/${of.session_id}/t/${of.turn_id}`}>{t("try.open")}</a>
      </div>
    </Card>
  );
}
