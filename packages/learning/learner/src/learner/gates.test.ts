import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadBackend } from "@palimpsest/jit";
import { hashWeights } from "@palimpsest/model";
import type { Group } from "@palimpsest/trajectories";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import type { LearnerConfigInput } from "../config/config.js";
import { tokenStatistics } from "../loss/metrics.js";
import { createLearner, type LearnerOptions } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import type { Learner } from "./learner.js";
import { readStepDump, replayStep } from "./replay.js";

const backend = await loadBackend();
function aLearner(config: Partial<LearnerConfigInput>, options: Partial<LearnerOptions> = {}): Learner {
  const learner = createLearner({
    backend,
    config: tinyConfig(config),
    model: tinyModel,
    parameters: tinyParameters(),
    objectives: ["policy"],
    ...options,
  });
  onTestFinished(() => learner.close());
  return learner;
}
const untrained = () => hashWeights(tinyParameters());

it("a deterministic learner is refused where the backend was loaded without it", () => {
  const given = { ...backend, deterministic: false };
  const options = { backend: given, model: tinyModel, parameters: tinyParameters() };
  expect(() => createLearner({ ...options, config: tinyConfig({ deterministic: true }) })).toThrow(
    /CONFIG_INVALID.*deterministic is true.*loadBackend\(\{ deterministic: true \}\) before/,
  );
});

/** A group of this version whose sampler is `nats` more certain of every token than `randomGroups` has it. */
const sampledBy = (policyVersion: number, nats: number, members = 4): Group[] =>
  randomGroups(1, 1, members).map((group) => ({
    ...group,
    members: group.members.map((member) => ({
      ...member,
      trajectory: {
        ...member.trajectory,
        conversations: member.trajectory.conversations.map((each) => ({
          ...each,
          policyVersion,
          rolloutLogprobs: Array.from(each.rolloutLogprobs, (logprob) => logprob + nats),
        })),
      },
    })),
  }));

/** Updates by groups as far apart as `nats` says, with weights that stay; returns the errors. */
async function updatesOf(learner: Learner, nats: readonly number[]): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const apart of nats)
    await learner
      .update(sampledBy(learner.policyVersion, apart))
      .catch((error: unknown) => errors.push(error));
  return errors;
}

describe.each(["graph", "xla"] as const)("the gate between sampler and learner, in %s", (mode) => {
  const still = { schedule: { learningRate: 1e-30 }, buckets: [{ rows: 8, length: 12 }] };

  it("judges the mean of eight updates: one of unusual texts passes, several do not, other weights never", async () => {
    const probe = aLearner(still, { mode });
    const usual = await probe.update(sampledBy(0, 0));
    const given = { ...still, maxLogprobDifference: 1.2 * usual.freshLogprobDifferenceMean };
    const other = aLearner(given, { mode });
    expect(await updatesOf(other, [-4])).toMatchObject([{ code: "LOGPROB_MISMATCH" }]);
    const learner = aLearner(given, { mode });
    expect(await updatesOf(learner, [0, 0, 0, 0, -4, 0, 0])).toEqual([]);
    const [error] = await updatesOf(learner, [-4, -4]);
    expect(error).toMatchObject({
      code: "LOGPROB_MISMATCH",
      message: expect.stringMatching(/of the last 8 updates \(by [\d.]+ in this one\)/),
    });
    expect(await updatesOf(other, [0, 0, 0, 0, 0, 0, 0, -30])).toHaveLength(1);
    // What was refused is not counted, so that the run goes on with rows of the right weights.
    expect(await updatesOf(other, [0])).toEqual([]);
  });

  it("does not hide few tokens of other weights behind many that agreed", async () => {
    const learner = aLearner({ ...still, maxLogprobDifference: 4 }, { mode });
    const { freshTokens } = await learner.update(sampledBy(0, 0, 32));
    const off = learner.update(sampledBy(learner.policyVersion, -40, 2));
    await expect(off).rejects.toMatchObject({ code: "LOGPROB_MISMATCH" });
    const agreed = await learner.update(sampledBy(learner.policyVersion, 0, 2));
    expect(agreed.freshTokens).toBeGreaterThan(0);
    expect(freshTokens).toBeGreaterThan(10 * agreed.freshTokens);
  });

  it("judges an update also alone, after seven that agreed", async () => {
    const learner = aLearner({ ...still, maxLogprobDifference: 4 }, { mode });
    for (let update = 0; update < 7; update++) await learner.update(sampledBy(learner.policyVersion, 0));
    await expect(learner.update(sampledBy(learner.policyVersion, -40))).rejects.toThrow(
      /LOGPROB_MISMATCH.*tokens of this update that the current weights sampled, more than the [\d.]+ that/,
    );
  });
});

const clip = { kind: "clip", clipLow: 0.2, clipHigh: 0.2, dualClip: null, clampLogRatio: null } as const;

