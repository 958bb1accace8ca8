/**
 * Whether keys without Ctrl or Alt act. Whoever speaks to the computer, or hits keys by accident, can turn them off (WCAG
 * 2.1.4).
 */
import { signal } from "@preact/signals";
import { keepValue, keptValue } from "./kept-values.js";

const key = "palimpsest-single-keys";

export const singleKeys = signal(keptValue(key) !== "off");

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  keepValue(key, on ? "on" : "off");
}

/** Returns whether a pressed key is one of the pages' own: it is not typed, not meant for the browser, and not behind a dialog. */
export function isOwnKey(event: KeyboardEvent): boolean {
  if (!singleKeys.value || event.ctrlKey || event.metaKey || event.altKey) return false;
  const typing = event.target instanceof Element && event.target.matches("input,select,textarea");
  return !typing && document.querySelector("dialog[open]") === null;
}
