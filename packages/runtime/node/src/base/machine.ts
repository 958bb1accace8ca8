/** Determines the resources of this machine, or of the container in which this process runs, and what is in use of it. */
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";

export interface MachineOverrides {
  readonly cpus?: number | undefined;
  /** The number of GPUs found. */
  readonly gpus: number;
  readonly memoryBytes?: number | undefined;
  readonly resources: Readonly<Record<string, number>>;
}

/** Returns the quantities to offer, by name. Resources with a quantity of 0 are left out. */
export function detectResources(overrides: MachineOverrides): Record<string, number> {
  return {
    ...overrides.resources,
    cpu: overrides.cpus ?? cpuCount(),
    memory: overrides.memoryBytes ?? memoryBytes(),
    ...(overrides.gpus > 0 ? { gpu: overrides.gpus } : {}),
  };
}

/**
 * Returns how many CPUs this process may use: those of the machine, or fewer if its container has a quota, of which
 * Node.js 20 knows nothing. Part of a CPU counts as one, because a process cannot ask for less.
 */
export function cpuCount(groups = "/sys/fs/cgroup"): number {
  const quota = cpuQuota(groups);
  const most = availableParallelism();
  return quota === undefined ? most : Math.min(most, Math.max(1, Math.floor(quota)));
}

/** Returns the quota of the control group in CPUs; undefined if it has none. */
function cpuQuota(groups: string): number | undefined {
  const [quota, period] = textOf(join(groups, "cpu.max")).split(" ");
  if (quota) return cpusOf(Number(quota), Number(period));
  // Version 1 of control groups.
  const folder = join(groups, "cpu");
  const number = (name: string) => Number(textOf(join(folder, name)));
  return cpusOf(number("cpu.cfs_quota_us"), number("cpu.cfs_period_us"));
}

/** "max" in version 2, and -1 in version 1, is no quota. */
function cpusOf(quotaUs: number, periodUs: number): number | undefined {
  return quotaUs > 0 && periodUs > 0 ? quotaUs / periodUs : undefined;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/** Returns the memory of the machine, or of its container if that has less. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}

export interface MemoryLook {
  readonly totalBytes: number;
  /** The memory that processes may still allocate. */
  readonly availableBytes: number;
}

export function memoryLook(): MemoryLook {
  return { totalBytes: memoryBytes(), availableBytes: process.availableMemory() };
}

/** Returns the time that the machine's CPUs have spent so far, busy and in total. */
export function cpuTimes(): { readonly busy: number; readonly total: number } {
  let busy = 0;
  let total = 0;
  for (const { times } of cpus()) {
    const active = times.user + times.nice + times.sys + times.irq;
    busy += active;
    total += active + times.idle;
  }
  return { busy, total };
}