it("says how far sampler and learner are apart on fresh tokens: mean, 99th percentile, KL", () => {
  const statistics = tokenStatistics(clip);
  const differences = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? -1 : 1) * (at / 1000));
  for (const difference of differences) {
    const token = { policyLogprob: -2 + difference, rolloutLogprob: -2, advantage: 1 };
    statistics.add({ ...token, fresh: true });
    statistics.add({ ...token, policyLogprob: -9, fresh: false });
  }
  const { freshTokens, freshLogprobDifferenceMean, freshLogprobDifferenceP99, freshKlK3 } =
    statistics.result();
  expect(freshTokens).toBe(200);
  expect(freshLogprobDifferenceMean).toBeCloseTo(0.0995, 12);
  // Two of two hundred, 0.198 and 0.199, are larger. The bin's upper edge is returned.
  expect(freshLogprobDifferenceP99).toBeGreaterThanOrEqual(0.197);
  expect(freshLogprobDifferenceP99).toBeLessThan(0.197 * 1.011);
  const k3 = differences.reduce((sum, d) => sum + Math.exp(d) - 1 - d, 0) / 200;
  expect(freshKlK3).toBeCloseTo(k3, 12);
  expect(k3).toBeGreaterThan(0.005);
});

it("keeps the event loop no longer for the statistics of a million tokens than for those of a few", () => {
  const statistics = tokenStatistics(clip);
  const count = 1e6;
  const ofCpu = (work: () => void) => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user;
  };
  const adding = ofCpu(() => {
    for (let i = 0; i < count; i++)
      statistics.add({ policyLogprob: -1 - (i % 9973) / 1e5, rolloutLogprob: -1, advantage: 1, fresh: true });
  });
  const reading = ofCpu(() => statistics.result());
  expect(reading).toBeLessThan(adding / 8);
});

describe("the gradient gate", () => {
  it("skip: leaves the step out, counts it, and the learner goes on", async () => {
    const learner = aLearner({ gradientGate: { norm: 1e-6, action: "skip" } });
    const metrics = await learner.update(randomGroups(1));
    expect(metrics).toMatchObject({
      optimizerSteps: 0,
      stepsSkippedByGradient: 1,
      step: 0,
      policyVersion: 1,
    });
    expect(learner.weightsHash()).toBe(untrained());
    const open = aLearner({ gradientGate: { norm: 1e6, action: "skip" } });
    expect(await open.update(randomGroups(1))).toMatchObject({
      optimizerSteps: 1,
      stepsSkippedByGradient: 0,
    });
  });

  it("stop: throws before the step and says by how much", async () => {
    const learner = aLearner({ gradientGate: { norm: 1e-6, action: "stop" } });
    await expect(learner.update(randomGroups(1))).rejects.toThrow(
      /GRADIENT_GATE.*more than gradientGate.norm/,
    );
    expect(learner.weightsHash()).toBe(untrained());
    expect(learner.policyVersion).toBe(0);
  });
});

describe("maxPolicyKl", () => {
  it("ends an update whose policy has moved too far, before the step that shows it", async () => {
    const config = { epochs: 6, schedule: { learningRate: 3e-2 } };
    const free = await aLearner(config).update(randomGroups(2));
    expect(free).toMatchObject({ optimizerSteps: 6, stoppedByPolicyKl: false });
    expect(free.policyKlK3).toBeGreaterThan(0.01);
    const held = await aLearner({ ...config, maxPolicyKl: 1e-3 }).update(randomGroups(2));
    expect(held.stoppedByPolicyKl).toBe(true);
    expect(held.optimizerSteps).toBeGreaterThanOrEqual(1);
    expect(held.optimizerSteps).toBeLessThan(6);
  });
});

describe("a batch that cannot be trained", () => {
  const explodes = (groups: readonly Group[]) =>
    groups.map((group) => ({
      ...group,
      members: group.members.map((member, index) => ({
        ...member,
        score: { ...member.score, reward: index === 0 ? 1e300 : 0 },
      })),
    }));

  it("is on disk when the error comes, can be read, and fails again when replayed", async () => {
    const folder = testFolder();
    const dumpFolder = join(folder, "dumps");
    const config = { advantage: { kind: "drgrpo" } } as const;
    const learner = aLearner(config, { dumpFolder });
    const checkpoint = learner.checkpoint({ consumedGroupIds: [], dataCursor: null });
    const groups = explodes(randomGroups(3));
    await expect(learner.update(groups)).rejects.toThrow(/NOT_FINITE.*\(batch: .*failed-policy-0\.pb\)/);
    expect(await readdir(dumpFolder)).toEqual(["failed-policy-0.json", "failed-policy-0.pb"]);
    const facts = JSON.parse(await readFile(join(dumpFolder, "failed-policy-0.json"), "utf8")) as {
      readonly details: { readonly rows: readonly unknown[] };
    };
    expect(facts).toMatchObject({ code: "NOT_FINITE", policyVersion: 0 });
    expect(facts.details.rows.length).toBeGreaterThan(0);
    const dump = await readStepDump(join(dumpFolder, "failed-policy-0.pb"));
    expect(dump.groups.map((group) => group.groupId)).toEqual(groups.map((group) => group.groupId));
    await expect(replayStep({ backend, checkpoint, dump })).rejects.toThrow(/NOT_FINITE/);
  });

  it("is named in the error even where the disk takes nothing", async () => {
    const learner = aLearner({ advantage: { kind: "drgrpo" } }, { dumpFolder: "/dev/null/dumps" });
    await expect(learner.update(explodes(randomGroups(3)))).rejects.toThrow(
      /NOT_FINITE.*the batch could not be written to/,
    );
  });
});
