import { PalimpsestError } from "@palimpsest/wire";
import type { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import type { JobPlan } from "./job-driver.js";
import { Random } from "./random.js";
import type { World } from "./world.js";

/** Errors that faults explain. */
const expected = ["UNAVAILABLE", "GET_TIMEOUT", "CANCELLED"];

/** Submits jobs through the product's client and stops some of them. */
export class JobUser {
  readonly #world: World;
  readonly #name: string;
  readonly #random: Random;
  readonly #jobIds: string[] = [];
  #submitted = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
    this.#random = new Random(`${world.seed}/${name}/jobs`);
  }

  /** Returns whether this operation is one on jobs. */
  wants(): boolean {
    return this.#random.chance(0.15);
  }

  async operate({ jobs }: Cluster): Promise<void> {
    const jobId = this.#random.pick(this.#jobIds);
    try {
      if (jobId !== undefined && this.#random.chance(0.5)) await this.#stop(jobs, jobId);
      else await this.#submit(jobs);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      // An acknowledged job may be lost with the head that remembered it.
      const lost = error.code === "NOT_FOUND" && this.#world.losses.forGood > 0;
      if (lost || expected.includes(error.code)) return;
      this.#world.records.violation("ERRORS", `${this.#name} got ${error.message}, which no fault explains`);
    }
  }

  async #submit(jobs: Cluster["jobs"]): Promise<void> {
    const random = this.#random;
    const submissionId = `${this.#name}-job-${++this.#submitted}`;
    const plan: JobPlan = {
      runMs: random.chance(0.2) ? random.between(600_000, 3_600_000) : random.between(100, 300_000),
      exitCode: random.chance(0.2) ? 1 : 0,
    };
    const { losses } = this.#world.redis;
    const resources = { cpu: random.below(3) };
    const recipe = "simulated";
    await jobs.submit({ submissionId, recipe, argv: [JSON.stringify(plan)], resources });
    this.#world.story.tell(this.#name, () => `submitted ${submissionId} ${JSON.stringify(plan)}`);
    this.#jobIds.push(submissionId);
    this.#world.jobs.acknowledged(submissionId, losses);
  }

  async #stop(jobs: Cluster["jobs"], jobId: string): Promise<void> {
    this.#world.story.tell(this.#name, () => `stops ${jobId}`);
    const info = await jobs.stop(jobId);
    this.#world.jobs.stopAcknowledged(info);
  }
}
