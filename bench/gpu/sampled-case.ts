/**
 * The comparison of sampler and learner of bench/gpu/deterministic.ts, in its own process: a sampler draws replies, a learner with the same
 * weights trains on them at a rate of 0. Standard input has a line that says what to run, and the answer is a line of JSON.
 */
import { createInterface } from "node:readline";
import { loadBackend } from "../../packages/learning/jit/src/index.js";
import { createLearner, TrainedTokens } from "../../packages/learning/learner/src/index.js";
import { createSampler, parseModelConfig } from "../../packages/learning/model/src/index.js";
import type { Group } from "../../packages/learning/trajectories/src/index.js";
import { fullRowGroups, someTokens } from "../full-rows.js";
import { quickParameters } from "../model/quick-parameters.js";
import { modelShape, type Shape } from "./case.js";

interface SampledCase {
  readonly shape: Shape & { readonly rows: number; readonly length: number; readonly threads: number };
  readonly precision: "float32" | "bfloat16";
  readonly deterministic?: boolean;
  /** Micro-batches of full rows whose second halves are sampled. */
  readonly sampled: number;
  /** Whether the sampler's log-probs depend on nothing else in its calls; on a CPU. */
  readonly batchInvariant?: boolean;
}

const { value: line } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
const {
  shape,
  precision,
  deterministic = false,
  sampled,
  batchInvariant = false,
} = JSON.parse(line ?? "{}") as SampledCase;
const { rows, length, threads, ...size } = shape;
const began = performance.now();
const backend = await loadBackend({ prefer: "tensorflow", threads, deterministic });
const model = parseModelConfig({
  ...{ architecture: "llama", ...modelShape(size), tieWordEmbeddings: true, maxPositions: length },
});
const parameters = quickParameters(model);
const prompt = Math.floor(length / 2);
const settings = { precision, maxBatch: rows, maxLength: length, singleWeights: "off" } as const;
const sampler = createSampler({
  ...{ backend, config: model, parameters, ...settings },
  ...(batchInvariant ? { batchInvariant, mode: "graph" } : { cache: "slots" }),
});
const groups = fullRowGroups({ rows: rows * sampled, length, vocabSize: model.vocabSize, groupSize: rows });
const answered = groups.map(async (group, g): Promise<Group> => {
  const members = group.members.map(async ({ trajectory, ...member }, at) => {
    const [conversation] = trajectory.conversations;
    if (conversation === undefined) throw new Error("a row has no conversation");
    // A prompt of its own, since a cache of prompts would make equal ones equal reads.
    const promptTokenIds = someTokens(prompt, 1 + g * rows + at, model.vocabSize);
    const { tokenIds, rolloutLogprobs } = await sampler.generate({
      ...{
        promptTokenIds,
        maxTokens: length - prompt,
        temperature: 1,
        seed: g * rows + at,
        stopTokenIds: [],
      },
    });
    const own = { ...conversation, promptTokenIds, sampledTokenIds: [...tokenIds] };
    const conversations = [{ ...own, rolloutLogprobs: [...rolloutLogprobs] }];
    return { ...member, trajectory: { ...trajectory, conversations } };
  });
  return { ...group, members: await Promise.all(members) };
});
const sampledGroups = await Promise.all(answered);
const sampledSeconds = (performance.now() - began) / 1000;
await sampler.close();
const learner = createLearner({
  ...{ backend, model, parameters, mode: "xla", objectives: ["policy"] },
  config: {
    ...{ preset: "memagent", reference: "none", kl: { coefficient: 0 }, measureEntropy: false },
    ...{ buckets: [{ rows, length }], precision, schedule: { learningRate: 0 } },
    // π_old is the sampler's, so that ratios compare the two.
    ...{ oldLogprobs: "rollout", importance: { kind: "none" }, firstStepChecks: false },
  },
});
const tokens = new TrainedTokens(learner.config.loss, Number.POSITIVE_INFINITY);
const update = await learner.update(sampledGroups, { tokens });
const ratios = sampledGroups.flatMap(({ members }) =>
  members.flatMap(({ trajectory }) => [...(tokens.of(trajectory.trajectoryId, 0)?.ratios ?? [])]),
);
const trained = ratios.filter((ratio) => !Number.isNaN(ratio));
process.stdout.write(
  `${JSON.stringify({
    logprobsCompared: trained.length,
    differing: trained.filter((ratio) => ratio !== 1).length,
    maxDifference: update.logprobDifferenceMax,
    meanDifference: update.freshLogprobDifferenceMean,
    p99Difference: update.freshLogprobDifferenceP99,
    klK3: update.freshKlK3,
    sampledSeconds,
    seconds: (performance.now() - began) / 1000,
  })}\n`,
);
process.exit(0);
