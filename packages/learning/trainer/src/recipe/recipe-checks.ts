/** Responsibility: finds settings of a recipe that have no effect, and sections that contradict each other, before anything starts.
 *  Not responsible for: checks within one section (its schema); checks that need the model or the data (dry-run.ts). */
import { resolveLearnerConfig } from "@palimpsest/learner";
import { rewardNames } from "@palimpsest/rewards";
import { engineProblems } from "./engine-recipe.js";
import { curriculumProblems } from "./recipe-curriculum.js";
import type { Recipe } from "./recipe-schema.js";
import { refillProblems, stalenessProblems } from "./staleness-checks.js";

/** Settings that are always overridden: their paths, and what to set instead. */
const idle: readonly { readonly path: readonly string[]; readonly instead: string }[] = [
  {
    path: ["agent", "settings", "temperature"],
    instead: "a run samples at rollout.temperature, and evaluations at evaluation.temperature; set those",
  },
  {
    path: ["evaluation", "source", "count"],
    instead: "evaluation.tasks is the number of questions per length; set that",
  },
  {
    path: ["evaluation", "source", "seed"],
    instead: "evaluation.seed is the seed of the questions; set that",
  },
];

/**
 * @param given the recipe as it was written, before defaults filled it in
 * @returns one line for each problem: the fields, their values, and the fix
 */
export function recipeProblems(recipe: Recipe, given: unknown): string[] {
  const problems = idle
    .filter(({ path }) => valueAt(given, path) !== undefined)
    .map(
      ({ path, instead }) => `${path.join(".")}: ${String(valueAt(given, path))} has no effect: ${instead}`,
    );
  const { evaluation } = recipe;
  if (evaluation?.files !== undefined && valueAt(given, ["evaluation", "lengths"]) !== undefined) {
    problems.push(
      "evaluation.lengths: has no effect with evaluation.files, each of which has its own length; leave it out",
    );
  }
  return [
    ...problems,
    ...curriculumProblems(recipe.curriculum),
    ...stepRewardProblems(recipe),
    ...passProblems(recipe),
    ...gateProblems(recipe),
    ...storeProblems(recipe),
    ...tagProblems(recipe),
    ...lengthProblems(recipe),
    ...truncationProblems(recipe),
    ...replicaProblems(recipe),
    ...laneProblems(recipe),
    ...engineProblems(recipe, given),
    ...stalenessProblems(recipe, valueAt(given, ["train", "staleGroups"])),
    ...refillProblems(recipe),
    ...evaluationProblems(recipe, given),
  ];
}

/** Each replica of a learner needs a GPU of its node. */
function replicaProblems({ learner, learnerGpus, learnerActors }: Recipe): string[] {
  const { replicas = 1 } = learner;
  if (learnerActors > 1 && learner.memory?.accumulators === "none")
    return [
      `learnerActors: is ${learnerActors} and learner.memory.accumulators is none, but learners that train together sum their accumulated gradients; set accumulators to auto`,
    ];
  if (replicas === 1 || learnerGpus === replicas) return [];
  return [
    `learner.replicas: is ${replicas} and learnerGpus is ${learnerGpus}, but each replica needs a GPU of one node; set learnerGpus to ${replicas}`,
  ];
}

/** The sampler would refuse the first of these only when a rollout actor starts, and be slow without a word with the others. */
function laneProblems({ rollout: { lanes, threads, gpus, batchInvariant } }: Recipe): string[] {
  if (lanes === 1) return [];
  const is = `rollout.lanes: is ${lanes}`;
  const problems: string[] = [];
  if (batchInvariant)
    problems.push(`${is}, but rollout.batchInvariant is true, which needs whole batches; set lanes to 1`);
  if (gpus > 0)
    problems.push(`${is} and rollout.gpus is ${gpus}, but lanes are for batches on a CPU; set lanes to 1`);
  else if (lanes > threads)
    problems.push(
      `${is}, but rollout.threads is ${threads}, so that lanes wait for each other; set threads to ${lanes}, or lanes to ${threads}`,
    );
  return problems;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null
        ? Object.entries(at).find(([key]) => key === name)?.[1]
        : undefined,
    value,
  );
}

/** The learner would refuse the first step of such a run; for a module's agent only the learner can check it. */
function truncationProblems({ agent, learner }: Recipe): string[] {
  if (agent.kind === "module") return [];
  const { topP } = agent.config;
  if (topP === 1 || resolveLearnerConfig(learner).importance.kind !== "none") return [];
  return [
    `agent.settings.topP: is ${topP}, so that training samples from a truncated distribution, but the learner trains the policy without truncation; set topP to 1, or correct for it with learner.importance, such as { kind: tis-token, cap: 2 }`,
  ];
}

