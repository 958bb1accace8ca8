import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { locomoCategories } from "@palimpsest/trajectories";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import {
  type LocomoConversation,
  loadTasks,
  locomoDocument,
  locomoOptionsSchema,
  locomoRecords,
  locomoSplit,
  locomoTasks,
  preparerByName,
  readLocomoConversation,
} from "../index.js";
import { prepareData } from "../prepare/prepare-data.js";
import { evidenceIds } from "./evidence-ids.js";
import { isoDate } from "./session-date.js";

const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const file = `${shared}/data/locomo/locomo10.json`;
const present = existsSync(file);
if (!present) process.stdout.write(`skipped: no LoCoMo data at ${file}\n`);

const aConversation = (changes: object = {}) => ({
  sample_id: "conv-1",
  conversation: {
    speaker_a: "Ann",
    speaker_b: "Ben",
    session_2_date_time: "12:05 am on 1 March, 2024",
    session_2: [{ speaker: "Ben", dia_id: "D2:1", text: "Hi", blip_caption: "a photo of a dog" }],
    session_1_date_time: "1:56 pm on 8 May, 2023",
    session_1: [
      { speaker: "Ann", dia_id: "D1:1", text: "Hello" },
      { speaker: "Ben", dia_id: "D1:2", text: "I moved." },
    ],
    session_3_date_time: "1:00 pm on 9 May, 2024",
  },
  observation: {
    session_1_observation: { Ben: [["Ben moved.", ["D1:1", "D1:2"]]], Ann: [["Ann greets.", "D1:1"]] },
  },
  event_summary: { events_session_2: { Ann: [], Ben: ["Ben gets a dog."], date: "1 March, 2024" } },
  session_summary: {},
  qa: [
    { question: "Who moved?", answer: "Ben", evidence: ["D1:2"], category: 4 },
    { question: "When?", answer: 2023, evidence: ["D1:02; D9:9", "D"], category: 2 },
    { question: "Did Ann move?", adversarial_answer: "Yes", evidence: ["D1:2"], category: 5 },
  ],
  ...changes,
});

function read(value: unknown): LocomoConversation {
  const result = readLocomoConversation(value);
  if ("reason" in result) throw new Error(`${result.reason}: ${result.detail}`);
  return result.data;
}
const options = (input: object = {}) => locomoOptionsSchema.parse(input);

describe("isoDate", () => {
  it("reads LoCoMo's dates, noon and midnight too, and nothing else", () => {
    expect(isoDate("1:56 pm on 8 May, 2023")).toBe("2023-05-08T13:56");
    expect(isoDate("12:48 am on 1 February, 2023")).toBe("2023-02-01T00:48");
    expect(isoDate("12:09 pm on 13 September, 2023")).toBe("2023-09-13T12:09");
    expect(isoDate("29 February, 2024")).toBe("2024-02-29");
    expect(
      ["29 February, 2023", "13:00 pm on 1 May, 2023", "1 Mai, 2023", "2023-05-08"].map(isoDate),
    ).toEqual([null, null, null, null]);
  });
});

describe("evidenceIds", () => {
  it("reads what is plain, says what it read otherwise, and leaves out what is no turn", () => {
    const turns = new Set(["D1:5", "D2:1"]);
    expect(evidenceIds(["D1:5; D2:1", "D1:05", "D", "D3:1", "D1:5"], turns)).toEqual({
      ids: ["D1:5", "D2:1"],
      remarks: [
        { reason: "several-evidence-ids-in-one", text: "D1:5; D2:1" },
        { reason: "evidence-id-with-leading-zero", text: "D1:05" },
        { reason: "malformed-evidence-id", text: "D" },
        { reason: "unknown-evidence-turn", text: "D3:1" },
      ],
    });
  });
});

describe("readLocomoConversation", () => {
  it("gives sessions in order with ISO times, and answers as text", () => {
    const { sessions, questions, remarks } = read(aConversation());
    expect(sessions.map(({ number, time }) => [number, time])).toEqual([
      [1, "2023-05-08T13:56"],
      [2, "2024-03-01T00:05"],
    ]);
    expect(questions.map(({ answer, category }) => [answer, category])).toEqual([
      ["Ben", "single-hop"],
      ["2023", "temporal"],
      [null, "adversarial"],
    ]);
    expect(questions[1]?.evidence).toEqual(["D1:2"]);
    expect(remarks.map(({ reason }) => reason)).toEqual([
      "date-without-session",
      "several-evidence-ids-in-one",
      "evidence-id-with-leading-zero",
      "unknown-evidence-turn",
      "malformed-evidence-id",
    ]);
  });

  it("says which field it cannot read", () => {
    const why = (changes: object) => readLocomoConversation(aConversation(changes));
    const broken = { ...aConversation().conversation, session_1_date_time: "yesterday" };
    expect(why({ conversation: broken })).toMatchObject({
      reason: "bad-value",
      detail: expect.stringContaining("session_1_date_time"),
    });
    expect(readLocomoConversation([])).toMatchObject({ reason: "not-an-object" });
  });
});

