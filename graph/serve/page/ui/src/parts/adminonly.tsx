// AdminOnly says that a part needs another key, and leads to the form that takes one.
import { signOut } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button } from "../core/ui.tsx";

export function AdminOnly() {
  return (
    <div class="card">
      <p>{t("parts.admin_only")}</p>
      <Button onClick={() => void signOut()}>{t("parts.other_key")}</Button>
    </div>
  );
}
