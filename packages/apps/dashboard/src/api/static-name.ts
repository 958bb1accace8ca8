/** Maps a path to the name of its answer in an exported folder. */

/** Number of rows in one exported file of episodes; the page requests as many at once. */
export const episodesAtOnce = 2_000;

export function staticName(path: string): string {
  const [route = "", query = ""] = path.split("?", 2);
  const from = new URLSearchParams(query).get("from");
  const parts = route.split("/").filter(Boolean).map(decodeURIComponent);
  const safe = parts.map((part) => encodeURIComponent(part).replaceAll(".", "%2E").replaceAll("%", "_"));
  return [...safe, ...(from === null ? [] : [`from-${Number(from)}`])].join("/");
}
