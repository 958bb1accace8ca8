import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileTasks, generatedTasks, mixedTasks, shuffledTasks } from "@palimpsest/datasets";
import { expect, onTestFinished, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { overlapNotices } from "./evaluation-overlap.js";

const folder = fileFolder();
const row = (id: string, question: string, answer = "x") => ({
  id,
  question,
  answers: [answer],
  document: `of ${id}`,
});
let files = 0;

async function tasksOf(rows: readonly object[]) {
  const path = join(folder, `${++files}.jsonl`);
  writeFileSync(path, rows.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const tasks = await FileTasks.open(path);
  onTestFinished(() => tasks.close());
  return tasks;
}
const noStart = { start: undefined };

test("questions of the evaluation that are trained on are counted by text and by id", async () => {
  const trained = await tasksOf([
    row("a", "Who wrote it?"),
    row("b", "Where was it?"),
    row("c", "When was it?"),
  ]);
  const asked = [
    {
      lengthTokens: 1,
      tasks: await tasksOf([row("a", "Who wrote it?"), row("z", "Where was it?"), row("c", "Why was it?")]),
    },
    { lengthTokens: 2, tasks: await tasksOf([row("y", "Who read it?")]) },
    // The same words with another answer are another question.
    { lengthTokens: 3, tasks: await tasksOf([row("x", "Who wrote it?", "other")]) },
  ];
  const told = [
    "evaluation.files[0]: of its 3 questions 2 are among the training questions by text and 2 by id; what is trained on measures no progress, so give it other questions",
  ];
  expect(await overlapNotices(noStart, trained, asked, undefined)).toEqual(told);
  expect(await overlapNotices(noStart, shuffledTasks(trained, 3), asked, undefined)).toEqual(told);
  const mixed = mixedTasks([
    { tasks: await tasksOf([row("q", "What else?")]), weight: 1, field: "a" },
    { tasks: trained, weight: 3, field: "b" },
  ]);
  expect(await overlapNotices(noStart, mixed, asked, undefined)).toEqual([
    expect.stringContaining("2 are among the training questions by text and 0 by id"),
  ]);
});

test("generated questions are not compared: they repeat their words over other documents", async () => {
  const made = generatedTasks(4, (position) => ({
    ...row(`${position}`, "What does ben like?"),
    metadata: {},
  }));
  expect(await overlapNotices(noStart, made, [{ lengthTokens: 1, tasks: made }], undefined)).toEqual([]);
});

test("questions that demonstrations show are counted", async () => {
  const demonstrations = join(folder, "demonstrations.jsonl");
  const messages = [
    { role: "user", content: "Memory: none\nQuestion: Who wrote the letter?" },
    { role: "assistant", content: "Ana" },
  ];
  writeFileSync(
    demonstrations,
    `${JSON.stringify({ messages })}\n${JSON.stringify({ prompt: "Why?", completion: "b" })}\n`,
  );
  const start = { demonstrations } as never;
  const asked = await tasksOf([
    row("a", "Who wrote the letter?"),
    row("b", "Why?"),
    row("c", "Who read the letter?"),
  ]);
  expect(
    await overlapNotices(
      { start },
      await tasksOf([row("q", "Else?")]),
      [{ lengthTokens: 1, tasks: asked }],
      undefined,
    ),
  ).toEqual([
    "evaluation.files[0]: 1 of its 3 questions occur in start.demonstrations; give it other questions",
  ]);
});
