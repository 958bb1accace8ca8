import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@palimpsest/std";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { checkData, loadTasks, type Manifest, prepareData, preparedTasks, preparerByName } from "../index.js";
import { indexedFrom } from "../written/row-format.js";
import type { PrepareRequest } from "./prepare-data.js";

const folder = fileFolder();

/** A HotpotQA row with two paragraphs of evidence and one more. */
const aRow = (i: number, more: object = {}) => ({
  _id: `id-${i}`,
  question: `question ${i}?`,
  answer: `answer${i}`,
  supporting_facts: [
    [`B${i}`, 0],
    [`A${i}`, 0],
  ],
  context: [
    [`A${i}`, [`about ${i}`]],
    [`B${i}`, [`answer${i}`]],
    [`C${i}`, ["else"]],
  ],
  type: "bridge",
  level: i % 2 === 0 ? "hard" : "easy",
  ...more,
});
let inputs = 0;
function input(rows: readonly unknown[]): string {
  const path = join(folder, `input-${inputs++}.json`);
  writeFileSync(path, JSON.stringify(rows));
  return path;
}
const rows = Array.from({ length: 8 }, (_, i) => aRow(i));
let outs = 0;
const out = (ending = ".jsonl") => join(folder, `out-${outs++}${ending}`);

const prepare = (name: string, request: Partial<PrepareRequest> & { inputs: readonly string[] }) =>
  prepareData({
    preparer: preparerByName(name),
    options: {},
    out: out(),
    seed: 1,
    format: "task",
    ...request,
  });

const sha256 = (path: string) => sha256Of(readFileSync(path));

async function tasksOf(path: string) {
  const tasks = [];
  for await (const task of preparedTasks(path)) tasks.push(task);
  return tasks;
}

