/** The reader's location is the part of the address behind #, so that links work with and without a server. */
import { computed, signal } from "@preact/signals";

export interface Place {
  /** The decoded parts of the path. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
});

export const place = computed<Place>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?", 2);
  return { parts: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
});

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns a link to a location. */
export function linkTo(parts: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const kept = Object.entries(query).filter(([, value]) => value !== "");
  const text = new URLSearchParams(kept).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

/** Navigates to a link. `replace` adds no history entry, for filters that are being typed. */
export function goTo(link: string, { replace = false } = {}): void {
  if (location.hash === link) return;
  if (replace) {
    history.replaceState(null, "", link);
    hash.value = link;
  } else location.hash = link;
}

/** Returns the current location with other values in its query. */
export function withQuery(values: Readonly<Record<string, string>>): string {
  const { parts, query } = place.value;
  return linkTo(parts, { ...Object.fromEntries(query), ...values });
}