function evaluationProblems({ evaluation, train }: Recipe, given: unknown): string[] {
  const problems: string[] = [];
  const everySteps = evaluation?.everySteps;
  if (train.stopWhen !== undefined && everySteps === undefined) {
    problems.push(
      "train.stopWhen: needs evaluations during training, but evaluation.everySteps is absent; set everySteps, or leave stopWhen out",
    );
  }
  if (evaluation === undefined) return problems;
  if (everySteps !== undefined && everySteps > train.steps) {
    problems.push(
      `evaluation.everySteps: is ${everySteps}, but train.steps is ${train.steps}, so that no step before the last is evaluated; lower everySteps or leave it out`,
    );
  }
  // The best version must have a checkpoint; otherwise it could be rated but never exported.
  if (everySteps !== undefined && everySteps % train.checkpointEverySteps !== 0) {
    problems.push(
      `evaluation.everySteps: is ${everySteps}, but train.checkpointEverySteps is ${train.checkpointEverySteps}, so that some evaluated steps have no checkpoint; make everySteps a multiple of checkpointEverySteps`,
    );
  }
  if (everySteps === undefined && valueAt(given, ["evaluation", "metric"]) !== undefined) {
    problems.push(
      `evaluation.metric: ${evaluation.metric} has no effect without evaluation.everySteps; set everySteps, or leave metric out`,
    );
  }
  if (evaluation.topP !== undefined && evaluation.temperature === 0) {
    problems.push(
      `evaluation.topP: ${evaluation.topP} has no effect with evaluation.temperature 0, at which the most likely token is taken; set a temperature above 0, or leave topP out`,
    );
  }
  if (evaluation.samples > 1 && evaluation.temperature === 0) {
    problems.push(
      `evaluation.samples: is ${evaluation.samples}, but with evaluation.temperature 0 all answers to a question are identical; set a temperature above 0, or samples to 1`,
    );
  }
  return problems;
}

/** Rewards that give a reward for each step; those of `remote` and `module` may do so. */
const stepRewards = ["rememr1", "rememr1-released", "gated-published", "remote", "module"];

function stepRewardProblems({ learner, reward, agent }: Recipe): string[] {
  const { config } = reward;
  const { name } = config;
  const problems: string[] = [];
  if (resolveLearnerConfig(learner).stepAdvantage && !stepRewards.includes(name)) {
    problems.push(
      `learner.preset: is ${learner.preset}, which needs a reward for each step, but reward.name is ${name}, which gives none; set reward.name to rememr1, or learner.stepAdvantage to null`,
    );
  }
  if (!name.startsWith("rememr1") || agent.kind === "rememr1" || agent.kind === "module") return problems;
  // Of MemAgent the gain in memory is known, and nothing of tags.
  const ofMemory = config.name === "rememr1" && config.recallGain === 0 && config.format === 0;
  if (agent.kind !== "memagent" || !ofMemory) {
    problems.push(
      `reward.name: is ${name}, which scores the updates and recalls of the agent rememr1, but agent.kind is ${agent.kind}; set agent.kind to rememr1, use another reward, or, for the agent memagent, reward.settings: { recallGain: 0, format: 0 }`,
    );
  }
  return problems;
}

/** The reward would refuse the first episode, or never pay. */
function passProblems({ agent, reward: { config } }: Recipe): string[] {
  // It is not known here what a user's own agent counts.
  if (!("unusedPasses" in config) || config.unusedPasses === 0 || agent.kind === "module") return [];
  const is = `reward.settings.unusedPasses: is ${config.unusedPasses}, but`;
  if (agent.kind !== "parallel")
    return [`${is} the agent ${agent.kind} has no passes; set agent.kind to parallel, or unusedPasses to 0`];
  if (agent.config.passes > 1) return [];
  return [
    `${is} agent.settings.passes is 1, of which none can be left out; set passes to 2 or 3, or unusedPasses to 0`,
  ];
}

/** The reward would refuse the first episode. */
function gateProblems({ agent, reward: { config } }: Recipe): string[] {
  if (!config.name.startsWith("gated") || agent.kind === "module") return [];
  const gates = "gates" in agent.config ? agent.config.gates : undefined;
  const saves = config.name === "gated" && config.written + config.read > 0;
  const wanted = saves ? (gates?.keep ?? gates?.stop) : gates?.keep;
  if (wanted !== undefined || (config.name === "gated" && !saves)) return [];
  return [
    `reward.name: is ${config.name}, but the agent ${agent.kind} has no ${saves ? "gates" : "write gate"}; set agent.settings.gates, such as { keep: same, stop: done }, of the agent memagent or rememr1`,
  ];
}