describe("prepareData", () => {
  it("writes tasks that recipes read, and a manifest that names sources, counts and hashes", async () => {
    const path = out();
    const source = input(rows);
    const { manifest, manifestPath } = await prepare("hotpotqa", {
      inputs: [source],
      out: path,
      options: { docs: 6 },
    });
    expect(manifestPath).toBe(`${path}.manifest.json`);
    expect(JSON.parse(readFileSync(manifestPath, "utf8"))).toEqual(manifest);
    expect(manifest).toMatchObject({
      dataset: "hotpotqa",
      options: { docs: 6, clean: false },
      seed: 1,
      limit: null,
      sources: [{ sha256: sha256(source), rows: 8 }],
      files: [{ kind: "tasks", rows: 8, sha256: sha256(path) }],
      tasks: 8,
      badRows: { total: 0, byReason: {}, list: null },
    });
    const tasks = (await loadTasks(path)).tasks;
    expect(tasks.map(({ id }) => id)).toEqual(rows.map(({ _id }) => _id));
    for (const { document, metadata, answers } of tasks) {
      expect(document.match(/^Document \d+:$/gm)).toHaveLength(6);
      expect(metadata).toMatchObject({ dataSource: "hotpotqa", numDocs: 6, type: "bridge" });
      const [first = "", second = ""] = String(metadata["goldDocuments"]).split(" ");
      expect(document).toContain(`Document ${first}:\nB`);
      expect(document).toContain(`Document ${second}:\nA`);
      expect(document).toContain(answers[0]);
    }
  });

  it("gives the same bytes for the same seed and others for another", async () => {
    const made = async (seed: number | string) => {
      const { manifest } = await prepare("hotpotqa", { inputs: [input(rows)], options: { docs: 9 }, seed });
      return manifest.files[0]?.sha256;
    };
    expect(await made(7)).toBe(await made(7));
    expect(await made("seven")).not.toBe(await made(7));
  });

  it("lists bad rows by reason beside the file, and never drops one without a word", async () => {
    const path = out();
    const bad = [
      aRow(0),
      aRow(1, { question: undefined }),
      aRow(2, { supporting_facts: [["nowhere", 0]] }),
      "no row",
      aRow(0),
    ];
    const { manifest, badRows } = await prepare("hotpotqa", { inputs: [input(bad)], out: path });
    expect(manifest.tasks).toBe(1);
    expect(manifest.badRows).toMatchObject({
      total: 4,
      byReason: { "missing-field": 1, "evidence-not-in-context": 1, "not-an-object": 1, "duplicate-id": 1 },
    });
    const listed = readFileSync(`${path}.bad-rows.jsonl`, "utf8").trim().split("\n");
    expect(listed.map((line) => JSON.parse(line) as unknown)).toEqual(badRows);
    // Prepared again without them, the list is gone.
    await prepare("hotpotqa", { inputs: [input(rows)], out: path });
    expect(existsSync(`${path}.bad-rows.jsonl`)).toBe(false);
  });

  it("names the source's row of an id that is there twice, in its own data sets and in rows of other fields", async () => {
    const twice = input([...rows.slice(0, 3), aRow(1)]);
    const first = await prepare("hotpotqa", { inputs: [twice], options: { docs: 4 } });
    expect(first.badRows).toMatchObject([{ source: twice, row: 4, reason: "duplicate-id" }]);
    const plain = { question: "q?", answers: ["a"], document: "d" };
    const named = input([
      { id: "x", ...plain },
      { id: "y", ...plain },
      { id: "x", ...plain },
    ]);
    const second = await prepare("jsonl", { inputs: [named] });
    expect(second.badRows).toMatchObject([{ source: named, row: 3, reason: "duplicate-id" }]);
    // Where a row comes from is no part of its task.
    expect(await tasksOf(second.files[0]?.path ?? "")).toEqual([
      { id: "x", ...plain, metadata: {} },
      { id: "y", ...plain, metadata: {} },
    ]);
  });

  it("says what is wrong with a limit, a length or a place to write that cannot be", async () => {
    const inputs = [input(rows)];
    await expect(prepare("hotpotqa", { inputs, limit: 0 })).rejects.toThrow("limit: 0 leaves no task");
    await expect(
      prepare("ruler-hqa", { inputs, out: out(""), options: { lengths: [5, 4, 5] } }),
    ).rejects.toThrow(/lengths: a length occurs twice.*; it is/);
    await expect(prepare("hotpotqa", { inputs, out: folder })).rejects.toThrow(
      "is a folder; give the path of a file",
    );
    const below = join(input(rows), "x.jsonl");
    await expect(prepare("hotpotqa", { inputs, out: below })).rejects.toMatchObject({
      code: "UNWRITABLE_FILE",
      message: expect.stringContaining(`out: cannot write "${below}"`),
    });
  });

  it("leaves no file behind where no task comes of it, and says why", async () => {
    const path = out();
    await expect(prepare("hotpotqa", { inputs: [input([{}])], out: path })).rejects.toThrow(
      "1 bad row(s); the first is row",
    );
    await expect(
      prepare("hotpotqa", { inputs: [input(rows)], out: path, options: { minDistance: 99 } }),
    ).rejects.toThrow("min-distance 8");
    expect(
      readdirSync(folder).filter((name) => path.endsWith(name.slice(0, 8)) && name.includes("part")),
    ).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  it("refuses inputs, options and outputs that do not fit", async () => {
    await expect(prepare("hotpotqa", { inputs: [] })).rejects.toMatchObject({ code: "BAD_CONFIG" });
    await expect(prepare("hotpotqa", { inputs: [input(rows)], options: { color: 1 } })).rejects.toThrow(
      "color",
    );
    await expect(prepare("ruler-hqa", { inputs: [input(rows)] })).rejects.toThrow("give a folder");
    const finished = input([{ input: "q?", answers: ["a"], context: "text", index: 0 }]);
    await expect(prepare("hotpotqa", { inputs: [finished], options: { docs: 5 } })).rejects.toThrow(
      "contains finished contexts",
    );
    expect(() => preparerByName("hotpot")).toThrow("use one of hotpotqa, ");
  });

  it("keeps questions by the places of their evidence and counts those it leaves out", async () => {
    const { manifest } = await prepare("hotpotqa", {
      inputs: [input(rows)],
      options: { docs: 20, order: "reverse", minDistance: 3 },
    });
    expect(
      manifest.tasks + (manifest.leftOut["evidence-order"] ?? 0) + (manifest.leftOut["min-distance"] ?? 0),
    ).toBe(8);
    const path = join(folder, manifest.files[0]?.path ?? "");
    for (const { metadata } of await tasksOf(path)) {
      expect(metadata["evidenceOrder"]).toBe("reverse");
      expect(metadata["minDistance"]).toBeGreaterThanOrEqual(3);
    }
  });

  it("drops under clean the questions whose answer another paragraph of the pool holds", async () => {
    const pool = join(folder, "pool.jsonl");
    const paragraphs = [
      { title: "P", text: "nothing" },
      { title: "Q", text: "ANSWER3 and answer5" },
      "R\nanswer6",
    ];
    writeFileSync(pool, paragraphs.map((one) => JSON.stringify(one)).join("\n"));
    const { manifest } = await prepare("hotpotqa", {
      inputs: [input(rows)],
      options: { clean: true, pool: [pool] },
    });
    expect(manifest).toMatchObject({ tasks: 5, leftOut: { "answer-elsewhere": 3 } });
  });

  it("stops at the limit", async () => {
    const { manifest } = await prepare("hotpotqa", { inputs: [input(rows)], limit: 3 });
    expect(manifest).toMatchObject({ tasks: 3, limit: 3 });
  });

  it("ends at an abort and leaves no part of a file", async () => {
    const stop = new AbortController();
    const path = out();
    const request = {
      inputs: [input(rows)],
      out: path,
      signal: stop.signal,
      onProgress: () => stop.abort(new Error("enough")),
    };
    await expect(prepare("hotpotqa", request)).rejects.toThrow("enough");
    expect(readdirSync(folder).some((name) => name.includes(".part"))).toBe(false);
    expect(existsSync(path)).toBe(false);
  });
});

describe("files of several forms", () => {
  it("hold the same tasks as JSONL of this project, of vime and as evaluation file", async () => {
    const paths = { task: out(), vime: out(), eval: out(".json") } as const;
    for (const format of ["task", "vime", "eval"] as const) {
      await prepare("hotpotqa", { inputs: [input(rows)], options: { docs: 6 }, out: paths[format], format });
    }
    const tasks = await tasksOf(paths.task);
    expect(tasks).toHaveLength(8);
    expect(await tasksOf(paths.vime)).toEqual(tasks);
    expect(await tasksOf(paths.eval)).toEqual(tasks);
    const first = (JSON.parse(readFileSync(paths.eval, "utf8")) as Record<string, unknown>[])[0] ?? {};
    const gold = String(tasks[0]?.metadata["goldDocuments"])
      .split(" ")
      .map((place) => Number(place) - 1);
    expect(first).toMatchObject({
      input: "question 0?",
      answers: ["answer0"],
      num_docs: 6,
      index: 0,
      evidence_idx: gold,
    });
    const [line = ""] = readFileSync(paths.vime, "utf8").split("\n");
    expect(JSON.parse(line)).toMatchObject({
      prompt: "question 0?",
      label: "answer0",
      metadata: { ground_truth: ["answer0"], num_docs: 6, data_source: "hotpotqa" },
    });
  });

  it("hold indices into a corpus where contexts are very long, which are resolved again", async () => {
    const pool = join(folder, "large-pool.jsonl");
    writeFileSync(
      pool,
      Array.from({ length: indexedFrom + 50 }, (_, i) =>
        JSON.stringify({ title: `T${i}`, text: `p ${i}` }),
      ).join("\n"),
    );
    for (const format of ["eval", "task"] as const) {
      const path = out("");
      const { manifest } = await prepare("ruler-hqa", {
        inputs: [input(rows)],
        options: { lengths: [5, indexedFrom], pool: [pool] },
        limit: 2,
        out: path,
        format,
      });
      const ending = format === "eval" ? "json" : "jsonl";
      expect(manifest.files.map((file) => [file.path, file.kind, file.rows])).toEqual([
        [`eval_5.${ending}`, "tasks", 2],
        [`eval_${indexedFrom}.${ending}`, "tasks", 2],
        ["corpus.json", "corpus", expect.any(Number)],
      ]);
      const [long] = await tasksOf(join(path, `eval_${indexedFrom}.${ending}`));
      const [short] = await tasksOf(join(path, `eval_5.${ending}`));
      expect(long?.id).toBe(short?.id);
      expect(long?.document.match(/^Document \d+:$/gm)).toHaveLength(indexedFrom);
      const [place = ""] = String(long?.metadata["goldDocuments"]).split(" ");
      expect(long?.document).toContain(`Document ${place}:\nB0\nanswer0`);
      expect((await checkData(path))[0]?.right).toBe(true);
      if (format !== "eval") continue;
      // As files of others are: their corpus is named, and is a source.
      const again = out();
      const source = join(path, `eval_${indexedFrom}.json`);
      const corpus = join(path, "corpus.json");
      const read = prepare("jsonl", {
        inputs: [source],
        out: again,
        limit: 1,
        format: "vime",
        options: { corpus },
      });
      expect((await read).manifest.sources.map(({ sha256: hash }) => hash)).toEqual([
        sha256(source),
        sha256(corpus),
      ]);
      expect((await tasksOf(again))[0]?.document).toBe(long?.document);
    }
  });

  it("are prepared again from any of their forms by jsonl, and from fields of other names", async () => {
    const vime = out();
    await prepare("hotpotqa", { inputs: [input(rows)], out: vime, format: "vime" });
    const again = out();
    await prepare("jsonl", { inputs: [vime], out: again });
    expect(await tasksOf(again)).toEqual(await tasksOf(vime));
    const named = input([
      { q: "q?", a: "x", text: "some text", n: 3, key: 9 },
      { q: "", a: "x", text: "t" },
    ]);
    const options = {
      questionField: "q",
      answersField: "a",
      documentField: "text",
      idField: "key",
      keepFields: ["n"],
    };
    const path = out();
    const { manifest } = await prepare("jsonl", { inputs: [named], options, out: path });
    expect(manifest.badRows.byReason).toEqual({ "empty-field": 1 });
    expect(await tasksOf(path)).toEqual([
      {
        id: "9",
        question: "q?",
        answers: ["x"],
        document: "some text",
        metadata: { dataSource: "jsonl", n: 3 },
      },
    ]);
  });
});

describe("answers", () => {
  const row = (answers: unknown) => ({ question: "How many?", answers, document: "Forty-two." });
  const prepared = async (values: readonly unknown[]) => {
    const path = join(folder, `answers-${outs++}.jsonl`);
    writeFileSync(path, values.map((value) => JSON.stringify(value)).join("\n"));
    return await prepare("jsonl", { inputs: [path], out: out() });
  };

  it("are scored by their text if they are numbers, true or false, in every format", async () => {
    const forms = [42, 3.5, -1, true, false, [42, "forty-two"]];
    const { files } = await prepared(forms.map((answers, i) => ({ ...row(answers), id: `r${i}` })));
    const tasks = await tasksOf(files[0]?.path ?? "");
    expect(tasks.map(({ answers }) => answers)).toEqual([
      ["42"],
      ["3.5"],
      ["-1"],
      ["true"],
      ["false"],
      ["42", "forty-two"],
    ]);
    const musique = {
      id: "m",
      question: "How many?",
      answer: 42,
      answer_aliases: [43, ""],
      paragraphs: [{ title: "A", paragraph_text: "x", is_supporting: true }],
    };
    const squad = { id: "s", question: "How many?", context: "x", answers: { text: [7], answer_start: [0] } };
    const memAgent = {
      prompt: [{ content: "How many?" }],
      context: "x",
      reward_model: { ground_truth: [7, true] },
    };
    const of = async (name: string, value: object) =>
      (await tasksOf((await prepare(name, { inputs: [input([value])] })).files[0]?.path ?? ""))[0]?.answers;
    expect(await of("musique", musique)).toEqual(["42", "43"]);
    expect(await of("squad", squad)).toEqual(["7"]);
    expect(await of("hotpotqa", aRow(1, { answer: 1969 }))).toEqual(["1969"]);
    expect(await of("hotpotqa", memAgent)).toEqual(["7", "true"]);
  });

  it("of another type are named by row, field and type", async () => {
    const { badRows } = await prepared(
      [
        row("good"),
        ...[null, { text: ["x"], answer_start: [0] }, ["x", null], ["x", ["y"]], [], "", {}].map(row),
        "",
      ].filter((one) => one !== ""),
    );
    expect(badRows.map(({ row: line, detail }) => `${line} ${detail}`)).toEqual([
      "2 answers: is null; give a text, or true or false, or a number, or a list",
      "3 answers: is an object with text, answer_start; give a text, or true or false, or a number, or a list",
      "4 answers.1: is null; give a text, or true or false, or a number",
      "5 answers.1: is a list; give a text, or true or false, or a number",
      expect.stringMatching(/^6 answers: /),
      expect.stringMatching(/^7 answers: /),
      "8 answers: is an empty object; give a text, or true or false, or a number, or a list",
    ]);
    const path = join(folder, "large.jsonl");
    writeFileSync(
      path,
      `{"question":"q","document":"d","answers":12345678901234567890}\n${JSON.stringify(row("x"))}`,
    );
    const large = await prepare("jsonl", { inputs: [path], out: out() });
    expect(large.badRows[0]?.detail).toMatch(/^answers: is 12345678901234567000, and .* write it as a text$/);
  });

  it("have the other names of id_aliases.json beside the input, or of the file that is named", async () => {
    const here = join(folder, `wiki-${outs++}`);
    mkdirSync(here);
    const path = join(here, "dev.json");
    writeFileSync(
      path,
      JSON.stringify([aRow(1, { answer_id: "Q1" }), aRow(2, { answer_id: "Q2" }), aRow(3)]),
    );
    const plain = await prepare("2wikimultihopqa", { inputs: [path] });
    expect(plain.manifest.remarks).toEqual({});
    const lines = [
      { Q_id: "Q1", aliases: ["One", "answer1", " "], demonyms: ["Oner"] },
      { Q_id: "Q9", aliases: ["Nine"], demonyms: [] },
    ];
    writeFileSync(join(here, "id_aliases.json"), lines.map((line) => JSON.stringify(line)).join("\n"));
    const { files, manifest } = await prepare("2wikimultihopqa", { inputs: [path] });
    const tasks = await tasksOf(files[0]?.path ?? "");
    expect(tasks.map(({ answers }) => answers)).toEqual([
      ["answer1", "One", "Oner"],
      ["answer2"],
      ["answer3"],
    ]);
    expect(manifest.remarks).toEqual({ "answer-with-aliases": 1, "answer-without-id": 1 });
    expect(manifest.sources.map(({ path: source }) => source)).toContainEqual(
      expect.stringContaining("id_aliases.json"),
    );
    const named = await prepare("2wikimultihopqa", {
      inputs: [input([aRow(1, { answer_id: "Q1" })])],
      options: { aliases: join(here, "id_aliases.json") },
    });
    expect(named.manifest.remarks).toEqual({ "answer-with-aliases": 1 });
  });
});

describe("checkData", () => {
  const states = async (path: string, expected?: readonly string[]) => {
    const [checked] = await checkData(path, expected ? { expected } : {});
    return { right: checked?.right, states: checked?.files.map(({ role, state }) => `${role} ${state}`) };
  };

  it("finds files that are missing, changed or bad", async () => {
    const path = out();
    const source = input(rows);
    await prepare("hotpotqa", { inputs: [source], out: path });
    expect(await states(path)).toEqual({ right: true, states: ["source right", "tasks right"] });
    expect(await states(`${path}.manifest.json`)).toMatchObject({ right: true });
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("answer0", "answer9"));
    expect(await states(path)).toEqual({ right: false, states: ["source right", "tasks changed"] });
    writeFileSync(path, text);
    rmSync(source);
    // Prepared files may travel without their sources.
    expect(await states(path)).toEqual({ right: true, states: ["source missing", "tasks right"] });
    rmSync(path);
    expect(await states(`${path}.manifest.json`)).toEqual({
      right: false,
      states: ["source missing", "tasks missing"],
    });
  });

  it("checks the rows of a file that the manifest agrees with", async () => {
    const path = out();
    await prepare("hotpotqa", { inputs: [input(rows)], out: path });
    const line = JSON.stringify({ id: "x", question: "", answers: [], document: "" });
    writeFileSync(path, `${line}\n`);
    const manifest = JSON.parse(readFileSync(`${path}.manifest.json`, "utf8")) as Manifest;
    const files = manifest.files.map((file) => ({ ...file, sha256: sha256(path) }));
    writeFileSync(`${path}.manifest.json`, JSON.stringify({ ...manifest, files }));
    expect((await checkData(path))[0]).toMatchObject({
      right: false,
      files: [{ state: "right" }, { state: "bad-rows", detail: expect.stringContaining("empty-field") }],
    });
  });

  it("names the lengths that a folder lacks, and checks files without a manifest by their rows", async () => {
    const path = out("");
    await prepare("ruler-hqa", { inputs: [input(rows)], options: { lengths: [5, 8] }, out: path });
    expect(await states(path, ["eval_5.jsonl", "eval_8.jsonl"])).toMatchObject({ right: true });
    expect(await states(path, ["eval_5.jsonl", "eval_50.jsonl"])).toEqual({
      right: false,
      states: ["source right", "tasks right", "tasks right", "tasks missing"],
    });
    const alone = join(folder, "alone.jsonl");
    writeFileSync(alone, readFileSync(join(path, "eval_5.jsonl")));
    expect(await states(alone)).toEqual({ right: true, states: ["tasks unlisted"] });
    await expect(checkData(join(folder, "nothing"))).rejects.toMatchObject({ code: "UNREADABLE_FILE" });
  });
});
