/** Under which name the answer of a path lies in an exported folder. */

/** Rows of one exported file of episodes; the page asks for as many at once. */
export const episodesAtOnce = 2_000;

export function staticName(path: string): string {
  const [route = "", query = ""] = path.split("?", 2);
  const from = new URLSearchParams(query).get("from");
  const parts = route.split("/").filter(Boolean).map(decodeURIComponent);
  const safe = parts.map((part) => encodeURIComponent(part).replaceAll(".", "%2E").replaceAll("%", "_"));
  return [...safe, ...(from === null ? [] : [`from-${Number(from)}`])].join("/");
}
