import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isProcessAlive } from "@palimpsest/wire";

/** Environment variable that every process of a test's cluster inherits, whoever started it. */
export const markName = "TEST_CLUSTER";

/** A process that has ended and waits for its parent does not count. */
export function isAlive(pid: number): boolean {
  return isProcessAlive(pid) && !isZombie(pid);
}

/** Every living process with this mark, from the table of processes: also those that nobody knows any more. */
export function markedProcesses(mark: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  const wanted = Buffer.from(`${markName}=${mark}`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(wanted) && isAlive(pid));
}

/** What a process was started as, for messages. */
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
    // It ended, or belongs to somebody else.
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
