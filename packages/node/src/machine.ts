/** Determines the resources of this machine and measures its load. */
import { availableParallelism, cpus, freemem, totalmem } from "node:os";

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
    cpu: overrides.cpus ?? availableParallelism(),
    memory: overrides.memoryBytes ?? memoryBytes(),
    ...(overrides.gpus > 0 ? { gpu: overrides.gpus } : {}),
  };
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

/** Measures CPU use since the previous call. */
export class LoadMeter {
  #previous = cpuTimes();

  read(): { readonly cpuPercent: number; readonly memoryUsedBytes: number } {
    const now = cpuTimes();
    const total = now.total - this.#previous.total;
    const busy = now.busy - this.#previous.busy;
    this.#previous = now;
    return {
      cpuPercent: total > 0 ? (100 * busy) / total : 0,
      memoryUsedBytes: totalmem() - freemem(),
    };
  }
}

function cpuTimes(): { readonly busy: number; readonly total: number } {
  let busy = 0;
  let total = 0;
  for (const { times } of cpus()) {
    const active = times.user + times.nice + times.sys + times.irq;
    busy += active;
    total += active + times.idle;
  }
  return { busy, total };
}
