// The form in front of everything: an access key.
import { useState } from "preact/hooks";
import { refused, signIn } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button, Field } from "../core/ui.tsx";
import { LanguageAndTheme } from "./looks.tsx";

export function SignIn() {
  const [key, setKey] = useState("");
  const submit = async (e: Event) => {
    e.preventDefault();
    await signIn(key.trim());
  };
  return (
    <main class="signin">
      <h1>Mneme</h1>
      <p>{t("signin.text")}</p>
      <form onSubmit={submit}>
        <Field label={t("signin.key")} secret value={key} onInput={setKey} focus />
        {refused.value && <p class="error" role="alert">{t("signin.wrong")}</p>}
        <Button kind="main" type="submit" disabled={!key.trim()}>{t("signin.enter")}</Button>
      </form>
      <LanguageAndTheme />
    </main>
  );
}
