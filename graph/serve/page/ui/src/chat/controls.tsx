// How the agent is to answer, and what it keeps.
import { useEffect, useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { t } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import { Check, Field, Select } from "../core/ui.tsx";
import { choose, chosen, type Chosen } from "./options.ts";

const answers = ["", "en", "cs", "pl", "ru", "de", "fr", "es", "uk", "sk"];

export function Controls() {
  const c = chosen.value;
  const name = (tag: string) => (tag ? (new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag) : t("option.as_message"));
  const tones = [["", t("option.default")], ["concise", t("option.concise")], ["neutral", t("option.neutral")], ["detailed", t("option.detailed")]] as const;
  return (
    <div class="controls">
      <Select label={t("option.language")} value={c.language} options={answers.map((tag) => [tag, name(tag)] as const)} onChange={(language) => choose({ language })} />
      <Select<Chosen["tone"]> label={t("option.tone")} value={c.tone} options={tones} onChange={(tone) => choose({ tone })} />
      <Field label={t("option.style")} value={c.style} onInput={(style) => choose({ style })} placeholder={t("option.style_example")} />
      <Select<Chosen["scope"]> label={t("option.scope")} value={c.scope} options={[["session", t("option.scope_session")], ["global", t("option.scope_global")]]} onChange={(scope) => choose({ scope })} />
      <Check label={t("option.remember")} value={c.remember} onChange={(remember) => choose({ remember })} />
      <SummaryCheck />
    </div>
  );
}

// SummaryCheck is whether conversations are summed up: a setting of the user, not of a message.
function SummaryCheck() {
  const [on, setOn] = useState<boolean | null>(null);
  useEffect(() => {
    api.get("/api/v1/settings").then((s) => setOn((s as Record<string, { value: string }>).summary_strategy?.value !== "off"), fail);
  }, []);
  const change = async (want: boolean) => {
    setOn(want);
    try {
      await api.put("/api/v1/settings/{level}", { path: { level: "user" }, body: want ? { unset: ["summary_strategy"] } : { set: { summary_strategy: "off" } } });
      toast(want ? t("option.summary_on") : t("option.summary_off"));
    } catch (err) {
      setOn(!want);
      fail(err);
    }
  };
  return <Check label={t("option.summary")} value={on ?? true} disabled={on === null} onChange={(want) => void change(want)} />;
}
