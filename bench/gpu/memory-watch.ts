import { type ChildProcess, execFileSync, spawn } from "node:child_process";

const query = ["-i", "0", "--query-gpu=memory.used", "--format=csv,noheader,nounits"];

/** Memory in use of the first GPU, in MiB; undefined without nvidia-smi. */
export function usedMiB(): number | undefined {
  try {
    return Number(execFileSync("nvidia-smi", query, { encoding: "utf8", stdio: "pipe" }));
  } catch {
    return undefined;
  }
}

/** Records the highest `memory.used` of the first GPU while it runs, in MiB; undefined without nvidia-smi. */
export class GpuMemoryWatch {
  readonly #child: ChildProcess;
  #peak = Number.NaN;

  constructor() {
    this.#child = spawn("nvidia-smi", [...query, "-lms", "250"], { stdio: ["ignore", "pipe", "ignore"] });
    this.#child.on("error", () => undefined);
    this.#child.stdout?.on("data", (text: Buffer) => {
      for (const line of text.toString().trim().split("\n"))
        this.#peak = Number.isNaN(this.#peak) ? Number(line) : Math.max(this.#peak, Number(line));
    });
  }

  end(): number | undefined {
    this.#child.kill();
    return Number.isNaN(this.#peak) ? undefined : this.#peak;
  }
}
