// The node that was chosen in the drawing or the table, and what is done with it.
import { useState } from "preact/hooks";
import { to } from "../core/route.ts";
import { t } from "../core/text.ts";
import { Button, Card, Chip, Empty, Time } from "../core/ui.tsx";
import { kindText, setPinned } from "../memory/item.tsx";
import { Forget, type Target } from "../parts/forget.tsx";
import { idOf, Shape, type Node } from "./types.tsx";

interface ChosenProps {
  node: Node | undefined;
  scope: string;
  reload: () => void;
}

export function Chosen({ node, scope, reload }: ChosenProps) {
  return (
    <div aria-live="polite">
      {node ? <One key={node.id} node={node} scope={scope} reload={reload} /> : <Card><Empty>{t("brain.choose")}</Empty></Card>}
    </div>
  );
}

function One({ node, scope, reload }: ChosenProps & { node: Node }) {
  const [forget, setForget] = useState(false);
  const [gone, setGone] = useState(false);
  const target = targetOf(node);
  const close = () => {
    setForget(false);
    if (gone) reload();
  };
  return (
    <Card title={<><Shape of={node.type} /> {node.label}</>}>
      <div class="row">
        <Chip>{kindText(node.type)}</Chip> {node.pinned && <Chip kind="good">{t("record.is_pinned")}</Chip>} {node.status && <Chip>{node.status}</Chip>} <Time at={node.timestamp} />
      </div>
      {scope && <p class="small">{scope}</p>}
      <div class="row actions">
        {addressOf(node) && <a class="button" href={addressOf(node)}>{t("record.open")}</a>}
        {idOf(node).of === "record" && <Button onClick={() => void setPinned(idOf(node), !node.pinned, reload)}>{t(node.pinned ? "record.unpin" : "record.pin")}</Button>}
        {target && <Button kind="danger" onClick={() => setForget(true)}>{t("record.forget")}</Button>}
      </div>
      {forget && target && <Forget title={t("brain.forget", { text: node.label })} targets={[target]} onDone={() => setGone(true)} onClose={close} />}
    </Card>
  );
}

function targetOf(node: Node): Target | null {
  const { of, id } = idOf(node);
  if (of === "record") return { record: id };
  if (of === "session") return { session: id };
  return of === "affair" ? { affair: id } : null;
}

// addressOf returns where a node is read whole; a user has no page.
export function addressOf(node: Node): string {
  const { of, id } = idOf(node);
  if (of === "record") return to`/memory/${id}`;
  if (of === "session") return to`/s/${id}`;
  return of === "affair" ? to`/affairs/${id}` : "";
}