describe("one odd question", () => {
  const good = { question: "Who moved?", answer: "Ben", evidence: ["D1:2"], category: 4 };
  const odd: readonly (readonly [object | null | string, RegExp])[] = [
    [{ ...good, answer: undefined }, /answer: is missing; only adversarial/],
    [{ ...good, answer: "  " }, /^qa\[1\]\.answer: /],
    [{ ...good, answer: null }, /^qa\[1\]\.answer: is null; give a text, or true or false, or a number$/],
    [{ ...good, answer: { text: "Ben" } }, /^qa\[1\]\.answer: is an object with text; give /],
    [{ ...good, evidence: null }, /^qa\[1\]\.evidence: is null; give a list, or a text$/],
    [{ ...good, evidence: [3] }, /^qa\[1\]\.evidence\.0: is the number 3; give a text$/],
    [{ ...good, question: "" }, /^qa\[1\]\.question: /],
    [{ ...good, category: 9 }, /^qa\[1\]\.category: /],
    [{ ...good, category: "two" }, /^qa\[1\]\.category: /],
    [null, /^qa\[1\]\.row: must be an object/],
    ["Who?", /^qa\[1\]\.row: must be an object/],
  ];
  it.each(odd)("leaves itself out and not its conversation: %j", (question, why) => {
    const { questions, badQuestions } = read(aConversation({ qa: [good, question, good] }));
    expect(questions.map(({ index }) => index)).toEqual([0, 2]);
    expect(badQuestions.map(({ detail }) => detail)).toEqual([expect.stringMatching(why)]);
  });

  it("is read where only its form is odd", () => {
    const forms = [{ answer: 4.5 }, { answer: true }, { category: "2" }, { evidence: "D1:2" }];
    const { questions, badQuestions } = read(
      aConversation({ qa: forms.map((form) => ({ ...good, ...form })), event_summary: undefined }),
    );
    expect(badQuestions).toEqual([]);
    expect(questions.map(({ answer, category }) => [answer, category])).toEqual([
      ["4.5", "single-hop"],
      ["true", "single-hop"],
      ["Ben", "temporal"],
      ["Ben", "single-hop"],
    ]);
    expect(questions[3]?.evidence).toEqual(["D1:2"]);
  });
});

describe("locomoRecords", () => {
  it("keeps speaker, session, time and turns of what it is made of", () => {
    const conversation = read(aConversation());
    const [first] = locomoRecords(conversation);
    expect(first).toEqual({
      id: "m1",
      content: "Ben moved.",
      memoryType: "episodic",
      speaker: "Ben",
      session: "session_1",
      dialogueTime: "2023-05-08T13:56",
      source: "observation",
      provenance: ["D1:1", "D1:2"],
      metadata: {},
    });
    const all = locomoRecords(conversation, ["dialogue", "observation", "event"]);
    expect(all.map(({ id, source, content }) => [id, source, content])).toEqual([
      ["m1", "observation", "Ben moved."],
      ["m2", "observation", "Ann greets."],
      ["m3", "dialogue", "Hello"],
      ["m4", "dialogue", "I moved."],
      ["m5", "event", "Ben gets a dog."],
      ["m6", "dialogue", "Hi [shares a photo of a dog]"],
    ]);
    expect(locomoDocument(conversation)).toContain("Session 2, 2024-03-01 00:05\nBen: Hi [shares");
  });
});

