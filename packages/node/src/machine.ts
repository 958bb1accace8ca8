/** What this machine has and how busy it is. */
import { execFile } from "node:child_process";
import { availableParallelism, cpus, freemem, totalmem } from "node:os";

const nvidiaProgram = "nvidia-smi";
const nvidiaTimeoutMs = 5_000;

export interface MachineOverrides {
  readonly cpus?: number | undefined;
  readonly gpus?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly resources: Readonly<Record<string, number>>;
}

/** Quantities to offer, by name; a resource of which there is none is left out. */
export async function detectResources(overrides: MachineOverrides): Promise<Record<string, number>> {
  const gpu = overrides.gpus ?? (await countGpus());
  return {
    ...overrides.resources,
    cpu: overrides.cpus ?? availableParallelism(),
    memory: overrides.memoryBytes ?? memoryBytes(),
    ...(gpu > 0 ? { gpu } : {}),
  };
}

/** Memory of the machine, or of its container when that has less. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}

/** GPUs that nvidia-smi lists; 0 without it. */
function countGpus(): Promise<number> {
  return new Promise((resolve) => {
    execFile(nvidiaProgram, ["--list-gpus"], { timeout: nvidiaTimeoutMs }, (error, stdout) => {
      resolve(error ? 0 : stdout.split("\n").filter((line) => line.startsWith("GPU ")).length);
    });
  });
}

/** Measures CPU use since the last time it was asked. */
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
