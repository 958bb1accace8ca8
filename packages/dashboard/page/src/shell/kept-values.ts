/**
 * What the reader has chosen, kept by the browser. Browsers without storage, and pages in a sandbox, throw as soon as
 * storage is accessed. A choice then lasts as long as the page.
 */
export function keptValue(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keepValue(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It lasts as long as the page.
  }
}
