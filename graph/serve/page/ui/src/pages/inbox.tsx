// What waits for a person: questions of turns in all sessions, and suggestions to change memory.
import { useEffect } from "preact/hooks";
import { QuestionCard } from "../chat/question.tsx";
import { address, api, type Schemas } from "../core/api.ts";
import { changed, onElsewhere } from "../core/load.ts";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { events } from "../core/stream.ts";
import { hasText, t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Chip, Empty, ID, Time } from "../core/ui.tsx";
import { doing, Failed, useLoaded } from "../parts/loaded.tsx";
import { useTitle } from "../parts/title.ts";

type Question = Schemas["Question"];
type Suggestion = Schemas["StateSuggestion"];
type Answer = Schemas["AnswerRequest"];

async function load(signal: AbortSignal) {
  const all = { query: { limit: 200, answered: true }, signal };
  const [q, s] = await Promise.all([api.get("/api/v1/questions", { signal }), api.get("/api/v1/suggestions", all)]);
  const suggestions = s.items ?? [];
  return { questions: q.items ?? [], suggestions: suggestions.filter((x) => !isOver(x)), answered: suggestions.filter(isOver) };
}

export default function Inbox() {
  const { value, error, reload } = useLoaded(load, [user.value]);
  useEffect(() => onElsewhere(reload), []);
  useTitle(t("menu.inbox"));

  const done = async (what: Promise<unknown>) => {
    if (await doing(() => what)) toast(t("affair.saved"));
    changed();
    reload();
  };
  const { questions, suggestions, answered } = value ?? { questions: null, suggestions: [], answered: [] };
  const none = questions?.length === 0 && suggestions.length === 0;
  return (
    <main class="narrow">
      <h1>{t("menu.inbox")}</h1>
      {!!error && <Failed error={error} retry={reload} />}
      {none && <Empty>{t("inbox.empty")}</Empty>}
      {!!questions?.length && <h2>{t("inbox.questions")}</h2>}
      {questions?.map((q) => (
        <div key={q.id}>
          <p class="small"><a href={to`/s/${q.session_id ?? ""}`}>{t("inbox.from_session", { id: q.session_id ?? "" })}</a></p>
          <QuestionCard level={3} question={q} onAnswer={(answer) => done(answerQuestion(q, answer))} />
        </div>
      ))}
      {suggestions.length > 0 && <h2>{t("inbox.suggestions")}</h2>}
      {suggestions.map((s) => <Suggested key={s.id} of={s} onAnswer={(answer) => done(answerSuggestion(s, answer))} />)}
      {answered.length > 0 && (
        <details>
          <summary>{t("inbox.answered")} ({answered.length})</summary>
          <ul class="plainlist">
            {answered.map((s) => <li key={s.id} class="card"><Chip>{statusOf(s)}</Chip> {s.asks}: {s.text} <Time at={s.answered_at} /> {s.reason && <q>{s.reason}</q>}</li>)}
          </ul>
        </details>
      )}
    </main>
  );
}

function Suggested({ of: s, onAnswer }: { of: Suggestion; onAnswer: (answer: Answer) => unknown }) {
  const title = `asks.${s.asks}`;
  const known = hasText(title);
  const says = s.asks === "remember" || s.asks === "correct"; // it has words to edit
  const question: Question = { id: s.id, text: known ? s.text : `${s.asks}: ${s.text}`, choices: says ? ["approve", "edit", "reject"] : ["approve", "reject"] };
  return (
    <div>
      <p class="small">
        <ID id={s.id} /> <Time at={s.at} />
        {s.session && s.by.turn && <> · <a href={to`/s/${s.session}/t/${s.by.turn}`}>{t("inbox.because")}</a></>}
        {s.until && <> · {t("inbox.until")} <Time at={s.until} /></>}
      </p>
      <QuestionCard level={3} {...(known ? { title: t(title) } : {})} question={question} value={s.text.replace(/^[^:]{1,60}: /, "")} onAnswer={onAnswer} />
    </div>
  );
}

const isOver = (s: Suggestion) => s.status !== "WAITING";

function statusOf(s: Suggestion): string {
  const key = `inbox.status.${s.status}`;
  return hasText(key) ? t(key) : s.status;
}

// answerSuggestion answers; an edited text goes as a JSON text.
function answerSuggestion(s: Suggestion, answer: Answer) {
  const body = answer.choice === "edit" ? { ...answer, value: JSON.stringify(answer.value ?? "") } : answer;
  return api.post("/api/v1/suggestions/{suggestion}", { path: { suggestion: s.id }, body });
}

// answerQuestion answers and waits until the turn has gone on.
async function answerQuestion(q: Question, answer: Answer) {
  const url = address("/api/v1/sessions/{session}/answers", { path: { session: q.session_id } });
  for await (const e of events({ method: "POST", url, body: { answers: { [q.id]: answer } } }, new AbortController().signal)) {
    if (e.event === "run.end" && e.problem) throw new Error(e.problem.detail ?? e.problem.title);
  }
}
