// Light or dark: as the system is set, unless the person chose.
import { signal } from "@preact/signals";

const THEME = "kimberly.theme";

export type Theme = "light" | "dark";

function preferred(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function chosen(): Theme | undefined {
  const kept = localStorage.getItem(THEME);
  return kept === "light" || kept === "dark" ? kept : undefined;
}

export const theme = signal<Theme>(chosen() ?? preferred());

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

export function switchTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(THEME, theme.value);
  applyTheme();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  if (chosen()) return;
  theme.value = preferred();
  applyTheme();
});
