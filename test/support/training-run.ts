import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StepReport } from "@palimpsest/trainer";
import { RunQueues } from "@palimpsest/trajectories";
import type { Command, CommandEnd } from "./command.js";
import type { TestCluster } from "./test-cluster.js";
import { GivenUp, type UntilOptions, until } from "./until.js";

/** One `palimpsest train`, observed from outside: its process, its folder, its queues. */
export class TrainingRun {
  readonly driver: Command;
  readonly folder: string;
  readonly #cluster: TestCluster;

  private constructor(cluster: TestCluster, driver: Command, folder: string) {
    this.#cluster = cluster;
    this.driver = driver;
    this.folder = folder;
  }

  static start(
    cluster: TestCluster,
    recipe: string,
    folder: string,
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): TrainingRun {
    const driver = cluster.start(["train", recipe, "--run-dir", folder, ...args], environment);
    return new TrainingRun(cluster, driver, folder);
  }

  get runId(): string {
    return (JSON.parse(readFileSync(join(this.folder, "run.json"), "utf8")) as { runId: string }).runId;
  }

  /** The reports of the finished steps. */
  get steps(): readonly StepReport[] {
    const file = join(this.folder, "metrics.jsonl");
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n");
    // The last piece is empty, or a line that is still being written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as StepReport);
  }

  /** Waits for a condition during the run; fails at once if the run ends before. */
  async until<T>(
    what: string,
    look: () => T | undefined | false | Promise<T | undefined | false>,
    options: UntilOptions = {},
  ): Promise<T> {
    return await until(
      what,
      () => {
        if (!this.driver.running) throw new GivenUp(`the run ended before: ${what}\n${this.driver.output}`);
        return look();
      },
      { everyMs: 15, explain: () => this.driver.output, ...options },
    );
  }

  /** Waits until the driver has written that step; a short run may have ended since. */
  async untilStep(step: number): Promise<void> {
    const isWritten = () => this.steps.some((report) => report.step >= step);
    if (isWritten()) return;
    await this.until(`step ${step}`, isWritten);
  }

  /** Waits for the driver's end. A run that hangs is an error with its output. */
  async end(options: UntilOptions = {}): Promise<CommandEnd> {
    await until("the run ends", () => !this.driver.running, {
      explain: () => this.driver.output,
      ...options,
    });
    return await this.driver.ended;
  }

  /** Reads the run's queues, which remain after the run. */
  async withQueues<T>(use: (queues: RunQueues) => Promise<T>): Promise<T> {
    const { redisUrl } = await this.#cluster.client.info();
    const queues = await RunQueues.open({ redisUrl, runId: this.runId });
    try {
      return await use(queues);
    } finally {
      await queues.close();
    }
  }
}