describe("locomoTasks", () => {
  it("asks what it shows, holds others out, and shares one store among a conversation's tasks", () => {
    const left: string[] = [];
    const tasks = locomoTasks(read(aConversation()), options(), 1, (reason) => left.push(reason));
    expect(tasks.map(({ id, question, answers }) => [id, question, answers])).toEqual([
      ["locomo-conv-1-q0", "Who moved?", ["Ben"]],
      ["locomo-conv-1-q1", "When?", ["2023"]],
    ]);
    expect(left).toEqual(["category-adversarial"]);
    expect(tasks[0]?.probes?.map(({ question, heldOut }) => [question, heldOut])).toEqual([
      ["Who moved?", false],
      ["When?", true],
    ]);
    expect(tasks[0]?.records).toBe(tasks[1]?.records);
  });

  it("shows several questions at once, and adversarial ones where they are wanted", () => {
    const [task] = locomoTasks(
      read(aConversation()),
      options({ asked: 3, adversarial: true, heldOut: 2 }),
      1,
    );
    expect(task).toMatchObject({
      question: "Who moved?\nWhen?\nDid Ann move?",
      answers: [],
      metadata: { category: "mixed" },
    });
    expect(task?.probes?.map(({ answers }) => answers)).toEqual([["Ben"], ["2023"], []]);
    const [lone] = locomoTasks(read(aConversation()), options({ categories: ["adversarial"] }), 1);
    expect(lone?.metadata).toMatchObject({ category: "adversarial", adversarialAnswer: "Yes" });
  });
});

describe.skipIf(!present)("LoCoMo's ten conversations", () => {
  const conversations = () => (JSON.parse(readFileSync(file, "utf8")) as unknown[]).map(read);

  it("have the sessions, turns, observations and questions of the manifest", () => {
    const all = conversations();
    const sum = (count: (conversation: LocomoConversation) => number) =>
      all.reduce((total, conversation) => total + count(conversation), 0);
    expect(sum(({ sessions }) => sessions.length)).toBe(272);
    expect(sum((each) => locomoRecords(each, ["dialogue"]).length)).toBe(5882);
    expect(sum((each) => locomoRecords(each).length)).toBe(2541);
    // Of 669 one is blank.
    expect(sum((each) => locomoRecords(each, ["event"]).length)).toBe(668);
    const questions = all.flatMap((each) => each.questions);
    expect(
      locomoCategories.map((name) => questions.filter(({ category }) => category === name).length),
    ).toEqual([282, 321, 96, 841, 446]);
    expect(questions.filter(({ answer }) => answer === null)).toHaveLength(446);
  });

  it("have their quirks counted by reason", () => {
    const counts: Record<string, number> = {};
    for (const { remarks } of conversations()) {
      for (const { reason } of remarks) counts[reason] = (counts[reason] ?? 0) + 1;
    }
    expect(counts).toEqual({
      "date-without-session": 16,
      "several-evidence-ids-in-one": 4,
      "evidence-id-with-leading-zero": 1,
      "malformed-evidence-id": 2,
      "unknown-evidence-turn": 2,
      "adversarial-question-with-answer": 2,
    });
  });

  it.each([
    [true, 1440, 546],
    [false, 1129, 411],
  ])("fall into MemUpdate's split, adversarial questions %s: %i and %i", (adversarial, train, test) => {
    const tasks = conversations().flatMap((each) =>
      locomoTasks(each, options({ adversarial, heldOut: 0 }), 1),
    );
    const of = (split: string) => tasks.filter(({ metadata }) => metadata["split"] === split).length;
    expect([of("train"), of("test")]).toEqual([train, test]);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
  });

  it("are prepared into train and test files that share stores, with a manifest, the same bytes each time", async () => {
    const folder = testFolder();
    const run = (out: string) =>
      prepareData({
        preparer: preparerByName("locomo"),
        options: { heldOut: 2 },
        inputs: [file],
        out: join(folder, out),
        seed: 3,
        limit: 5,
        format: "task",
      });
    const { manifest } = await run("a");
    const again = await run("b");
    expect(manifest.files.map(({ path, kind, rows }) => [path, kind, rows])).toEqual([
      ["test.jsonl", "tasks", 5],
      ["train.jsonl", "tasks", 5],
      ["stores.json", "stores", 2],
    ]);
    expect(again.manifest.files.map(({ sha256 }) => sha256)).toEqual(
      manifest.files.map(({ sha256 }) => sha256),
    );
    expect(manifest.sources[0]?.sha256.slice(0, 16)).toBe("79fa87e90f040813");
    const { tasks, badRows } = await loadTasks(join(folder, "a", "test.jsonl"));
    expect(badRows).toEqual([]);
    expect(tasks[0]?.records).toHaveLength(184);
    expect(tasks[4]?.records).toBe(tasks[0]?.records);
    expect(locomoSplit(String(tasks[0]?.metadata["conversation"]))).toBe("test");
    expect(tasks[0]?.probes?.filter(({ heldOut }) => heldOut)).toHaveLength(2);
  });
});
