// Light or dark: as the system says, unless chosen here.
import { effect, signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";

export const theme = signal((localStorage.getItem("mneme.theme") ?? "auto") as Theme);

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem("mneme.theme", theme.value);
});
