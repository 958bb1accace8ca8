import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { loadTasks } from "../jsonl.js";
import { prepareData } from "./prepare-data.js";
import { preparerByName } from "./registry.js";

const folder = fileFolder();

const squad = join(folder, "squad.json");
const contexts = [
  "The mill was built in 1801.",
  "The inn was built in 1802.",
  "The bridge was built in 1803.",
];
writeFileSync(
  squad,
  JSON.stringify({
    data: contexts.map((context, i) => ({
      title: "Town",
      paragraphs: [
        {
          context,
          qas: [
            { id: `q${i}`, question: "When?", answers: [{ text: `180${i + 1}` }] },
            { id: `none${i}`, question: "Why?", answers: [], is_impossible: true },
          ],
        },
      ],
    })),
  }),
);
const essay = join(folder, "essay.txt");
writeFileSync(essay, "It rained. Nobody came. The lamp was lit again.\n");

const prepare = (out: string, options: Record<string, unknown>, limit?: number) =>
  prepareData({
    preparer: preparerByName("ruler"),
    options,
    inputs: [],
    out: join(folder, out),
    seed: 3,
    format: "task",
    ...(limit === undefined ? {} : { limit }),
  });

describe("data prepare ruler", () => {
  it("writes a file for each task and length, hashes what it read and counts bad rows", async () => {
    const options = { tasks: ["qa_1", "niah_single_2"], lengths: [512, 1024], count: 3, squad, essay };
    const { files, manifest, badRows } = await prepare("some", options);
    expect(files.map(({ path, rows }) => [path.slice(folder.length + 6), rows])).toEqual([
      ["qa_1_512.jsonl", 3],
      ["qa_1_1024.jsonl", 3],
      ["niah_single_2_512.jsonl", 3],
      ["niah_single_2_1024.jsonl", 3],
    ]);
    expect(preparerByName("ruler").files?.(options)).toEqual([
      "qa_1_512",
      "qa_1_1024",
      "niah_single_2_512",
      "niah_single_2_1024",
    ]);
    expect(manifest.badRows.byReason).toEqual({ "no-answer": 3 });
    expect(badRows[0]?.source).toBe(squad);
    expect(JSON.stringify(manifest)).toContain("essay.txt");
    const { tasks, badRows: unread } = await loadTasks(join(folder, "some/qa_1_512.jsonl"));
    expect(unread).toEqual([]);
    expect(tasks.map((task) => task.metadata["task"])).toEqual(["qa_1", "qa_1", "qa_1"]);
    for (const task of tasks) expect(task.document).toContain(task.answers[0]);
    expect(tasks[0]?.metadata["lengthTokens"]).toBeLessThan(512);
  });

  it("stops in each file at the limit, and gives the same bytes again", async () => {
    const options = { tasks: ["vt"], lengths: [512, 1024], count: 5, hops: 2 };
    const first = await prepare("first", options, 2);
    const second = await prepare("second", options, 2);
    expect(first.files.map(({ rows }) => rows)).toEqual([2, 2]);
    expect(first.files.map(({ sha256 }) => sha256)).toEqual(second.files.map(({ sha256 }) => sha256));
    const { tasks } = await loadTasks(join(folder, "first/vt_512.jsonl"));
    expect(tasks[0]?.answers).toHaveLength(3);
  });

  it("says which file is missing", async () => {
    await expect(prepare("none", { tasks: ["qa_2"], lengths: [512] })).rejects.toThrow(
      /hotpotqa: is missing, but qa_2 needs a file of questions/,
    );
  });
});
