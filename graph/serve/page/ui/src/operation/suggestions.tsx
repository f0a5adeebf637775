// What memory wanted to change and asked about. Those that wait are answered in the inbox.
import { api } from "../core/api.ts";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Chip, Empty, Time } from "../core/ui.tsx";
import { byText } from "../parts/changes.tsx";
import { Failed, Loading, More, usePages } from "../parts/loaded.tsx";

export function Suggestions() {
  const pages = usePages((cursor, signal) => api.get("/api/v1/suggestions", { query: { answered: true, limit: 50, ...(cursor ? { cursor } : {}) }, signal }), [user.value]);
  if (pages.error && !pages.loaded) return <Failed error={pages.error} retry={pages.reload} />;
  if (!pages.loaded) return <Loading />;
  return (
    <>
      <p><a class="button" href={to`/inbox`}>{t("operation.to_inbox")}</a></p>
      {pages.items.length === 0 && <Empty>{t("operation.no_suggestions")}</Empty>}
      <ul class="plainlist commits">
        {pages.items.map((s) => (
          <li class="commit" key={s.id}>
            <div class="row"><Chip kind={s.status === "WAITING" ? "warn" : ""}>{s.status}</Chip> <Time at={s.at} /> <span class="small">{byText(s.by.who)}, {s.by.path}</span></div>
            <p>{s.text}</p>
            {s.reason && <p class="small">{s.reason}</p>}
          </li>
        ))}
      </ul>
      <More of={pages} />
    </>
  );
}
