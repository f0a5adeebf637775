// A session as a scenario file, to be looked through and taken away.
import { useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Button, Dialog, Field } from "../core/ui.tsx";
import { Failed, Loading, useLoaded } from "../parts/loaded.tsx";

export function Promote({ session, onClose }: { session: string; onClose: () => void }) {
  const [edited, setEdited] = useState<string | null>(null);
  const found = useLoaded((signal) => api.post("/api/v1/sessions/{session}/promote", { path: { session }, signal }), [session]);
  const text = edited ?? found.value?.scenario ?? "";
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toast(t("timeline.promote_copied"));
  };
  return (
    <Dialog title={t("timeline.promote")} onClose={onClose}>
      <p>{t("timeline.promote_says")}</p>
      {found.error ? <Failed error={found.error} retry={found.reload} /> : !found.value ? <Loading /> : (
        <>
          <div class="scenario"><Field label={t("timeline.scenario")} value={text} onInput={setEdited} rows={14} /></div>
          <footer>
            <Button onClick={() => void copy()}>{t("timeline.copy")}</Button>
            <Button kind="main" onClick={() => download(`${session}.yaml`, text)}>{t("timeline.download")}</Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}

function download(name: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  link.download = name;
  link.target = "_self"; // the page's own links are not this one's
  link.click();
  URL.revokeObjectURL(link.href);
}
