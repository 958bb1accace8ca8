import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memAgent, memAgentConfig, toTrajectory } from "@palimpsest/agents";
import { oracleReply, scriptedSampler, wordTokenizer } from "@palimpsest/agents/testing";
import { readTraces } from "@palimpsest/evals";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeStepTraces } from "./step-traces.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "step-traces-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

it("writes every trajectory of a step with its question, memories and rewards, and keeps the last steps", async () => {
  const tokenizer = wordTokenizer();
  const sampler = scriptedSampler({ tokenizer, reply: oracleReply });
  const agent = memAgent({ sampler, tokenizer, config: memAgentConfig("tiny") });
  const task = { id: "t", question: "what does tom like?", answers: ["figs"], metadata: { lengthTokens: 4 } };
  const result = await agent.run({ ...task, document: " tom likes figs." });
  const ids = { trajectoryId: "g/0", groupId: "g", taskId: "t", episodeIndex: 0, actorId: "a" };
  const trajectory = toTrajectory("memagent", result, ids);
  const score = { reward: 1, components: { exactMatch: 1 }, stepRewards: [0.5, 1] };
  const group = { groupId: "g", taskId: "t", groupSize: 2, members: [{ trajectory, score }] };
  let path = "";
  for (const step of [1, 2, 3]) {
    path = await writeStepTraces(
      folder,
      {
        ...{ runId: "run-1", step, groups: [group, { ...group, taskId: "other" }], tasks: [task], tokenizer },
        detail: step === 3 ? "text" : undefined,
      },
      { keepLast: 2 },
    );
  }
  expect((await readdir(folder)).sort()).toEqual(["step-00000002.jsonl", "step-00000003.jsonl"]);
  const traces = [];
  for await (const trace of readTraces(path)) traces.push(trace);
  expect(traces).toHaveLength(2);
  expect(traces[0]).toMatchObject({
    origin: "train",
    run: "run-1",
    trainingStep: 3,
    groupId: "g",
    task: { question: "what does tom like?", answers: ["figs"] },
    reward: { total: 1 },
    conversations: [{ reward: 0.5 }, { reward: 1, kind: "final" }],
    memorySteps: [{ memory: " tom likes figs." }],
  });
  expect(traces[0]?.conversations[0]?.prompt).toContain("tom likes figs");
  expect(traces[1]?.task).toEqual({ id: "other", question: "", answers: [] });
});
