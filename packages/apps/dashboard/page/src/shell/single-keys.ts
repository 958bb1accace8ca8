/**
 * Keeps whether single keys, without Ctrl or Alt, act as shortcuts. People who use speech input, or hit keys by
 * accident, can turn them off (WCAG 2.1.4).
 */
import { signal } from "@preact/signals";
import { keepValue, keptValue } from "./kept-values.js";

const key = "palimpsest-single-keys";

export const singleKeys = signal(keptValue(key) !== "off");

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  keepValue(key, on ? "on" : "off");
}

/** Returns whether a key is one of the shortcuts: it is not typed, not for the browser, and no dialog is open. */
export function isOwnKey(event: KeyboardEvent): boolean {
  if (!singleKeys.value || event.ctrlKey || event.metaKey || event.altKey) return false;
  const typing = event.target instanceof Element && event.target.matches("input,select,textarea");
  return !typing && document.querySelector("dialog[open]") === null;
}
