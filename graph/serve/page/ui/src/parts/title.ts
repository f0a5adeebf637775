// useTitle names the browser's tab.
import { useEffect } from "preact/hooks";

export function useTitle(text: string) {
  useEffect(() => { document.title = `${text} – Mneme`; }, [text]);
}
