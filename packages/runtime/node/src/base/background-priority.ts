import { readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** A process whose priority is lower by this gets about a tenth of what another gets of a busy processor. */
const lowerBy = 10;
const lowestPriority = 19;
const capSysNice = 23n;

/** Lets a process that nobody waits for give way to those that somebody waits for. */
export interface BackgroundPriority {
  lower(pid: number): void;
  /** Gives the process the priority of this one. */
  restore(pid: number): void;
}

/**
 * Returns undefined where a process that was lowered could not be restored, as without CAP_SYS_NICE, and on systems
 * other than Linux.
 */
export function backgroundPriority(): BackgroundPriority | undefined {
  const own = getPriority();
  if (own >= lowestPriority || !mayRaiseTo(own)) return undefined;
  return {
    lower: (pid) => set(pid, Math.min(lowestPriority, own + lowerBy)),
    restore: (pid) => {
      // On Linux a priority belongs to a thread, and a new thread inherits that of the one that starts it. The main
      // thread, which starts the others, is listed first.
      for (const thread of threadsOf(pid)) set(thread, own);
    },
  };
}

/** Returns whether this process may set a priority from a lower one to that one. */
function mayRaiseTo(priority: number): boolean {
  const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(read("/proc/self/status"))?.[1];
  if (capabilities === undefined) return false;
  if (((BigInt(`0x${capabilities}`) >> capSysNice) & 1n) === 1n) return true;
  const limit = /^Max nice priority\s+(\d+)/m.exec(read("/proc/self/limits"))?.[1];
  // RLIMIT_NICE counts from 1 for priority 19 to 40 for priority -20.
  return 20 - Number(limit ?? 0) <= priority;
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    // The process has ended.
    return [];
  }
}

function set(id: number, priority: number): void {
  try {
    setPriority(id, priority);
  } catch {
    // The process or thread has ended.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
