import { loadBackend } from "@palimpsest/jit";
import { hashWeights } from "@palimpsest/model";
import { describe, expect, it } from "vitest";
import { createLearner } from "../learner/create-learner.js";
import { randomGroups, tinyConfig, tinyModel, tinyParameters } from "../learner/learner.fixture.js";
import { replayStep } from "../learner/replay.js";
import type { Checkpoint } from "./checkpoint.js";
import { hasAdapters, trainedWeights } from "./trained-weights.js";

const backend = await loadBackend();

const config = tinyConfig({ lora: { rank: 2, alpha: 4, targets: ["q_proj", "down_proj"] } });
const base = tinyParameters();
const make = (checkpoint?: Checkpoint) =>
  createLearner({
    backend,
    model: tinyModel,
    parameters: base,
    config,
    ...(checkpoint === undefined ? {} : { checkpoint }),
  });
const extra = { consumedGroupIds: [], dataCursor: null };

describe("a checkpoint of a policy with adapters", () => {
  it("holds adapters and their moments alone, and becomes a model with the base merged in", async () => {
    const learner = make();
    await learner.update(randomGroups(1));
    const checkpoint = learner.checkpoint(extra);
    const kinds = new Set(Object.keys(checkpoint.tensors).map((name) => name.split("/")[0]));
    expect([...kinds].sort()).toEqual(["moment1", "moment2", "weights"]);
    expect(Object.keys(checkpoint.tensors).every((name) => /\.lora[AB]$/.test(name))).toBe(true);
    expect(hasAdapters(checkpoint)).toBe(true);
    expect(trainedWeights(checkpoint, base).parameters).toEqual(learner.parameters());
    expect(() => trainedWeights(checkpoint)).toThrow(/contains only adapters; also give the weights/);
    expect(learner.weightsHash()).toBe(hashWeights(learner.adapters()));
    learner.close();
  });

  it("goes on over the base it is given (LEARNER-4), and its next step can be replayed", async () => {
    const straight = make();
    await straight.update(randomGroups(1));
    const checkpoint = straight.checkpoint(extra);
    await straight.update(randomGroups(2));
    const resumed = make(checkpoint);
    await resumed.update(randomGroups(2));
    expect(resumed.adapters()).toEqual(straight.adapters());
    const dump = { policyVersion: 1, shuffleRewards: false, groups: randomGroups(2) };
    const replayed = await replayStep({ backend, checkpoint, dump, baseParameters: base });
    expect(replayed.weightsHash).toBe(straight.weightsHash());
    straight.close();
    resumed.close();
  });
});
