import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { loadTasks } from "../jsonl.js";
import { prepareData } from "./prepare-data.js";
import { preparerByName } from "./registry.js";

const folder = fileFolder();
const filler = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, i) => `On the day with the number ${from + i} nothing at all was worth telling. `,
  ).join("");
const text = join(folder, "town.txt");
const evidence = "The old mill beside the river was bought by Mira Okafor in a hard winter.";
const taken = "Years later the council thanked Mira Okafor for the mill and for her patience.";
writeFileSync(
  text,
  `${filler(1, 15)}${evidence} ${filler(20, 15)}\nDr. Lund wrote that 1,871 people came to the fair. ${filler(40, 15)}${taken} ${filler(60, 5)}`,
);

async function prepare(options: Record<string, unknown> = {}, input = text) {
  const out = join(folder, `${Math.random()}.jsonl`);
  const { manifest } = await prepareData({
    preparer: preparerByName("restore"),
    options,
    inputs: [input],
    out,
    seed: 1,
    format: "task",
  });
  return { tasks: (await loadTasks(out)).tasks, manifest, bytes: readFileSync(out, "utf8") };
}

it("asks for what another sentence has, and takes the asked one out of the document", async () => {
  const { tasks, manifest, bytes } = await prepare({ perDocument: 10 });
  const task = tasks.find(({ question }) => question.includes("Years later"));
  expect(task).toMatchObject({
    answers: ["Mira Okafor"],
    metadata: { dataSource: "restore", kind: "name", sharedWords: 1 },
  });
  expect(task?.question).toContain(
    '"Years later the council thanked ____ for the mill and for her patience."',
  );
  expect(task?.document).toContain(evidence);
  expect(task?.document).not.toContain("council");
  expect(Number(task?.metadata?.["distanceWords"])).toBeGreaterThan(300);
  // Every answer is in its document, and not beside where its sentence stood.
  for (const { answers, document } of tasks) expect(document).toContain(answers[0]);
  expect(manifest.leftOut["evidence too near"] ?? 0).toBe(0);
  expect((await prepare({ perDocument: 10 })).bytes).toBe(bytes);
});

it("asks short sentences in a form of one's own, for models that follow few words", async () => {
  const short = join(folder, "short.txt");
  writeFileSync(
    short,
    `Ada likes Rome. ${filler(1, 3)}Ben likes Oslo. Snow fell. Ada likes Rome. Rain fell.`,
  );
  const options = { minDistance: 3, leastWords: 3, words: 60, question: "{sentence}", blank: "?" };
  const { tasks } = await prepare(options, short);
  expect(tasks).toMatchObject([{ question: "Ada likes ?.", answers: ["Rome"] }]);
  await expect(prepare({ ...options, leastWords: 8 }, short)).rejects.toThrow("sentence too short");
  await expect(prepare({ question: "What?" })).rejects.toThrow("question: must have the slot {sentence}");
});

it("leaves out what is too near, and what the document says everywhere", async () => {
  await expect(prepare({ minDistance: 2_000 })).rejects.toThrow("evidence too near");
  const often = join(folder, "often.txt");
  writeFileSync(
    often,
    Array.from(
      { length: 60 },
      (_, i) => `Then again on that morning the tall Captain Haddock ${i} said a word to all of us. `,
    ).join(""),
  );
  await expect(prepare({}, often)).rejects.toThrow("answer in too many sections");
});

it("takes rare words of an alphabet without capital letters, and says where a text has no gap", async () => {
  const arabic = join(folder, "arabic.txt");
  const day = (i: number) => `في اليوم رقم ${i} لم يحدث أي شيء يستحق أن يروى في هذه القرية. `;
  const days = (from: number) => Array.from({ length: 15 }, (_, i) => day(from + i)).join("");
  writeFileSync(
    arabic,
    `${days(1)}باع الرجل العجوز طاحونة قديمة قرب النهر لامرأة من الشمال. ${days(20)}بعد سنوات طويلة رأى الناس نورا يخرج من طاحونة القرية في الليل. ${days(40)}`,
  );
  const { tasks } = await prepare({}, arabic);
  expect(tasks.map(({ answers }) => answers[0])).toContain("طاحونة");
  const bare = join(folder, "bare.txt");
  writeFileSync(bare, "it rained and nobody came to the fair that year.");
  await expect(prepare({}, bare)).rejects.toThrow("document without a gap that the rest of it fills");
});

it("leaves the answer out of the whole document where that is asked for", async () => {
  const { tasks } = await prepare({ maskAll: true });
  for (const { answers, document } of tasks) expect(document).not.toContain(answers[0]);
});

it("takes rare words of a script without capital letters, and rows of any field", async () => {
  const rows = join(folder, "rows.jsonl");
  const day = (i: number) => `第${i}天村里没有发生什么值得一提的事情，大家都在家里休息。`;
  const lines = [
    ...Array.from({ length: 20 }, (_, i) => day(i)),
    "河边的磨坊在一个寒冷的冬天被来自北方的陶工买了下来。",
    ...Array.from({ length: 20 }, (_, i) => day(i + 30)),
    "多年以后村长在广场上感谢了那位住在磨坊里的陶工和他的家人。",
  ];
  writeFileSync(rows, `${lines.map((body) => JSON.stringify({ body })).join("\n")}\n{"body": 7}\n`);
  const { tasks, manifest } = await prepare({ textField: "body", perDocument: 10 }, rows);
  expect(tasks.map(({ answers }) => answers[0])).toContain("磨坊");
  expect(manifest.badRows.total).toBe(1);
});
