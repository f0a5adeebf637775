// Choosing whose memory is shown, for a key that may name any user.
import { useState } from "preact/hooks";
import { go } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button, Field } from "../core/ui.tsx";

export function Whose() {
  const [name, setName] = useState(user.value);
  const submit = (e: Event) => {
    e.preventDefault();
    go(name.trim() ? `/?user=${encodeURIComponent(name.trim())}` : "/");
  };
  return (
    <form class="whose" onSubmit={submit}>
      <Field label={t("shell.user")} value={name} onInput={setName} placeholder={t("shell.user_own")} />
      <Button type="submit">{t("shell.user_show")}</Button>
    </form>
  );
}
