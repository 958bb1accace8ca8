import { describe, expect, it } from "vitest";
import { parseRecipe } from "./recipe.js";

interface Sections {
  readonly agent?: string;
  readonly data?: string;
  readonly train?: string;
  readonly loss?: string;
  readonly more?: string;
}

const recipe = ({
  agent = "{ preset: tiny }",
  data = "{ source: ruler, ruler: { sentences: 4 } }",
  train = "{ steps: 3 }",
  loss = "",
  more = "",
}: Sections) => `
name: checked
model: { path: ./base }
agent: ${agent}
data: ${data}
learner: { ${loss}groupSize: 4, buckets: [{ rows: 8, length: 48 }] }
train: ${train}
${more}
`;

const rememr1 = "{ kind: rememr1, preset: tiny }";
const memupdate = "{ kind: memupdate, preset: tiny }";
const store = "{ source: store, store: {} }";
const file = "{ source: jsonl, path: tasks.jsonl }";
const rollout = "rollout: { maxTokens: 4096 }";

describe("a recipe", () => {
  it.each<[what: string, sections: Sections, ...said: string[]]>([
    [
      "learners that train together without sums of gradients",
      { loss: "memory: { accumulators: none }, ", more: "learnerActors: 2" },
      "learnerActors: is 2 and learner.memory.accumulators is none",
      "set accumulators to auto",
    ],
    [
      "replicas of the learner without a GPU each",
      { loss: "replicas: 2, ", more: "learnerGpus: 1" },
      "learner.replicas: is 2 and learnerGpus is 1",
      "set learnerGpus to 2",
    ],
    [
      "lanes without a thread each",
      { more: "rollout: { lanes: 4, threads: 2 }" },
      "rollout.lanes: is 4, but rollout.threads is 2",
      "set threads to 4, or lanes to 2",
    ],
    [
      "lanes of batches that must stay whole",
      { more: "rollout: { lanes: 2, threads: 2, batchInvariant: true }" },
      "rollout.lanes: is 2, but rollout.batchInvariant is true",
      "set lanes to 1",
    ],
    [
      "lanes on a GPU",
      { more: "rollout: { lanes: 2, gpus: 1 }" },
      "rollout.lanes: is 2 and rollout.gpus is 1",
      "set lanes to 1",
    ],
    [
      "a temperature that is always replaced",
      { agent: "{ preset: tiny, settings: { temperature: 0.7 } }" },
      "agent.settings.temperature: 0.7 has no effect",
      "rollout.temperature",
    ],
    ["an evaluation length twice", { more: "evaluation: { lengths: [2, 3, 2] }" }, "evaluation.lengths"],
    [
      "evaluation lengths beside files",
      { more: "evaluation: { lengths: [1, 2], files: [{ path: t.jsonl, lengthTokens: 100 }] }" },
      "evaluation.lengths",
      "evaluation.files",
    ],
    [
      "an early stop without evaluations to go by",
      {
        more: "evaluation: { source: { sentences: 4 } }",
        train: "{ steps: 3, stopWhen: { patienceEvaluations: 2 } }",
      },
      "train.stopWhen",
      "evaluation.everySteps",
    ],
    [
      "older weights with a loss that has no bound for them",
      { train: "{ steps: 3, maxStaleness: 2 }", loss: "loss: { kind: clip }, " },
      "train.maxStaleness: is 2 and learner.importance is none, but learner.loss.dualClip is null",
      "tis-token",
    ],
    [
      "older weights with a clip range that nothing of them fits into",
      {
        train: "{ steps: 3, maxStaleness: 2 }",
        loss: "loss: { kind: gspo }, aggregation: seq-mean-token-mean, ",
      },
      "learner.loss gspo clips ratios outside 1 - 0.0003",
    ],
    [
      "older weights with an engine that is restarted for each version",
      {
        train: "{ steps: 3, maxStaleness: 1 }",
        more: "rollout: { engine: { kind: vllm, load: restart, start: { command: vllm, arguments: ['{model}', '{port}'] } } }",
      },
      "train.maxStaleness: is 1, but an engine (rollout.engine) that is restarted for each version",
    ],
    [
      "a rule for stale groups in a run that has none",
      { train: "{ steps: 3, staleGroups: refill }" },
      "train.staleGroups: refill has no effect with train.maxStaleness 0",
    ],
    [
      "replacing groups of a step that takes its own groups alone",
      { train: "{ steps: 3, maxStaleness: 2, zeroVarianceRefills: 2 }" },
      "train.zeroVarianceRefills: is 2, but with train.staleGroups wait",
      "set staleGroups to refill",
    ],
    [
      "replacing groups that teach all the same",
      {
        train: "{ steps: 3, zeroVarianceRefills: 2 }",
        loss: "advantage: { kind: reinforce++, baseline: false }, ",
      },
      "train.zeroVarianceRefills: is 2, but learner.advantage reinforce++ without baseline",
    ],
    [
      "evaluations that would never come",
      { more: "evaluation: { source: { sentences: 4 }, everySteps: 4 }" },
      "evaluation.everySteps: is 4, but train.steps is 3",
    ],
    [
      "an evaluated step that leaves no checkpoint",
      {
        more: "evaluation: { source: { sentences: 4 }, everySteps: 3 }",
        train: "{ steps: 6, checkpointEverySteps: 2 }",
      },
      "evaluation.everySteps: is 3, but train.checkpointEverySteps is 2",
    ],
    [
      "a metric that nothing goes by",
      { more: "evaluation: { source: { sentences: 4 }, metric: passAtK }" },
      "evaluation.metric: passAtK has no effect",
    ],
    [
      "several greedy samples",
      { more: "evaluation: { source: { sentences: 4 }, samples: 4, temperature: 0 }" },
      "evaluation.samples: is 4, but with evaluation.temperature 0",
    ],
    [
      "a truncation of greedy samples",
      { more: "evaluation: { source: { sentences: 4 }, topP: 0.9, temperature: 0 }" },
      "evaluation.topP: 0.9 has no effect with evaluation.temperature 0",
    ],
    [
      "a generator's count that is always replaced",
      { more: "evaluation: { source: { sentences: 4, count: 9 } }" },
      "evaluation.source.count: 9 has no effect",
      "evaluation.tasks",
    ],
    [
      "step advantages without step rewards",
      { agent: rememr1, more: "" },
      "learner.preset: is rememr1, which needs a reward for each step, but reward.name is boxed-exact-match",
      "learner.stepAdvantage",
    ],
    [
      "a reward of another agent",
      { more: `reward: { name: rememr1 }\n${rollout}` },
      "reward.name: is rememr1, which scores the updates and recalls of the agent rememr1, but agent.kind is memagent",
    ],
    [
      "tags that differ",
      {
        agent: "{ kind: rememr1, preset: tiny, settings: { updateTag: note } }",
        more: `reward: { name: rememr1 }\n${rollout}`,
      },
      "reward.settings.updateTag: is update, but agent.settings.updateTag is note",
    ],
    [
      "a reward of stores for an agent without one",
      { more: "reward: { name: store-probes }" },
      "reward.name: is store-probes, which scores the memory store after the episode, but the agent memagent has no store",
    ],
    [
      "a reward of answers for an agent that gives none",
      { agent: memupdate, data: store },
      "reward.name: is boxed-exact-match, which scores an answer, but with agent.settings.answerTopK 0",
    ],
    [
      "documents for an agent that reads none",
      { agent: memupdate, more: "reward: { name: store-probes }" },
      "data.source: is ruler, which has documents with a question, but the agent memupdate reads none",
    ],
    [
      "a stream for an agent that knows its question",
      { data: "{ source: stream, stream: { turns: 8 } }" },
      "data.source: is stream, which is told turn by turn, but the agent memagent does not write while it is told",
    ],
    [
      "a store for an agent that is told streams",
      { agent: "{ kind: memupdate, preset: tiny, settings: { streamTurns: 1 } }", data: store },
      "agent.settings.streamTurns: is 1, but data.source is store, which tells no stream",
    ],
    [
      "a reward of unused passes for an agent that has none",
      { more: "reward: { name: boxed-f1, settings: { unusedPasses: 0.5 } }" },
      "reward.settings.unusedPasses: is 0.5, but the agent memagent has no passes",
      "set agent.kind to parallel, or unusedPasses to 0",
    ],
    [
      "a reward of unused passes with one pass",
      {
        agent: "{ kind: parallel, preset: tiny, settings: { passes: 1 } }",
        more: "reward: { name: boxed-f1, settings: { unusedPasses: 0.5 } }",
      },
      "reward.settings.unusedPasses: is 0.5, but agent.settings.passes is 1",
      "set passes to 2 or 3",
    ],
    [
      "stores for an agent that reads documents",
      { data: store },
      "data.source: is store, which has records and no documents, but the agent memagent reads documents",
    ],
    [
      "an order by pass rates without rates",
      { more: "curriculum: { order: easy-first }" },
      "curriculum.order: easy-first sorts by pass rates, but curriculum.passRates is absent",
      "palimpsest data rate",
    ],
    [
      "bounds of pass rates between which nothing lies",
      { more: "curriculum: { passRates: { path: r.jsonl, min: 0.9, max: 0.2 } }" },
      "curriculum.passRates.min: is 0.9, but curriculum.passRates.max is 0.2",
    ],
    [
      "a reply that is longer than its context",
      { agent: "{ preset: tiny, settings: { finalTokens: 64 } }", data: file },
      "agent.settings.finalTokens: is 64, but rollout.maxTokens, the limit of prompt and reply together, is 64",
      "raise rollout.maxTokens",
    ],
  ])("is refused with %s", (what, sections, ...said) => {
    const text = recipe(sections).replace(
      "learner: {",
      what.startsWith("step advantages") ? "learner: { preset: rememr1," : "learner: {",
    );
    for (const words of said) expect(() => parseRecipe(text, "/data", "r.yaml")).toThrow(words);
  });

  it("names everything at once, and takes what fits together", () => {
    const two = recipe({ agent: memupdate, more: "reward: { name: rememr1 }" });
    expect(() => parseRecipe(two, "/data", "r.yaml")).toThrow(
      /reward\.name: is rememr1[\s\S]*and data\.source: is ruler/,
    );
    const older = recipe({ train: "{ steps: 3, maxStaleness: 2, staleGroups: refill }" });
    expect(parseRecipe(older, "/data", "r.yaml").train.maxStaleness).toBe(2);
    const refills = recipe({
      train: "{ steps: 3, maxStaleness: 2, staleGroups: refill, zeroVarianceRefills: 3 }",
    });
    expect(parseRecipe(refills, "/data", "r.yaml").train.zeroVarianceRefills).toBe(3);
    const gains = "reward: { name: rememr1, settings: { recallGain: 0, format: 0 } }";
    expect(parseRecipe(recipe({ more: `${gains}\n${rollout}` }), "/data", "r.yaml").reward.config.name).toBe(
      "rememr1",
    );
    const passes = recipe({
      agent: "{ kind: parallel, preset: tiny }",
      more: "reward: { name: boxed-f1, settings: { unusedPasses: 0.5 } }",
    });
    expect(parseRecipe(passes, "/data", "r.yaml").reward.config).toMatchObject({ unusedPasses: 0.5 });
    const fits = recipe({ agent: memupdate, data: store, more: "reward: { name: store-probes }" });
    expect(parseRecipe(fits, "/data", "r.yaml").agent.kind).toBe("memupdate");
  });
});