const ofStores = ["memupdate", "memupdate-released", "store-probes", "stream"];
const ofDocuments = ["ruler", "reverse-two-hop", "haystack", "world"];

function storeProblems(recipe: Recipe): string[] {
  const { data, curriculum, agent } = recipe;
  const mixed = curriculum.mix.flatMap((part, at) =>
    dataProblems(part.data, agent).map((problem) => `curriculum.mix[${at}].${problem}`),
  );
  return [...storeRewardProblems(recipe), ...dataProblems(data, agent), ...mixed];
}

function dataProblems(data: Recipe["data"], agent: Recipe["agent"]): string[] {
  // It is not known here what a user's own agent reads.
  if (agent.kind === "module") return [];
  const keepsStore = agent.kind === "memupdate";
  const isTold = keepsStore && agent.config.streamTurns !== null;
  const source = data.source ?? "module";
  if (source === "stream") {
    if (isTold) return [];
    return [
      `data.source: is stream, which is told turn by turn, but the agent ${agent.kind} does not write while it is told; set agent.kind to memupdate and agent.settings.streamTurns to 1 or more, or use another source`,
    ];
  }
  if (isTold && source === "store")
    return [
      `agent.settings.streamTurns: is ${agent.config.streamTurns}, but data.source is store, which tells no stream; set it to null, or data.source to stream`,
    ];
  if (keepsStore && ofDocuments.includes(source))
    return [
      `data.source: is ${data.source}, which has documents with a question, but the agent memupdate reads none; set data.source to store or stream, or to jsonl with records`,
    ];
  if (keepsStore || source !== "store") return [];
  return [
    `data.source: is store, which has records and no documents, but the agent ${agent.kind} reads documents; set agent.kind to memupdate, or use another source`,
  ];
}

function storeRewardProblems({ agent, reward, evaluation }: Recipe): string[] {
  const { name } = reward.config;
  const problems: string[] = [];
  // It is not known here what a user's own agent keeps and reads.
  if (agent.kind === "module") return [];
  const keepsStore = agent.kind === "memupdate";
  if (ofStores.includes(name) && !keepsStore) {
    problems.push(
      `reward.name: is ${name}, which scores the memory store after the episode, but the agent ${agent.kind} has no store; set agent.kind to memupdate, or use another reward`,
    );
  }
  if (keepsStore && agent.config.answerTopK === 0 && [...rewardNames, "judge"].includes(name)) {
    problems.push(
      `reward.name: is ${name}, which scores an answer, but with agent.settings.answerTopK 0 the agent gives none; set answerTopK above 0, or reward.name to one of ${ofStores.join(", ")}`,
    );
  }
  if (keepsStore && evaluation?.source !== undefined) {
    problems.push(
      "evaluation.source: generates documents, but the agent memupdate reads no document; use evaluation.files with records",
    );
  }
  return problems;
}

function tagProblems({ agent, reward }: Recipe): string[] {
  if (agent.kind !== "rememr1" || reward.config.name !== "rememr1") return [];
  const { config } = reward;
  return (["updateTag", "recallTag"] as const)
    .filter((tag) => agent.config[tag] !== config[tag])
    .map(
      (tag) =>
        `reward.settings.${tag}: is ${config[tag]}, but agent.settings.${tag} is ${agent.config[tag]}, so that the reward would not find the agent's tags; set both to the same value`,
    );
}

/** Requests that a sampler lets wait. */
const mostWaiting = 4096;

function lengthProblems({ agent, rollout, train, learner }: Recipe): string[] {
  const problems: string[] = [];
  if (agent.kind === "parallel") {
    const sections = agent.config.concurrency * rollout.concurrency;
    if (sections > mostWaiting)
      problems.push(
        `agent.settings.concurrency: ${agent.config.concurrency} sections of each of rollout.concurrency ${rollout.concurrency} episodes are ${sections} at once, but a sampler lets ${mostWaiting} wait; lower one of the two`,
      );
  }
  if (agent.kind !== "memupdate" && agent.kind !== "module") {
    for (const field of ["memoryTokens", "finalTokens"] as const) {
      if (agent.config[field] < rollout.maxTokens) continue;
      problems.push(
        `agent.settings.${field}: is ${agent.config[field]}, but rollout.maxTokens, the limit of prompt and reply together, is ${rollout.maxTokens}; raise rollout.maxTokens or lower ${field}`,
      );
    }
  }
  if (train.minGroupSize > learner.groupSize) {
    problems.push(
      `train.minGroupSize: is ${train.minGroupSize}, but learner.groupSize is ${learner.groupSize}, so that every group would be dropped; lower minGroupSize`,
    );
  }
  return problems;
}
