/**
 * Keeps the reader's choices in the browser's storage. Access to it throws in browsers without storage and in pages in
 * a sandbox. A choice then lasts as long as the page.
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
    // The browser does not let this page store anything, so the value lasts only as long as the page.
  }
}
