/** The theme follows the system until the reader chooses one. */
const key = "palimpsest-theme";

/**
 * Browsers without storage, and pages in a sandbox, throw as soon as storage is accessed. The theme then lasts as long
 * as the page.
 */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

export function restoreTheme(): void {
  const kept = storage()?.getItem(key);
  if (kept === "dark" || kept === "light") document.documentElement.dataset["theme"] = kept;
}

export function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  storage()?.setItem(key, next);
  dispatchEvent(new Event("palimpsest-theme"));
}
