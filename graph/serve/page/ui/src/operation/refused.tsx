// Refused says why a part cannot be shown: the service does not have it, the key is no admin's, or it failed.
import { ApiError } from "../core/api.ts";
import { t } from "../core/text.ts";
import { Empty } from "../core/ui.tsx";
import { AdminOnly } from "../parts/adminonly.tsx";
import { Failed } from "../parts/loaded.tsx";

export function Refused(p: { error: unknown; retry: () => void }) {
  const status = p.error instanceof ApiError ? p.error.status : 0;
  if (status === 404) return <Empty>{t("operation.not_here")}</Empty>;
  if (status === 403) return <AdminOnly />;
  return <Failed error={p.error} retry={p.retry} />;
}
