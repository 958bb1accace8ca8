/**
 * Responsibility: which bundles are still referred to, and the removal of the others.
 * Not responsible for: the files (bundles.ts).
 */

import { type Clock, every } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import type { Bundles } from "../store/bundles.js";
import type { ActorTable } from "../tables/actor-table.js";
import { bundlesOf, type Submission } from "../tables/job.js";
import type { JobTable } from "../tables/job-table.js";
import { environmentBundles } from "../tables/runtime-environment.js";

const sweepEveryMs = 3_600_000;

export interface UsedBundlesDeps {
  readonly bundles: Bundles;
  readonly actors: ActorTable;
  readonly jobs: JobTable;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The milliseconds for which unused bundles are kept. */
  readonly keepMs: number;
}

export class UsedBundles {
  readonly #deps: UsedBundlesDeps;
  readonly #stopSweeping: () => void;

  constructor(deps: UsedBundlesDeps) {
    this.#deps = deps;
    deps.jobs.onForgotten((_, submission) => submission && this.#forgotten(submission));
    this.#stopSweeping = every(deps.clock, sweepEveryMs, () => this.sweep());
  }

  sweep(): void {
    const { bundles, logger, keepMs } = this.#deps;
    const used = this.#used();
    bundles
      .sweep((sha256) => used.has(sha256), keepMs)
      .then(
        (removed) => removed > 0 && logger.info({ removed }, "bundles that nothing uses removed"),
        (reason: unknown) => logger.warn({ err: reason }, "bundles not swept"),
      );
  }

  close(): void {
    this.#stopSweeping();
  }

  /** Removes the bundles of a job that is no longer remembered. */
  #forgotten(submission: Submission): void {
    const { bundles, logger } = this.#deps;
    for (const sha256 of bundlesOf(submission)) {
      if (this.#used().has(sha256)) continue;
      bundles.remove(sha256).catch((reason: unknown) => {
        logger.warn({ err: reason, sha256 }, "bundle of a forgotten job not removed");
      });
    }
  }

  /** Returns the hashes of the bundles of remembered jobs and of actors that are not dead. */
  #used(): Set<string> {
    const used = new Set([...this.#deps.jobs.submissions()].flatMap(bundlesOf));
    for (const { spec, state } of this.#deps.actors.all()) {
      if (state === "DEAD") continue;
      for (const sha256 of environmentBundles(spec)) used.add(sha256);
      if (spec.code.bundle) used.add(spec.code.bundle);
    }
    return used;
  }
}
