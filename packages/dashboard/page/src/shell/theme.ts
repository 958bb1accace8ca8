/** Light or dark: as the system wants it, until the reader says otherwise. */
const key = "palimpsest-theme";

export function restoreTheme(): void {
  const kept = localStorage.getItem(key);
  if (kept === "dark" || kept === "light") document.documentElement.dataset["theme"] = kept;
}

export function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  localStorage.setItem(key, next);
  dispatchEvent(new Event("palimpsest-theme"));
}
