// What was changed at a level, by whom and why, with the way back.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Button, Empty, Select, Time } from "../core/ui.tsx";
import { doing, Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import type { Level } from "./list.tsx";

type Change = Schemas["SettingsChange"];

export function History() {
  const [level, setLevel] = useState<Level>("user");
  const found = useLoaded(async (signal) => (await api.get("/api/v1/settings/{level}/history", { path: { level }, signal })).items ?? [], [level, user.value]);
  return (
    <>
      <div class="filters"><Select<Level> label={t("settings.level")} value={level} options={[["user", t("settings.level_user")], ["client", t("settings.level_client")]]} onChange={setLevel} /></div>
      {found.error ? <Failed error={found.error} retry={found.reload} /> : !found.value ? <Loading /> : (
        <>
          {found.value.length === 0 && <Empty>{t("settings.no_history")}</Empty>}
          <ul class="plainlist commits">{found.value.map((c, i) => <One key={c.number} c={c} level={level} last={i === 0} reload={found.reload} />)}</ul>
        </>
      )}
    </>
  );
}

function One({ c, level, last, reload }: { c: Change; level: Level; last: boolean; reload: () => void }) {
  const values = c.values ?? [];
  const back = async () => {
    const set = Object.fromEntries(values.filter((v) => v.before !== undefined).map((v) => [v.name, v.before!]));
    const unset = values.filter((v) => v.before === undefined).map((v) => v.name);
    const body = { set, unset, why: t("settings.back_why", { n: c.number }), ...(last ? { rev: c.number } : {}) };
    if (!(await doing(() => api.put("/api/v1/settings/{level}", { path: { level }, body })))) return;
    toast(t("ui.undone"));
    reload();
  };
  return (
    <li class="commit">
      <div class="row between">
        <div class="row"><Time at={c.at} /> <span>{c.by}</span></div>
        <Button label={t("settings.back_of", { n: c.number })} onClick={() => void back()}>{t("ui.undo")}</Button>
      </div>
      {c.why && <p class="small">{c.why}</p>}
      <dl class="fields">
        {values.map((v) => <div key={v.name}><dt><code>{v.name}</code></dt><dd><del>{v.before ?? ""}</del> → <ins>{v.after ?? t("settings.not_set")}</ins></dd></div>)}
      </dl>
    </li>
  );
}
