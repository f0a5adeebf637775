// What memory has besides records: affairs, and what was said. A newcomer looks for all of it here.
import { to } from "../core/route.ts";
import { affairs, nameOf, sessions } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Empty } from "../core/ui.tsx";

const shown = 12;

export function Elsewhere() {
  const said = sessions.value.filter((s) => s.messages > 0);
  return (
    <details class="card known">
      <summary><h2>{t("elsewhere.title")}</h2> <span class="small">{t("elsewhere.counts", { affairs: affairs.value.length, sessions: said.length })}</span></summary>
      <p>{t("elsewhere.text")}</p>
      <h3>{t("affair.list")}</h3>
      {affairs.value.length === 0 && <Empty>{t("affair.none")}</Empty>}
      <ul>{affairs.value.slice(0, shown).map((a) => <li key={a.id}><a href={to`/affairs/${a.id}`}>{a.title}</a> <span class="small">{t(`affair.status.${a.status as "ACTIVE"}`)}</span></li>)}</ul>
      <h3>{t("session.list")}</h3>
      <ul>{said.slice(0, shown).map((s) => <li key={s.id}><a href={to`/s/${s.id}`}>{nameOf(s)}</a> <span class="small">{t("elsewhere.messages", { n: s.messages })}</span></li>)}</ul>
      <p class="small">{t("elsewhere.ask")}</p>
    </details>
  );
}
