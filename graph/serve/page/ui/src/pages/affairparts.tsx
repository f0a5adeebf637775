// The parts of an affair that a person may change.
import { useState } from "preact/hooks";
import type { Schemas } from "../core/api.ts";
import { t } from "../core/text.ts";
import { Button, Card, Empty, Field, Icon, Time } from "../core/ui.tsx";

interface PartProps {
  of: Schemas["StateAffair"];
  onEdit: (change: Schemas["AffairEdit"], seen?: Schemas["StateAffair"]) => Promise<void>; // seen is the affair as the form showed it
}

export function Pending({ of: a, onEdit }: PartProps) {
  const [text, setText] = useState("");
  const pending = a.pending_actions ?? [];
  const add = (e: Event) => {
    e.preventDefault();
    if (!text.trim()) return;
    void onEdit({ pending_actions: [...pending, text.trim()] });
    setText("");
  };
  return (
    <Card title={t("affair.pending")}>
      {pending.length === 0 && <Empty>{t("affair.nothing_pending")}</Empty>}
      <ul class="plainlist">
        {pending.map((p) => (
          <li key={p}><label class="check"><input type="checkbox" aria-label={t("affair.pending_done", { text: p })} onChange={() => void onEdit({ pending_actions: pending.filter((x) => x !== p) })} /> <span>{p}</span></label></li>
        ))}
      </ul>
      <form class="line-form" onSubmit={add}>
        <Field label={t("affair.pending_new")} value={text} onInput={setText} />
        <Button type="submit" disabled={!text.trim()}>{t("affair.pending_add")}</Button>
      </form>
    </Card>
  );
}

export function Summary({ of: a, onEdit }: PartProps) {
  const [text, setText] = useState<string | null>(null);
  const [seen, setSeen] = useState(a);
  const open = () => {
    setSeen(a);
    setText(a.summary);
  };
  const save = (e: Event) => {
    e.preventDefault();
    void onEdit({ summary: text ?? "" }, seen);
    setText(null);
  };
  return (
    <Card title={t("affair.summary")}>
      {text === null
        ? <><p class="text">{a.summary || "–"}</p><Button onClick={open}>{t("ui.edit")}</Button></>
        : (
          <form onSubmit={save}>
            <Field label={t("affair.summary")} rows={5} value={text} onInput={setText} focus />
            <div class="row"><Button kind="main" type="submit">{t("ui.save")}</Button><Button onClick={() => setText(null)}>{t("ui.cancel")}</Button></div>
          </form>
        )}
    </Card>
  );
}

export function Facts({ of: a, onEdit }: PartProps) {
  const [label, setLabel] = useState("");
  const [value, setValue] = useState("");
  const facts = Object.entries(a.key_facts);
  const add = (e: Event) => {
    e.preventDefault();
    void onEdit({ key_facts: { [label.trim()]: value.trim() } });
    setLabel("");
    setValue("");
  };
  return (
    <Card title={t("affair.facts")}>
      {facts.length > 0 && (
        <div class="scroll"><table>
          <tbody>{facts.map(([name, now]) => (
            <tr key={name}>
              <th scope="row">{name}</th><td>{now}</td>
              <td><Button kind="quiet" label={t("affair.fact_drop", { label: name })} onClick={() => void onEdit({ drop_facts: [name] })}><Icon of="close" /></Button></td>
            </tr>
          ))}</tbody>
        </table></div>
      )}
      {!!a.past_facts?.length && (
        <details><summary>{t("affair.past_facts")}</summary>
          <ul>{a.past_facts.map((p) => <li key={p.label + p.until}>{p.label}: <del>{p.value}</del> <Time at={p.until} /></li>)}</ul>
        </details>
      )}
      <form class="line-form" onSubmit={add}>
        <Field label={t("affair.fact_label")} value={label} onInput={setLabel} />
        <Field label={t("affair.fact_value")} value={value} onInput={setValue} />
        <Button type="submit" disabled={!label.trim() || !value.trim()}>{t("affair.fact_add")}</Button>
      </form>
    </Card>
  );
}
