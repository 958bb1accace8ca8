import { readdir } from "node:fs/promises";
import { memAgent, memAgentConfig, toTrajectory } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { readTraces, type Trace } from "@palimpsest/evals";
import type { DroppedGroup, EpisodeFailure, Group } from "@palimpsest/trajectories";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { writeEvaluationTraces, writeStepTraces } from "./step-traces.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const tokenizer = wordTokenizer();
const task = { id: "t", question: "what does tom like?", answers: ["figs"], metadata: { lengthTokens: 4 } };

/** A group of one episode that an agent really ran. */
async function groupOf(groupId: string): Promise<Group> {
  const sampler = scriptedSampler({ tokenizer, reply: oracleReply });
  const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
  const result = await agent.run({ ...task, document: " tom likes figs." });
  const ids = { trajectoryId: `${groupId}/0`, groupId, taskId: "t", episodeIndex: 0, actorId: "a" };
  const trajectory = toTrajectory("memagent", result, ids);
  const score = { reward: 1, components: { exactMatch: 1 }, stepRewards: [0.5, 1] };
  return { groupId, taskId: "t", groupSize: 2, members: [{ trajectory, score }] };
}

it("writes every trajectory of a step with its question, memories and rewards, and keeps the first step and the last ones", async () => {
  const group = await groupOf("g");
  let path = "";
  for (const step of [1, 2, 3, 4]) {
    path = await writeStepTraces(
      folder,
      {
        ...{ runId: "run-1", step, groups: [group, { ...group, taskId: "other" }], tasks: [task], tokenizer },
        detail: step === 4 ? "text" : undefined,
      },
      { keepLast: 2 },
    );
  }
  expect((await readdir(folder)).sort()).toEqual([1, 3, 4].map((step) => `step-0000000${step}.jsonl`));
  const traces = [];
  for await (const trace of readTraces(path)) traces.push(trace);
  expect(traces).toHaveLength(2);
  expect(traces[0]).toMatchObject({
    origin: "train",
    run: "run-1",
    trainingStep: 4,
    groupId: "g",
    task: { question: "what does tom like?", answers: ["figs"] },
    reward: { total: 1 },
    conversations: [{ reward: 0.5 }, { reward: 1, kind: "final" }],
    memorySteps: [{ memory: " tom likes figs." }],
  });
  expect(traces[0]?.conversations[0]?.prompt).toContain("tom likes figs");
  expect(traces[1]?.task).toEqual({ id: "other", question: "", answers: [] });
});

it("keeps the traces of the first evaluation and of the last ones, beside those of steps", async () => {
  const traces: Trace[] = [];
  const told = { runId: "run-1", step: 1, groups: [await groupOf("g")], tasks: [task], tokenizer };
  for await (const trace of readTraces(await writeStepTraces(folder, told, { keepLast: 1 })))
    traces.push(trace);
  for (const version of [0, 10, 20, 30])
    await writeEvaluationTraces(folder, version, traces, { keepLast: 2 });
  expect((await readdir(folder)).sort()).toEqual([
    ...["evaluation-00000000.jsonl", "evaluation-00000020.jsonl", "evaluation-00000030.jsonl"],
    "step-00000001.jsonl",
  ]);
});

const failure = (groupId: string, episode: number, message: string): EpisodeFailure => ({
  ...{ groupId, message, stage: "rollout", trajectoryId: `${groupId}/${episode}` },
});
const dropped: readonly DroppedGroup[] = [
  { groupId: "dropped", taskId: "t", step: 7, reason: "BELOW_MIN_GROUP_SIZE" },
];

it("writes what was not trained too: rejected groups whole, failed episodes and dropped groups with their reason", async () => {
  const told = {
    ...{ runId: "run-1", step: 7, groups: [await groupOf("trained")], rejected: [await groupOf("rejected")] },
    dropped,
    failures: [
      failure("trained", 1, "BACKEND_FAILURE: out of memory"),
      failure("rejected", 1, "the judge gave no verdict"),
      failure("dropped", 0, "gone"),
    ],
    ...{ tasks: [task], tokenizer },
  };
  const traces: Trace[] = [];
  for await (const trace of readTraces(await writeStepTraces(folder, told, { keepLast: 1 })))
    traces.push(trace);
  const said = traces.map(({ trajectoryId, groupId, discarded, failure: why, conversations }) => [
    ...[trajectoryId, groupId, discarded ?? "", why ?? "", conversations.length],
  ]);
  expect(said).toEqual([
    ["trained/0", "trained", "", "", 2],
    ["rejected/0", "rejected", "its group was not trained: ZERO_VARIANCE", "", 2],
    ["trained/1", "trained", "", "rollout: BACKEND_FAILURE: out of memory", 0],
    ["rejected/1", "rejected", "", "rollout: the judge gave no verdict", 0],
    ["dropped/0", "dropped", "", "rollout: gone", 0],
    ["dropped", "dropped", "", "the group was dropped: BELOW_MIN_GROUP_SIZE", 0],
  ]);
  // Each names its question, its agent and the step, so that the page can show it beside the others of its group.
  for (const trace of traces)
    expect(trace, trace.trajectoryId).toMatchObject({
      ...{ agent: "memagent", run: "run-1", trainingStep: 7 },
      task: { id: "t", question: "what does tom like?", answers: ["figs"] },
    });
});

it("names the agent of failures in a step of which nothing was trained", async () => {
  const told = {
    ...{
      runId: "run-1",
      step: 1,
      groups: [],
      rejected: [await groupOf("rejected")],
      tasks: [task],
      tokenizer,
    },
    failures: [failure("rejected", 1, "it ended")],
  };
  const traces: Trace[] = [];
  for await (const trace of readTraces(await writeStepTraces(folder, told, { keepLast: 1 })))
    traces.push(trace);
  expect(traces.map(({ agent, failure: why }) => [agent, why])).toEqual([
    ["memagent", undefined],
    ["memagent", "rollout: it ended"],
  ]);
});
