/** Samples the resident sets of processes over time, to show whether they stay flat. */
import { readFileSync } from "node:fs";

export interface MemoryRow {
  readonly process: string;
  readonly rssStartMiB: number;
  readonly rssEndMiB: number;
  /** The lowest value in each fifth of the time, which is what remains after a garbage collection. */
  readonly rssLowestMiBByFifths: readonly number[];
}

function residentMiB(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

export class MemoryWatch {
  readonly #samples: Map<string, number[]>;
  readonly #pids: ReadonlyMap<string, number>;
  readonly #timer: NodeJS.Timeout;

  /** @param pids process ids by the names of the processes */
  constructor(pids: ReadonlyMap<string, number>, everyMs: number) {
    this.#pids = pids;
    this.#samples = new Map([...pids.keys()].map((name) => [name, []]));
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), everyMs);
  }

  /** Stops sampling and returns the rows. */
  rows(): readonly MemoryRow[] {
    clearInterval(this.#timer);
    this.#sample();
    return [...this.#samples].map(([process, samples]) => {
      const size = Math.max(1, Math.ceil(samples.length / 5));
      const lowest = [0, 1, 2, 3, 4].map((fifth) =>
        Math.round(Math.min(...samples.slice(fifth * size, (fifth + 1) * size))),
      );
      return {
        process,
        rssStartMiB: Math.round(samples[0] ?? 0),
        rssEndMiB: Math.round(samples.at(-1) ?? 0),
        rssLowestMiBByFifths: lowest,
      };
    });
  }

  #sample(): void {
    for (const [name, pid] of this.#pids) this.#samples.get(name)?.push(residentMiB(pid));
  }
}
