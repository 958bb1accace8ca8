/**
 * Measures what this machine and the processes of the node use. Processes are read from /proc, so on other systems than
 * Linux only the machine is measured.
 */
import { execFile } from "node:child_process";
import { readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@palimpsest/std";
import type * as proto from "@palimpsest/wire/protocol";
import { cpuTimes, memoryLook } from "./machine.js";

/** Milliseconds from one measurement to the next. */
export const useIntervalMs = 5_000;
/** Linux counts the time of processes in hundredths of a second on every architecture. */
const tickMs = 10;
const MiB = 2 ** 20;
const nvidiaTimeoutMs = 5_000;

export interface MeteredProcess {
  /** The actor, or the job. */
  readonly id: string;
  /** 0 while it is starting. */
  readonly pid: number;
}

export interface UseMeterOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** The folder whose file system is measured. */
  readonly folder: string;
  /** Whether nvidia-smi is asked. It is started only on nodes that offer GPUs. */
  readonly hasGpus: boolean;
  /** Default: /proc. */
  readonly processes?: string;
}

export class UseMeter {
  readonly #options: UseMeterOptions;
  #machine = cpuTimes();
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** The time that each process had spent at the previous measurement. */
  #spentMs = new Map<string, number>();
  #gpus: proto.GpuUse.$Properties[] = [];
  #asksGpus = false;

  constructor(options: UseMeterOptions) {
    this.#options = options;
  }

  /** Returns what was used since the previous measurement; undefined when it is not yet time for another one. */
  read(processes: () => readonly MeteredProcess[]): proto.MachineUse.$Properties | undefined {
    const { clock, folder, hasGpus } = this.#options;
    const nowMs = clock.monotonicMs();
    const elapsedMs = nowMs - this.#readAtMs;
    if (elapsedMs < useIntervalMs) return undefined;
    this.#readAtMs = nowMs;
    if (hasGpus) this.#askGpus();
    const before = this.#machine;
    this.#machine = cpuTimes();
    const total = this.#machine.total - before.total;
    const { totalBytes, availableBytes } = memoryLook();
    return {
      cpuPercent: total > 0 ? (100 * (this.#machine.busy - before.busy)) / total : 0,
      memoryUsedBytes: Math.max(0, totalBytes - availableBytes),
      memoryTotalBytes: totalBytes,
      ...diskUse(folder),
      gpus: this.#gpus,
      processes: this.#processes(processes(), elapsedMs),
    };
  }

  #processes(processes: readonly MeteredProcess[], elapsedMs: number): proto.ProcessUse.$Properties[] {
    const { processes: folder = "/proc" } = this.#options;
    const spentMs = new Map<string, number>();
    const found = processes.flatMap(({ id, pid }) => {
      const use = pid > 0 ? processUse(join(folder, String(pid))) : undefined;
      if (use === undefined) return [];
      // Another process of the same actor begins at 0 again.
      const key = `${id} ${pid}`;
      spentMs.set(key, use.spentMs);
      const before = this.#spentMs.get(key);
      const cpuPercent = before === undefined ? 0 : (100 * Math.max(0, use.spentMs - before)) / elapsedMs;
      return [{ id, cpuPercent, memoryBytes: use.memoryBytes }];
    });
    this.#spentMs = spentMs;
    return found;
  }

  /** Asks beside the heartbeat, which sends what was answered last: nvidia-smi takes up to a second. */
  #askGpus(): void {
    if (this.#asksGpus) return;
    this.#asksGpus = true;
    const query = ["--query-gpu=utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits"];
    execFile("nvidia-smi", query, { timeout: nvidiaTimeoutMs }, (error, stdout) => {
      this.#asksGpus = false;
      this.#gpus = error ? [] : gpuUse(stdout);
    });
  }
}

/** Parses the lines of nvidia-smi, whose memory is in MiB. A GPU that does not tell one of the numbers counts as 0 of it. */
export function gpuUse(text: string): proto.GpuUse.$Properties[] {
  const number = (field: string | undefined) => (Number.isFinite(Number(field)) ? Number(field) : 0);
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [percent, used, total] = line.split(",");
      return {
        percent: number(percent),
        memoryUsedBytes: number(used) * MiB,
        memoryTotalBytes: number(total) * MiB,
      };
    });
}

function diskUse(folder: string): Pick<proto.MachineUse.$Properties, "diskUsedBytes" | "diskTotalBytes"> {
  try {
    const { bsize, blocks, bfree } = statfsSync(folder);
    return { diskUsedBytes: (blocks - bfree) * bsize, diskTotalBytes: blocks * bsize };
  } catch {
    return {};
  }
}

/** Returns the time that a process has spent so far and its resident memory; undefined once it has ended. */
function processUse(folder: string): { readonly spentMs: number; readonly memoryBytes: number } | undefined {
  try {
    const stat = readFileSync(join(folder, "stat"), "utf8");
    // The name, in parentheses, may contain spaces; the fields after it are numbered from 3.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(join(folder, "status"), "utf8"))?.[1];
    return { spentMs: (user + system) * tickMs, memoryBytes: Number(resident ?? 0) * 1024 };
  } catch {
    return undefined;
  }
}
