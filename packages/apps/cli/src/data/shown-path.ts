import { relative } from "node:path";

/** Returns a path for display: relative to the working directory, unless that is far away. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith("../..") ? path : near;
}
