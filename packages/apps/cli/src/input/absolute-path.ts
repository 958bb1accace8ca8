import { resolve } from "node:path";

/**
 * Makes the path of a flag absolute, because other processes that receive it, such as drivers of jobs, run in other
 * folders.
 */
export function absolutePath(path: string): string {
  return resolve(path);
}
