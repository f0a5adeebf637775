// What is known of the user for good, as it stands in each prompt. Each line is a record and is edited as one.
import { api } from "../core/api.ts";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t, type Key } from "../core/text.ts";
import { Empty } from "../core/ui.tsx";
import { Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import { textOf, type Record } from "./item.tsx";

export function Brain() {
  const brain = useLoaded((signal) => api.get("/api/v1/brain", { signal }), [user.value]);
  const settings = useLoaded((signal) => api.get("/api/v1/settings", { signal }), [user.value]);
  const most = Number((settings.value as { brain_max_tokens?: { value: string } } | undefined)?.brain_max_tokens?.value ?? 0);
  const b = brain.value;
  const parts: [Key, Record[] | null][] = b ? [["known.user", b.user], ["known.preferences", b.preferences], ["known.current", b.current], ["known.decisions", b.decisions], ["known.archive", b.archive]] : [];
  const nothing = parts.every(([, records]) => !records?.length);
  return (
    <details class="card known">
      <summary><h2>{t("known.title")}</h2> {b && <span class="small">{t("known.tokens", { n: b.tokens })}</span>}</summary>
      {brain.error ? <Failed error={brain.error} retry={brain.reload} /> : !b ? <Loading /> : (
        <>
          {most > 0 && <p><meter min={0} max={most} high={most * .9} value={b.tokens} aria-label={t("known.of_most", { n: b.tokens, most })} /> <span class="small">{t("known.of_most", { n: b.tokens, most })}</span></p>}
          {nothing && <Empty>{t("known.none")}</Empty>}
          {parts.map(([text, records]) => records && records.length > 0 && (
            <section key={text}>
              <h3>{t(text)}</h3>
              <ul>{records.map((r) => <li key={r.id}><a href={to`/memory/${r.id}`}>{textOf(r)}</a></li>)}</ul>
            </section>
          ))}
          {b.active_context.text && <section><h3>{t("known.active")}</h3><p>{b.active_context.text}</p></section>}
          <p class="small">{t("known.edit")}</p>
        </>
      )}
    </details>
  );
}
