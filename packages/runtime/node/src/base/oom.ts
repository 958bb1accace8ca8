/**
 * The interface to Linux's out-of-memory killer: whether it killed a process, and which processes it should prefer.
 * On other systems nothing is known.
 */
import { readFileSync, writeFileSync } from "node:fs";

const childScore = 300;
const maxScore = 1_000;

/** Makes the kernel prefer this child to the node, whose end would end all the others. */
export function preferForOomKill(pid: number): void {
  const own = Number(read("/proc/self/oom_score_adj"));
  if (!Number.isInteger(own)) return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(Math.min(maxScore, own + childScore)));
  } catch {
    // The process has ended already, or this system does not allow it.
  }
}

/**
 * Returns how many processes the out-of-memory killer has killed, in this control group or on the machine; undefined if
 * unknown.
 */
export function oomKills(): number | undefined {
  const group = /^0::(.*)$/m.exec(read("/proc/self/cgroup"))?.[1];
  const files = [...(group === undefined ? [] : [`/sys/fs/cgroup${group}/memory.events`]), "/proc/vmstat"];
  const counts = files.flatMap((path) => /^oom_kill (\d+)$/m.exec(read(path))?.[1] ?? []);
  return counts.length === 0 ? undefined : Math.max(...counts.map(Number));
}

/** Returns why a process may have been killed by a SIGKILL that this node did not send. */
export function killHint(killsBefore: number | undefined, killsNow: number | undefined): string {
  if (killsBefore !== undefined && killsNow !== undefined && killsNow > killsBefore)
    return ", most likely by the kernel's out-of-memory killer, which acted on this machine while it ran: give it more memory";
  return ", not by its node: the kernel's out-of-memory killer is a usual cause";
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
