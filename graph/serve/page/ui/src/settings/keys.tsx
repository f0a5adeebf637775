// The access keys of the client. A key is shown once, when it is made.
import { useState } from "preact/hooks";
import { api, ApiError, type Schemas } from "../core/api.ts";
import { t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Button, Check, Chip, Confirm, Dialog, Field, Select, Time } from "../core/ui.tsx";
import { AdminOnly } from "../parts/adminonly.tsx";
import { doing, Failed, Loading, useLoaded } from "../parts/loaded.tsx";

type AccessKey = Schemas["AccessKey"];

const roles = ["read", "write", "admin", "delegating"] as const;
type Role = (typeof roles)[number];

export function Keys() {
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState("");
  const found = useLoaded(async (signal) => (await api.get("/api/v1/access-keys", { signal })).items ?? [], []);
  if (found.error instanceof ApiError && found.error.status === 403) return <AdminOnly />;
  if (found.error) return <Failed error={found.error} retry={found.reload} />;
  if (!found.value) return <Loading />;
  const show = (key: string) => {
    setMade(key);
    found.reload();
  };
  return (
    <>
      <p><Button kind="main" onClick={() => setOpen(true)}>{t("keys.create")}</Button></p>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("settings.part.keys")}>
        <table class="keys">
          <thead><tr><th>{t("keys.id")}</th><th>{t("keys.note")}</th><th>{t("keys.roles")}</th><th>{t("keys.user")}</th><th>{t("keys.made")}</th><th>{t("keys.used")}</th><th>{t("keys.ends")}</th><th><span class="hidden">{t("keys.actions")}</span></th></tr></thead>
          <tbody>{found.value.map((k) => <Row key={k.id} k={k} onMade={show} reload={found.reload} />)}</tbody>
        </table>
      </div>
      {open && <Create onClose={() => setOpen(false)} onMade={(key) => { setOpen(false); show(key); }} />}
      {made && <Made secret={made} onClose={() => setMade("")} />}
    </>
  );
}

function past(at: string | undefined): boolean {
  return at !== undefined && !at.startsWith("0001") && new Date(at) <= new Date();
}

function Row({ k, onMade, reload }: { k: AccessKey; onMade: (key: string) => void; reload: () => void }) {
  const [ask, setAsk] = useState<"" | "rotate" | "revoke">("");
  const over = past(k.revoked_at) || past(k.expires_at);
  const rotate = () => doing(async () => onMade((await api.post("/api/v1/access-keys/{key}/rotate", { path: { key: k.id }, body: {} })).access_key));
  const revoke = async () => {
    if (!(await doing(() => api.delete("/api/v1/access-keys/{key}", { path: { key: k.id } })))) return;
    toast(t("keys.revoked", { id: k.id }));
    reload();
  };
  return (
    <tr>
      <td><code>{k.id}</code></td>
      <td>{k.note}</td>
      <td>{(k.roles ?? []).map((r) => <Chip key={r}>{r}</Chip>)}</td>
      <td>{k.user_id || t("keys.any_user")}</td>
      <td><Time at={k.created_at} /></td>
      <td><Time at={k.last_used_at} /></td>
      <td>{past(k.revoked_at) ? <Chip kind="bad">{t("keys.is_revoked")}</Chip> : <Time at={k.expires_at} />}</td>
      <td><div class="row nowrap">
        {!over && <Button label={t("keys.rotate_of", { id: k.id })} onClick={() => setAsk("rotate")}>{t("keys.rotate")}</Button>}
        {!over && <Button kind="danger" label={t("keys.revoke_of", { id: k.id })} onClick={() => setAsk("revoke")}>{t("keys.revoke")}</Button>}
        {ask === "rotate" && <Confirm title={t("keys.rotate_of", { id: k.id })} text={<p>{t("keys.rotate_says")}</p>} action={t("keys.rotate")} onClose={() => setAsk("")} onConfirm={() => void rotate()} />}
        {ask === "revoke" && <Confirm title={t("keys.revoke_of", { id: k.id })} text={<p>{t("keys.revoke_says")}</p>} action={t("keys.revoke")} typed={k.id} onClose={() => setAsk("")} onConfirm={() => void revoke()} />}
      </div></td>
    </tr>
  );
}

const day = 24 * 3600 * 1000;
const lengths = ["0", "30", "90", "365"] as const;

function Create(p: { onClose: () => void; onMade: (key: string) => void }) {
  const [has, setHas] = useState<ReadonlySet<Role>>(new Set<Role>(["read", "write"]));
  const [user, setUser] = useState("");
  const [note, setNote] = useState("");
  const [days, setDays] = useState<(typeof lengths)[number]>("0");
  const submit = (e: Event) => {
    e.preventDefault();
    const ends = days === "0" ? {} : { expires_at: new Date(Date.now() + Number(days) * day).toISOString() };
    const body = { roles: [...has], note: note.trim(), ...(user.trim() ? { user_id: user.trim() } : {}), ...ends };
    void doing(async () => p.onMade((await api.post("/api/v1/access-keys", { body })).access_key));
  };
  const toggle = (role: Role, on: boolean) => {
    const next = new Set(has);
    if (on) next.add(role);
    else next.delete(role);
    setHas(next);
  };
  return (
    <Dialog title={t("keys.create")} onClose={p.onClose}>
      <form onSubmit={submit}>
        <fieldset><legend>{t("keys.roles")}</legend>{roles.map((r) => <Check key={r} label={t(`role.${r}`)} value={has.has(r)} onChange={(on) => toggle(r, on)} />)}</fieldset>
        <Field label={t("keys.user_says")} value={user} onInput={setUser} />
        <Field label={t("keys.note")} value={note} onInput={setNote} />
        <Select label={t("keys.ends")} value={days} options={lengths.map((n) => [n, n === "0" ? t("keys.never") : t("retired.days", { n: Number(n) })] as const)} onChange={setDays} />
        <footer>
          <Button onClick={p.onClose}>{t("ui.cancel")}</Button>
          <Button kind="main" type="submit" disabled={has.size === 0}>{t("keys.create")}</Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Made({ secret, onClose }: { secret: string; onClose: () => void }) {
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    toast(t("keys.copied"));
  };
  return (
    <Dialog title={t("keys.made_title")} onClose={onClose}>
      <p>{t("keys.once")}</p>
      <pre class="secret" tabIndex={0}>{secret}</pre>
      <footer><Button onClick={() => void copy()}>{t("timeline.copy")}</Button><Button kind="main" onClick={onClose}>{t("keys.kept")}</Button></footer>
    </Dialog>
  );
}
