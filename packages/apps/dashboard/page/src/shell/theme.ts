/** The theme follows the system until the reader chooses one. */
import { keepValue, keptValue } from "./kept-values.js";

const key = "palimpsest-theme";

export function restoreTheme(): void {
  const kept = keptValue(key);
  if (kept === "dark" || kept === "light") document.documentElement.dataset["theme"] = kept;
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  keepValue(key, next);
  dispatchEvent(new Event("palimpsest-theme"));
}
