// An affair: its status, summary, facts and pending actions, and everything that is filed under it.
import { useEffect, useState } from "preact/hooks";
import { AffairMenu } from "../chat/affairmenu.tsx";
import { api, type Schemas } from "../core/api.ts";
import { changed, onElsewhere } from "../core/load.ts";
import { to, type Params } from "../core/route.ts";
import { hasText, t } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import { Chip, ID, Time } from "../core/ui.tsx";
import { Facts, Pending, Summary } from "./affairparts.tsx";
import { Filed, Search } from "./affairfiled.tsx";

type Affair = Schemas["StateAffair"];

export default function AffairPage({ params }: { params: Params }) {
  const id = params.id ?? "";
  const [a, setAffair] = useState<Affair | null>(null);
  const [all, setAll] = useState<Affair[]>([]);
  const [dossier, setDossier] = useState<Schemas["MemoryDossier"] | null>(null);

  const load = async () => {
    try {
      const path = { affair: id };
      const [one, list, whole] = await Promise.all([
        api.get("/api/v1/affairs/{affair}", { path }), api.get("/api/v1/affairs", { query: { limit: 200 } }), api.get("/api/v1/affairs/{affair}/dossier", { path, query: { limit: 100 } }),
      ]);
      setAffair(one);
      setAll(list.items ?? []);
      setDossier(whole);
      document.title = `${one.title} – Mneme`;
    } catch (err) {
      fail(err);
    }
  };
  useEffect(() => {
    void load();
    return onElsewhere(() => void load());
  }, [id]);

  const edit = async (body: Schemas["AffairEdit"], seen: Affair | null = a) => {
    try {
      await api.put("/api/v1/affairs/{affair}", { path: { affair: id }, body, ...(seen ? { seen } : {}) });
      toast(t("affair.saved"));
      changed();
    } catch (err) {
      fail(err);
    }
    await load();
  };
  if (!a) return <main class="narrow"><h1>…</h1></main>;
  const status = `affair.status.${a.status}`;
  return (
    <main class="narrow affair-page">
      <header class="top">
        <h1>{a.title}</h1>
        <AffairMenu a={a} all={all} session={a.session ?? ""} reload={() => void load()} />
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
      <Search affair={id} />
      {dossier && <Filed of={dossier} />}
    </main>
  );
}
