// A card with what a person is asked: approve, edit, reject, or later.
import { useState } from "preact/hooks";
import type { Schemas } from "../core/api.ts";
import { t } from "../core/text.ts";
import { Button, Card, Field } from "../core/ui.tsx";
import { ReadableText } from "../parts/readable.tsx";
import { pretty } from "./steps.tsx";

type Answer = Schemas["AnswerRequest"];

interface QuestionProps {
  question: Schemas["Question"];
  onAnswer: (answer: Answer) => unknown;
  level?: 2 | 3;
  value?: string; // what is edited, where it is no arguments
  title?: string;
}

export function QuestionCard({ question: q, onAnswer, level, title, value: before = "" }: QuestionProps) {
  const [mode, setMode] = useState<"" | "edit" | "reject">("");
  const [sent, setSent] = useState(false);
  const [value, setValue] = useState(q.arguments ? pretty(q.arguments) : before);
  const [reason, setReason] = useState("");
  const may = (choice: Answer["choice"]) => !q.choices?.length || q.choices.includes(choice);
  const wrong = mode === "edit" && !!q.tool && !isJSON(value);
  const give = (answer: Answer) => {
    setSent(true);
    onAnswer(answer);
  };
  return (
    <Card kind="ask" level={level ?? 2} title={title ?? t("ask.title")}>
      <p class="text">{q.text}</p>
      {q.tool && <p><code>{q.tool}</code></p>}
      {q.arguments && mode !== "edit" && <ReadableText text={q.arguments} />}
      {mode === "edit" && <Field label={q.tool ? t("ask.arguments") : t("ask.text")} rows={5} value={value} onInput={setValue} focus />}
      {wrong && <p class="error" role="alert">{t("ask.no_json")}</p>}
      {mode === "reject" && <Field label={t("ask.reason")} value={reason} onInput={setReason} focus />}
      <div class="row">
        {mode === "" && may("approve") && <Button kind="main" disabled={sent} onClick={() => give({ choice: "approve" })}>{t("ask.approve")}</Button>}
        {mode === "" && may("edit") && <Button disabled={sent} onClick={() => setMode("edit")}>{t("ask.edit")}</Button>}
        {mode === "edit" && <Button kind="main" disabled={wrong || sent} onClick={() => give({ choice: "edit", value })}>{t("ask.send_edited")}</Button>}
        {mode !== "edit" && may("reject") && (
          <Button kind="danger" disabled={sent} onClick={() => (mode === "reject" ? give({ choice: "reject", ...(reason.trim() ? { reason: reason.trim() } : {}) }) : setMode("reject"))}>{t("ask.reject")}</Button>
        )}
        {mode === "" && may("suggest") && <Button disabled={sent} onClick={() => give({ choice: "suggest" })}>{t("ask.later")}</Button>}
        {mode !== "" && <Button disabled={sent} onClick={() => setMode("")}>{t("ui.cancel")}</Button>}
      </div>
    </Card>
  );
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
