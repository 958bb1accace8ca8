import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadBackend } from "@palimpsest/jit";
import { hashWeights } from "@palimpsest/model";
import type { Group } from "@palimpsest/trajectories";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import type { LearnerConfigInput } from "../config/config.js";
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
