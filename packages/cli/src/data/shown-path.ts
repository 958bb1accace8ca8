import { relative } from "node:path";

/** A path as it is told: from where the command runs, unless that is far away. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith("../..") ? path : near;
}
