import { type ChildProcess, spawn } from "node:child_process";

/** Records the highest `memory.used` of the first GPU while it runs, in MiB; undefined without nvidia-smi. */
export class GpuMemoryWatch {
  readonly #child: ChildProcess;
  #peak = Number.NaN;

  constructor() {
    const query = ["-i", "0", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-lms", "250"];
    this.#child = spawn("nvidia-smi", query, { stdio: ["ignore", "pipe", "ignore"] });
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
