import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { loadTasks, prepareData, preparerByName } from "../index.js";
import { numberedFacts, replacedFacts } from "./fact-list.js";

const context = `Here is a list of facts:
0. The capital of Norland is Alta.
1. Ada Berg is famous for The Blue Door.
2. skittles is associated with the sport of bowling.
3. The author of Elm is Ada Berg.
4. Ada Berg is famous for Rivers.
5. The capital of Norland is Bera.
6. The capital of Sudland is Bera.
7. skittles is associated with the sport of rowing.`;
const questions: readonly (readonly [string, string, readonly string[]])[] = [
  ["What is the capital of Norland?", "Bera", ["Alta"]],
  ["What is Ada Berg famous for?", "Rivers", ["The Blue Door"]],
  ["Which sport is skittles associated with?", "rowing", ["bowling"]],
  // Nothing was replaced; the value is not the newest; the question names no subject of such a fact.
  ["Who is the author of Elm?", "Ada Berg", []],
  ["What is the capital of Norland?", "Alta", []],
  ["Where does she live?", "Bera", []],
];

describe("replacedFacts", () => {
  it.each(questions)("finds the older ending of the fact that answers: %s %s", (question, answer, old) => {
    expect(replacedFacts(numberedFacts(context), question, [answer])).toEqual(old);
  });
});

describe("MemoryAgentBench's rows", () => {
  const row = (source: string, more: object = {}) => ({
    context,
    questions: questions.map(([question]) => question),
    answers: questions.map(([, answer]) => [answer]),
    metadata: {
      source,
      qa_pair_ids: questions.map((_, at) => `${source}_no${at}`),
      question_types: null,
      demo: "x",
    },
    ...more,
  });

  async function prepared(rows: readonly unknown[], options: object = {}) {
    const folder = testFolder();
    const input = join(folder, "Conflict_Resolution.json");
    writeFileSync(input, JSON.stringify(rows));
    const out = join(folder, "tasks.jsonl");
    const preparer = preparerByName("memory-agent-bench");
    const request = { preparer, options: { ...options }, inputs: [input], out, seed: 0 };
    const { manifest, badRows } = await prepareData({ ...request, format: "task" });
    return { manifest, badRows, tasks: (await loadTasks(out)).tasks };
  }

  it("become a task for each question, with one text for all of them and the replaced values", async () => {
    const { tasks, manifest } = await prepared([
      row("factconsolidation_sh_6k"),
      row("factconsolidation_mh_6k"),
    ]);
    expect(tasks).toHaveLength(12);
    expect(tasks[1]).toMatchObject({
      id: "factconsolidation_sh_6k_no1",
      answers: ["Rivers"],
      document: context,
      metadata: { category: "factconsolidation_sh_6k", abstention: false, oldValues: "The Blue Door" },
    });
    // The chain of a question over several facts is not known.
    expect(tasks.filter(({ metadata }) => metadata["oldValues"] !== undefined)).toHaveLength(3);
    expect(manifest.files.map(({ kind, rows }) => [kind, rows])).toEqual([
      ["tasks", 12],
      ["corpus", 1],
    ]);
    expect(Object.keys(manifest.remarks)).toContain(
      "factconsolidation_sh_6k: 6 questions, but 100 are published",
    );
  });

  it("are selected by their source, and refused if answers and questions differ in number", async () => {
    const { tasks, manifest, badRows } = await prepared(
      [row("icl_own"), row("factconsolidation_sh_6k"), row("factconsolidation_sh_6k", { answers: [["x"]] })],
      { sources: ["factconsolidation"] },
    );
    expect(tasks).toHaveLength(6);
    expect(manifest.leftOut).toEqual({ "source icl_own": 1 });
    expect(badRows.map(({ detail }) => detail)).toEqual(["answers: has 1 lists for 6 questions"]);
  });
});
