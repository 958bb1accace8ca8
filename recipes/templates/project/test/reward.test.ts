import assert from "node:assert/strict";
import { test } from "node:test";
import reward from "../agent/reward.js";

const task = { id: "t1", question: "what does ben like?", answers: ["figs"], document: "", metadata: {} };
const score = reward.create(reward.schema.parse({}), {});

async function scored(answer: string, memory: string): Promise<number> {
  const memorySteps = [{ step: 1, documentTokenStart: 0, documentTokenEnd: 16, memory, recalled: "" }];
  return (await score(task, { answer, memorySteps, conversations: [], counters: {} })).reward;
}

test("pays for a right answer, and a little for a note that holds it", async () => {
  assert.equal(await scored("\\boxed{figs}", " ben likes figs"), 1.25);
  assert.equal(await scored("\\boxed{cats}", " ben likes figs"), 0.25);
  assert.equal(await scored("\\boxed{cats}", " none"), 0);
});
