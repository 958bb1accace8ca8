import { makeHermetic } from "../world/hermetic.js";
import { Random } from "../world/random.js";
import { Violation } from "../world/violation.js";
import { RunPlant } from "./run-plant.js";
import type { RunRecords } from "./run-records.js";
import { RunWorld } from "./run-world.js";

export interface RunOfSeed {
  readonly seed: number;
  readonly hash: number;
  readonly story: readonly string[];
  readonly violation: Violation | undefined;
  readonly simulatedMs: number;
  readonly events: number;
  readonly counts: RunRecords["counts"];
}

/**
 * Simulates one training run. The result is a function of its arguments alone.
 * @throws the signal's reason
 */
export async function simulateRun(
  seed: number,
  {
    plant = new RunPlant(),
    keepStory = false,
    signal,
  }: { plant?: RunPlant; keepStory?: boolean; signal?: AbortSignal } = {},
): Promise<RunOfSeed> {
  signal?.throwIfAborted();
  const world = new RunWorld(seed, plant, keepStory);
  const restore = makeHermetic(world.scheduler, new Random(`${seed}/product`));
  const unhandled = (reason: unknown) => {
    world.scheduler.fail(
      new Violation("REJECTIONS", reason instanceof Error ? (reason.stack ?? "") : String(reason)),
    );
  };
  process.on("unhandledRejection", unhandled);
  const stop = () => world.scheduler.fail(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  let violation: Violation | undefined;
  try {
    await world.live();
  } catch (reason) {
    signal?.throwIfAborted();
    violation =
      reason instanceof Violation
        ? reason
        : new Violation("CRASH", (reason as Error).stack ?? String(reason));
  } finally {
    restore();
    process.off("unhandledRejection", unhandled);
    signal?.removeEventListener("abort", stop);
  }
  const { scheduler, story, records } = world;
  const { hash, nowMs: simulatedMs, events } = scheduler;
  return { seed, hash, story: story.lines, violation, simulatedMs, events, counts: records.counts };
}
