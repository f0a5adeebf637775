// Refused says why a part cannot be shown: the service does not have it, the key is no admin's, or it failed.
import { ApiError } from "../core/api.ts";
import { to } from "../core/route.ts";
import { t } from "../core/text.ts";
import { Empty } from "../core/ui.tsx";
import { Failed } from "../parts/loaded.tsx";

export function Refused(p: { error: unknown; retry: () => void }) {
  const status = p.error instanceof ApiError ? p.error.status : 0;
  if (status === 404) return <Empty>{t("operation.not_here")}</Empty>;
  if (status === 403) return <Empty>{t("operation.admin_only")} <a href={`${to`/settings`}${to`/settings`.includes("?") ? "&" : "?"}part=keys`}>{t("settings.part.keys")}</a></Empty>;
  return <Failed error={p.error} retry={p.retry} />;
}
