import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isProcessAlive } from "@palimpsest/std";

/** An environment variable that every process of a test's cluster inherits, whichever process started it. */
export const markName = "TEST_CLUSTER";

/** Returns whether the process lives. A zombie that waits for its parent does not count. */
export function isAlive(pid: number): boolean {
  return isProcessAlive(pid) && !isZombie(pid);
}

/** Returns every living process with this mark, from the process table, including orphans. */
export function markedProcesses(mark: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  const wanted = Buffer.from(`${markName}=${mark}`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(wanted) && isAlive(pid));
}

/** Returns the command line of a process, for messages. */
export function commandLine(pid: number): string {
  try {
    return `${pid}: ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()}`;
  } catch {
    return String(pid);
  }
}

function environmentOf(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    // The process has ended, or belongs to another user.
    return Buffer.alloc(0);
  }
}

function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/, ""));
  } catch {
    return false;
  }
}
