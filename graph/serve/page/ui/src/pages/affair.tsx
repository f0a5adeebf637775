// An affair: its status, summary, facts and pending actions, and everything that is filed under it.
import { useEffect } from "preact/hooks";
import { AffairMenu } from "../chat/affairmenu.tsx";
import { api, type Schemas } from "../core/api.ts";
import { changed, onElsewhere } from "../core/load.ts";
import { to, type Params } from "../core/route.ts";
import { user } from "../core/session.ts";
import { hasText, t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Chip, ID, Time } from "../core/ui.tsx";
import { doing, Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import { useTitle } from "../parts/title.ts";
import { Facts, Pending, Summary } from "./affairparts.tsx";
import { Filed, Search } from "./affairfiled.tsx";

type Affair = Schemas["StateAffair"];

async function load(affair: string, signal: AbortSignal) {
  const path = { affair };
  const [a, all, dossier] = await Promise.all([
    api.get("/api/v1/affairs/{affair}", { path, signal }), api.get("/api/v1/affairs", { query: { limit: 200 }, signal }), api.get("/api/v1/affairs/{affair}/dossier", { path, query: { limit: 100 }, signal }),
  ]);
  return { a, all: all.items ?? [], dossier };
}

export default function AffairPage({ params }: { params: Params }) {
  const id = params.id ?? "";
  const { value, error, reload } = useLoaded((signal) => load(id, signal), [id, user.value]);
  useEffect(() => onElsewhere(reload), []);
  useTitle(value?.a.title ?? t("memory.affair"));
  if (!value) return <main class="narrow"><h1>{t("memory.affair")}</h1>{error ? <Failed error={error} retry={reload} /> : <Loading />}</main>;
  const { a, all, dossier } = value;

  const edit = async (body: Schemas["AffairEdit"], seen: Affair = a) => {
    if (await doing(() => api.put("/api/v1/affairs/{affair}", { path: { affair: a.id }, body, seen }))) {
      toast(t("affair.saved"));
      changed();
    }
    reload();
  };
  const status = `affair.status.${a.status}`;
  return (
    <main key={a.id} class="narrow affair-page">
      {!!error && <Failed error={error} retry={reload} />}
      <header class="top">
        <h1>{a.title}</h1>
        <AffairMenu a={a} all={all} session={a.session ?? ""} reload={reload} />
      </header>
      <p class="row">
        <Chip kind={a.status === "ACTIVE" ? "good" : ""}>{hasText(status) ? t(status) : a.status}</Chip> <ID id={a.id} /> <Time at={a.updated_at} />
        {a.session && <a href={to`/s/${a.session}`}>{t("affair.open_session")}</a>}
        {a.topics?.map((topic) => <Chip key={topic}>{topic}</Chip>)}
      </p>
      {a.merged_into && <p><a href={to`/affairs/${a.merged_into}`}>{t("affair.merged_away")}</a></p>}
      <Pending of={a} onEdit={edit} />
      <Summary of={a} onEdit={edit} />
      <Facts of={a} onEdit={edit} />
      <Search affair={a.id} />
      <Filed of={dossier} />
    </main>
  );
}
