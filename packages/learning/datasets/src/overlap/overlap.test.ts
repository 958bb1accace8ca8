import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "@palimpsest/std/random";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { EvaluationQuestions } from "./evaluation-questions.js";
import { findOverlap } from "./find-overlap.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const task = (id: string, question: string) => ({
  id,
  question,
  answers: ["x"],
  document: "a text",
  metadata: {},
});
type Row = ReturnType<typeof task>;

function write(name: string, rows: readonly Row[]): string {
  const path = join(folder, name);
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return path;
}

const subjects = [
  "river",
  "painter",
  "treaty",
  "engine",
  "island",
  "novel",
  "bridge",
  "general",
  "comet",
  "opera",
];
/** Distinct questions, half of which are one template with another name. */
const question = (i: number) =>
  i % 2 === 0
    ? `What is the place of birth of the director of the film Number ${i} Street ${i * 7}?`
    : `After which ${subjects[i % 10]} was the ${i}th ${subjects[(i * 3) % 10]} of Vell named, when its mayor, Ada ${i} Holm, left?`;

/** Moves the second half of a question to its front, and takes its punctuation away. */
const turned = (text: string) => {
  const words = text.replaceAll(/[?,]/g, "").split(" ");
  const half = Math.ceil(words.length / 2);
  return [...words.slice(half), ...words.slice(0, half)].join(" — ").toUpperCase();
};

describe("findOverlap", () => {
  it("finds 20 of 20 planted questions in 500, and nothing else", async () => {
    const evaluation = Array.from({ length: 60 }, (_, i) => task(`dev-${i}`, question(i + 1)));
    const planted = evaluation.slice(0, 20).map(({ id, question: asked }, i) => {
      if (i < 5) return task(id, `Entirely different words, the ${i}th time`);
      if (i < 10) return task(`t-${i}`, `  ${asked.toUpperCase().replaceAll(" ", "  ")} !`);
      if (i < 15) return task(`t-${i}`, turned(asked));
      // Other words before it, and its first words lost.
      return task(`t-${i}`, `Please tell me: ${asked.split(" ").slice(3).join(" ")}`);
    });
    const others = Array.from({ length: 480 }, (_, i) => task(`train-${i}`, question(i + 1000)));
    const rows = createRandom("planted").shuffle([...planted, ...others]);
    const path = write("train.jsonl", rows);
    const drop = join(folder, "clean.jsonl");
    const { found, rows: count } = await findOverlap({
      path,
      evaluation: [write("dev.jsonl", evaluation)],
      drop,
    });
    expect(count).toBe(500);
    expect(found.map(({ row }) => rows[row - 1])).toEqual(rows.filter((row) => planted.includes(row)));
    for (const { trainingId, id, by } of found) {
      const at = planted.findIndex((row) => row.id === trainingId);
      expect([id, by]).toEqual([`dev-${at}`, at < 5 ? "id" : at < 15 ? "words" : "n-grams"]);
    }
    const kept = readFileSync(drop, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(kept).toEqual(rows.filter((row) => !planted.includes(row)));
  });

  it("compares characters where a script has no spaces", () => {
    const questions = new EvaluationQuestions();
    questions.add("dev", task("1", "苏州河上最古老的石桥是由哪位工程师在哪一年设计的？"));
    questions.add("dev", task("2", "แม่น้ำสายใดไหลผ่านเมืองที่จิตรกรเกิดในปี 1890"));
    const by = (text: string) => questions.overlapOf(task("t", text))?.by;
    expect(by("苏州河上最古老的石桥，是由哪位工程师、在哪一年设计的")).toBe("words");
    expect(by("请问：苏州河上最古老的石桥是由哪位工程师设计的？")).toBe("n-grams");
    expect(by("แม่น้ำสายใดไหลผ่านเมืองที่จิตรกรเกิด")).toBe("n-grams");
    expect(by("长江上最年轻的铁桥是哪家公司建造的？")).toBeUndefined();
  });

  it("takes a question at several lengths for one, and no phrase of a template for a question", () => {
    const questions = new EvaluationQuestions();
    for (const file of ["eval_50", "eval_200", "eval_800", "eval_3200", "eval_6400", "eval_12800"])
      questions.add(file, task(`${file}-1`, question(1)));
    expect(questions.overlapOf(task("t", `${question(1)} Say it briefly`))).toMatchObject({
      by: "n-grams",
      share: 1,
      file: "eval_50",
    });
    questions.add("dev", task("2", question(2)));
    for (let i = 100; i < 120; i += 2) questions.observe(question(i));
    expect(questions.overlapOf(task("t", question(100)))).toBeUndefined();
  });

  it("writes nothing where rows would lose the file beside them, and names an evaluation without tasks", async () => {
    const evaluation = [write("dev.jsonl", [task("dev", question(1))])];
    const path = join(folder, "train.jsonl");
    const row = { ...task("t", question(2)), document: { corpus: "train.corpus.json", indices: [0] } };
    writeFileSync(path, JSON.stringify(row));
    const drop = join(testFolder(), "clean.jsonl");
    await expect(findOverlap({ path, evaluation, drop })).rejects.toThrow(/row 1 .*into the same folder/);
    expect(existsSync(drop)).toBe(false);
    expect((await findOverlap({ path, evaluation, drop: join(folder, "clean.jsonl") })).rows).toBe(1);
    const empty = write("empty.jsonl", []);
    await expect(findOverlap({ path, evaluation: [empty] })).rejects.toThrow(
      /evaluation: .*contains no task/,
    );
  });
});
