import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { readQuestionSource } from "./question-source.js";

const folder = fileFolder();

function file(name: string, rows: readonly unknown[]): string {
  const path = join(folder, name);
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join("\n"));
  return path;
}
const question = (id: string) => ({
  _id: id,
  question: `${id}?`,
  answer: "a",
  supporting_facts: [["A", 0]],
  context: [["A", ["it is a"]]],
});
const finished = (id: string, docs: number) => ({
  input: `${id}?`,
  answers: ["a"],
  context: "it is a",
  id,
  index: 0,
  num_docs: docs,
});

describe("readQuestionSource", () => {
  it("counts a question that is there twice once, and says in which row the other one is", async () => {
    const path = file("twice.jsonl", [question("x"), question("y"), question("x")]);
    const { questions, badRows } = await readQuestionSource({ inputs: [path], dataSource: "hotpotqa" });
    expect(questions.map(({ id }) => id)).toEqual(["x", "y"]);
    expect(badRows).toMatchObject([{ source: path, row: 3, reason: "duplicate-id" }]);
  });

  it("takes the same question in finished contexts of several lengths", async () => {
    const inputs = [
      file("50.jsonl", [finished("x", 50)]),
      file("200.jsonl", [finished("x", 200), finished("x", 200)]),
    ];
    const source = await readQuestionSource({ inputs, dataSource: "hotpotqa" });
    expect(source.finished.map(({ task }) => task.metadata["numDocs"])).toEqual([50, 200]);
    expect(source.badRows).toMatchObject([{ source: inputs[1], row: 2, reason: "duplicate-id" }]);
  });
});
