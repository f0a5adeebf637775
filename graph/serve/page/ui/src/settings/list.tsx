// Every setting: its value, where that comes from, and changing it for the user or for all users of the client.
import { useState } from "preact/hooks";
import { api, ApiError, type Schemas } from "../core/api.ts";
import { user } from "../core/session.ts";
import { hasText, t, type Key } from "../core/text.ts";
import { problemText, toast } from "../core/toast.ts";
import { Button, Chip, Empty, Field, Select } from "../core/ui.tsx";
import { Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import { isTaken, takesText } from "./accepted.ts";

type Setting = Schemas["Setting"];
export type Level = "user" | "client";

// groups have the names that begin or end like this; the first one that fits.
const groups: [Key, RegExp][] = [
  ["settings.group.prompt", /^context_|^max_context|^max_tokens|^sliding_|^summary_|^session_history/],
  ["settings.group.memory", /^memory_|^brain_|rag$|^association|^l[12]_|^archive|^session_|suggestion|^autonomy|^detect$|^switch_|^max_memories/],
  ["settings.group.models", /model|provider|timeout|^tool_|^turn_|^parallel|^max_tool|^transformer|^double|^on_cancel/],
  ["settings.group.store", /budget_mb$|_ttl$|^durability|^keep$|^hot_|^max_message/],
  ["settings.group.other", /./],
];

export function List() {
  const [words, setWords] = useState("");
  const [changedOnly, setChangedOnly] = useState<"all" | "changed">("all");
  const found = useLoaded(async (signal) => Object.entries(await api.get("/api/v1/settings", { signal })) as [string, Setting][], [user.value]);
  if (found.error) return <Failed error={found.error} retry={found.reload} />;
  if (!found.value) return <Loading />;
  const shown = found.value.filter(([name, s]) => `${name} ${s.value} ${s.says}`.toLowerCase().includes(words.trim().toLowerCase()) && (changedOnly === "all" || s.origin !== "default"));
  const groupOf = (name: string) => groups.find(([, fits]) => fits.test(name))![0];
  return (
    <>
      <div class="card filters">
        <Field label={t("settings.find")} value={words} onInput={setWords} />
        <Select label={t("settings.which")} value={changedOnly} options={[["all", t("settings.which_all")], ["changed", t("settings.which_changed")]]} onChange={setChangedOnly} />
      </div>
      {shown.length === 0 && <Empty>{t("settings.none")}</Empty>}
      {groups.map(([group]) => {
        const of = shown.filter(([name]) => groupOf(name) === group);
        return of.length > 0 && (
          <section key={group} class="card">
            <h2>{t(group)}</h2>
            <ul class="plainlist">{of.map(([name, s]) => <One key={name} name={name} s={s} reload={found.reload} />)}</ul>
          </section>
        );
      })}
    </>
  );
}

function originText(origin: string): string {
  const key = `origin.${origin}`;
  return hasText(key) ? t(key) : origin;
}

function One({ name, s, reload }: { name: string; s: Setting; reload: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <li class="setting">
      <div class="names">
        <code>{name}</code>
        <span class="value">{s.value || t("settings.empty")}</span>
        <Chip kind={s.origin === "default" ? "" : "good"} title={t("settings.origin")}>{originText(s.origin)}</Chip>
        <Button kind="quiet" label={t("settings.change_of", { name })} expanded={open} onClick={() => setOpen(!open)}>{t("settings.change")}</Button>
      </div>
      <p class="says" lang="en">{s.says}{s.value !== s.default && ` (${t("settings.default", { value: s.default || t("settings.empty") })})`}</p>
      {open && <Edit name={name} s={s} onDone={() => { setOpen(false); reload(); }} onClose={() => setOpen(false)} />}
    </li>
  );
}

interface EditProps {
  name: string;
  s: Setting;
  onDone: () => void;
  onClose: () => void;
}

function Edit({ name, s, onDone, onClose }: EditProps) {
  const [value, setValue] = useState(s.value);
  const [why, setWhy] = useState("");
  const [level, setLevel] = useState<Level>(s.origin === "client" ? "client" : "user");
  const [wrong, setWrong] = useState("");
  const put = async (body: Schemas["SettingsEdit"], told: string) => {
    setWrong("");
    try {
      await api.put("/api/v1/settings/{level}", { path: { level }, body: { ...body, ...(why.trim() ? { why: why.trim() } : {}) } });
      toast(told);
      onDone();
    } catch (err) {
      setWrong(err instanceof ApiError && err.code === "invalid" ? err.detail : problemText(err));
    }
  };
  const submit = (e: Event) => {
    e.preventDefault();
    void put({ set: { [name]: value.trim() } }, t("settings.saved", { name, value: value.trim() }));
  };
  const choices = s.type === "boolean" ? ["true", "false"] : s.type === "choice" ? (s.choices ?? []) : null;
  const taken = isTaken(s, value.trim());
  return (
    <form class="edit" onSubmit={submit}>
      {choices ? <Select label={t("settings.value")} value={value} options={choices.map((c) => [c, c || t("settings.empty")] as const)} onChange={setValue} /> : <Field label={t("settings.value")} value={value} onInput={setValue} focus />}
      {takesText(s) && <p class={taken ? "small takes" : "error takes"} role={taken ? undefined : "alert"}>{takesText(s)}</p>}
      {s.process && <p class="small">{t("settings.of_process")}</p>}
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <div class="filters">
        <Select<Level> label={t("settings.level")} value={level} options={[["user", t("settings.level_user")], ["client", t("settings.level_client")]]} onChange={setLevel} />
        <Field label={t("settings.why")} value={why} onInput={setWhy} />
      </div>
      <p class="small">{s.origin === "default" ? t("settings.default_is", { value: s.value || t("settings.empty") }) : t("settings.default_untold")}</p>
      <div class="row">
        <Button kind="main" type="submit" disabled={value.trim() === s.value || !taken}>{t("record.save")}</Button>
        {s.origin === level && <Button onClick={() => void put({ unset: [name] }, t("settings.unset", { name }))}>{t("settings.reset")}</Button>}
        <Button onClick={onClose}>{t("ui.cancel")}</Button>
      </div>
    </form>
  );
}
