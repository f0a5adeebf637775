// Erasing for good: what would go is shown first, the number of things is typed, and the receipt stays to be read.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { hasText, t } from "../core/text.ts";
import { problemText } from "../core/toast.ts";
import { number } from "../core/time.ts";
import { Button, Check, Dialog, Field } from "../core/ui.tsx";
import { Failed, Loading, useLoaded } from "./loaded.tsx";

export type Erased = Schemas["Erased"];
export type Target = { record: string } | { session: string } | { affair: string };

interface ForgetProps {
  targets: Target[];
  title: string;
  onClose: () => void;
  onDone: () => void;
}

// Forget closes by itself never: the receipt is read first.
export function Forget(p: ForgetProps) {
  const [pinned, setPinned] = useState(false);
  const [typed, setTyped] = useState("");
  const [done, setDone] = useState<Result[] | "busy" | null>(null);
  const would = useLoaded(() => eraseAll(p.targets, pinned, true), [pinned]);
  const erase = async (e: Event) => {
    e.preventDefault();
    setDone("busy");
    setDone(await eraseAll(p.targets, pinned, false));
    changed();
    p.onDone();
  };
  const word = String(p.targets.length);
  return (
    <Dialog title={Array.isArray(done) ? t("forget.receipt") : p.title} onClose={p.onClose}>
      {done === "busy" ? <Loading /> : done ? <Receipts results={done} /> : (
        <form onSubmit={erase}>
          <p>{t("forget.text")}</p>
          {would.error ? <Failed error={would.error} retry={would.reload} /> : would.value ? <Would results={would.value} /> : <Loading />}
          <Check label={t("forget.pinned_too")} value={pinned} onChange={setPinned} />
          <Field label={t("ui.type_to_confirm", { text: word })} value={typed} onInput={setTyped} focus />
          <footer>
            <Button onClick={p.onClose}>{t("ui.cancel")}</Button>
            <Button kind="danger" type="submit" disabled={typed.trim() !== word || !would.value?.some((r) => r.receipt)}>{t("forget.do")}</Button>
          </footer>
        </form>
      )}
      {Array.isArray(done) && <footer><Button kind="main" onClick={p.onClose}>{t("ui.close")}</Button></footer>}
    </Dialog>
  );
}

interface Result {
  target: Target;
  receipt?: Erased;
  error?: unknown;
}

// eraseAll goes on when one of the targets cannot be erased.
async function eraseAll(targets: Target[], pinned: boolean, dry: boolean): Promise<Result[]> {
  const out: Result[] = [];
  for (const target of targets) {
    try {
      out.push({ target, receipt: await erase(target, pinned, dry) });
    } catch (error) {
      out.push({ target, error });
    }
  }
  return out;
}

function erase(of: Target, include_pinned: boolean, dry_run: boolean): Promise<Erased> {
  const query = { include_pinned, dry_run };
  if ("record" in of) return api.delete("/api/v1/records/{record}", { path: of, query });
  if ("session" in of) return api.delete("/api/v1/memory/session/{session}", { path: of, query });
  return api.post("/api/v1/memory/forget", { body: { affair_id: of.affair, ...query } });
}

function Would({ results }: { results: Result[] }) {
  const items = results.flatMap((r) => r.receipt?.would ?? []);
  const spared = results.flatMap((r) => r.receipt?.spared ?? []);
  return (
    <>
      <p><strong>{t("forget.would", { n: items.length })}</strong></p>
      <ul class="items" tabIndex={0} aria-label={t("forget.would", { n: items.length })}>
        {items.slice(0, 50).map((i) => <li key={i.kind + i.id}>{i.text || i.id}</li>)}
      </ul>
      {spared.length > 0 && <p class="note">{t("forget.spared", { n: spared.length })}</p>}
      <Errors results={results} />
    </>
  );
}

function Errors({ results }: { results: Result[] }) {
  return <>{results.filter((r) => r.error).map((r) => <p class="error" key={Object.values(r.target)[0]}>{Object.values(r.target)[0]}: {problemText(r.error)}</p>)}</>;
}

function Receipts({ results }: { results: Result[] }) {
  return (
    <div class="receipts" role="status">
      {results.map((r) => r.receipt && <Receipt key={r.receipt.order} of={r.receipt} />)}
      <Errors results={results} />
    </div>
  );
}

function layerText(layer: string): string {
  const key = `layer.${layer.replace(/ /g, "_")}`;
  return hasText(key) ? t(key) : layer;
}

// Receipt shows what went from each layer, and what a probe still found behind it.
export function Receipt({ of }: { of: Erased }) {
  const layers = (of.layers ?? []).filter((l) => l.planned || l.count || l.left);
  return (
    <section class="receipt">
      <p><strong>{of.name}</strong> <code class="small">{of.order}</code></p>
      <table>
        <caption class="hidden">{t("forget.receipt")}</caption>
        <thead><tr><th>{t("forget.layer")}</th><th class="num">{t("forget.planned")}</th><th class="num">{t("forget.gone")}</th><th class="num">{t("forget.left")}</th></tr></thead>
        <tbody>
          {layers.map((l) => <tr key={l.layer}><td>{layerText(l.layer)}</td><td class="num">{number(l.planned)}</td><td class="num">{number(l.count)}</td><td class="num">{number(l.left)}</td></tr>)}
        </tbody>
      </table>
      <p class={of.left ? "error" : "good"}>{of.left ? t("forget.still_there", { n: of.left }) : t("forget.nothing_left")}</p>
      {of.spared && of.spared.length > 0 && <p class="note">{t("forget.spared", { n: of.spared.length })}</p>}
      {of.copies && of.copies.length > 0 && <><p>{t("forget.copies")}</p><ul>{of.copies.map((c) => <li key={c}>{c}</li>)}</ul></>}
    </section>
  );
}
