import { loadBackend } from "@palimpsest/jit";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { type Checkpoint, latestCheckpoint } from "../checkpoint/checkpoint.js";
import { createLearner } from "./create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "./learner.fixture.js";
import { type Learner, loadCheckpoint } from "./learner.js";

const backend = await loadBackend();
let root = "";
beforeEach(() => {
  root = testFolder();
});

const extra = { consumedGroupIds: ["group-0"], dataCursor: { epoch: 2, offset: 5 }, metric: 0.5 };

describe("a learner made from a checkpoint", () => {
  // Everything that a resume could lose: KL reference, moments, schedule, random numbers, both counters.
  const config = tinyConfig({
    preset: "memagent",
    kl: { coefficient: 0.05 },
    miniBatches: 2,
    epochs: 2,
    schedule: { kind: "cosine", learningRate: 1e-2, warmupSteps: 3, totalSteps: 40 },
    buckets: [{ rows: 8, length: 12 }],
  });
  const make = (checkpoint?: Checkpoint): Learner =>
    createLearner({
      backend,
      config,
      model: tinyModel,
      // Others than the checkpoint's, so that nothing can come from here by accident.
      parameters: tinyParameters(checkpoint === undefined ? 1 : 2),
      objectives: ["policy"],
      ...(checkpoint === undefined ? {} : { checkpoint }),
    });
  const train = async (learner: Learner, from: number, to: number) => {
    for (let update = from; update < to; update++)
      await learner.update(randomGroups(update), { shuffleRewards: true });
  };

  it("goes on bit for bit as if it had never stopped (LEARNER-4)", async () => {
    const straight = make();
    await train(straight, 0, 6);
    const wanted = straight.checkpoint(extra);
    straight.close();

    const first = make();
    await train(first, 0, 3);
    await first.saveCheckpoint(root, extra);
    first.close();
    const folder = await latestCheckpoint(root);
    const second = make(await loadCheckpoint(folder ?? ""));
    expect(second.policyVersion).toBe(3);
    await train(second, 3, 6);
    const got = second.checkpoint(extra);
    second.close();

    expect(got.policyVersion).toBe(6);
    expect(got.step).toBe(24);
    expect(Object.keys(got.tensors)).toHaveLength(Object.keys(wanted.tensors).length);
    const bytes = (values?: Float32Array) => Buffer.from(new Uint8Array(values?.slice().buffer ?? []));
    for (const [name, values] of Object.entries(wanted.tensors))
      expect(bytes(got.tensors[name]).equals(bytes(values)), name).toBe(true);
    expect(got).toEqual(wanted);
  });

  it("hands the trainer's fields back and keeps the resolved configuration", async () => {
    const learner = make();
    await learner.saveCheckpoint(root, extra);
    const checkpoint = await loadCheckpoint((await latestCheckpoint(root)) ?? "");
    expect(checkpoint.extra).toEqual(extra);
    expect(checkpoint.config).toEqual(JSON.parse(JSON.stringify(learner.config)));
    expect(checkpoint.model).toEqual(tinyModel);
    learner.close();
  });

  it("is what the learner was when saving began, however many saves run at once", async () => {
    const learner = make();
    const first = learner.saveCheckpoint(root, extra);
    await learner.update(randomGroups(1));
    const second = learner.saveCheckpoint(root, extra);
    const hash = learner.weightsHash();
    await learner.update(randomGroups(2));
    learner.close();
    expect((await loadCheckpoint(await first)).policyVersion).toBe(0);
    const resumed = make(await loadCheckpoint(await second));
    expect(resumed.weightsHash()).toBe(hash);
    resumed.close();
  });

  it("refuses a checkpoint of another model", async () => {
    const learner = make();
    const checkpoint = learner.checkpoint(extra);
    learner.close();
    const other = { ...tinyModel, hiddenSize: 32 };
    expect(() =>
      createLearner({ backend, config, model: other, parameters: tinyParameters(), checkpoint }),
    ).toThrow(/CHECKPOINT_MISMATCH/);
  });
});
