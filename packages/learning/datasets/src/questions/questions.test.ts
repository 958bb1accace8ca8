import { describe, expect, it } from "vitest";
import { finishedRow, isFinishedRow } from "./finished-row.js";
import { hotpotQuestion } from "./hotpot-question.js";
import { musiqueQuestion } from "./musique-question.js";
import { idOfQuestion, joinSentences } from "./source-question.js";
import { squadQuestions } from "./squad-question.js";

const raw = {
  _id: "5a",
  question: "Who?",
  answer: "Ann",
  supporting_facts: [
    ["B", 0],
    ["A", 1],
    ["B", 3],
  ],
  context: [
    ["A", ["One.", " Two."]],
    ["B", ["Three.", "Four."]],
  ],
  type: "bridge",
  level: "hard",
};

describe("hotpotQuestion", () => {
  it("reads the publishers' schema, the hub's columns, lists of structures and columns as JSON text alike", () => {
    const columns = {
      ...raw,
      supporting_facts: { title: ["B", "A", "B"], sent_id: [0, 1, 3] },
      context: {
        title: ["A", "B"],
        sentences: [
          ["One.", " Two."],
          ["Three.", "Four."],
        ],
      },
    };
    const structures = {
      ...raw,
      supporting_facts: raw.supporting_facts.map(([title, sent_id]) => ({ title, sent_id })),
      context: raw.context.map(([title, sentences]) => ({ title, sentences })),
    };
    const texts = {
      ...raw,
      supporting_facts: JSON.stringify(raw.supporting_facts),
      context: JSON.stringify(raw.context),
    };
    const expected = {
      id: "5a",
      question: "Who?",
      answers: ["Ann"],
      paragraphs: [
        { title: "A", text: "One. Two." },
        { title: "B", text: "Three. Four." },
      ],
      gold: [1, 0],
      facts: { type: "bridge", level: "hard" },
    };
    for (const row of [raw, columns, structures, texts]) expect(hotpotQuestion(row)).toEqual(expected);
  });

  it("says why a row is no question", () => {
    const reason = (changes: object) => {
      const read = hotpotQuestion({ ...raw, ...changes });
      return "reason" in read ? read.reason : "good";
    };
    expect(reason({ answer: undefined })).toBe("wrong-type");
    expect(reason({ answer: " " })).toBe("empty-field");
    expect(reason({ context: [] })).toBe("no-context");
    expect(reason({ supporting_facts: [["C", 0]] })).toBe("evidence-not-in-context");
    expect(reason({ supporting_facts: [] })).toBe("no-evidence");
    expect(reason({ context: "[" })).toBe("bad-value");
    const { question: _, ...without } = raw;
    expect(hotpotQuestion(without)).toMatchObject({
      reason: "missing-field",
      detail: expect.stringContaining("question"),
    });
  });

  it("makes an id of the question where the row has none", () => {
    const { _id, ...without } = raw;
    expect(hotpotQuestion(without)).toMatchObject({ id: idOfQuestion("Who?") });
    expect(idOfQuestion("Who?")).not.toBe(idOfQuestion("Who"));
  });
});

describe("musiqueQuestion", () => {
  const row = {
    id: "2hop__1",
    question: "Who?",
    answer: "Ann",
    answer_aliases: ["Anna", "Ann"],
    answerable: true,
    paragraphs: [
      { idx: 0, title: "A", paragraph_text: "a", is_supporting: true },
      { idx: 1, title: "B", paragraph_text: "b", is_supporting: false },
      { idx: 2, title: "C", paragraph_text: "c", is_supporting: true },
    ],
    question_decomposition: [{ paragraph_support_idx: 2 }, { paragraph_support_idx: 0 }],
  };

  it("puts the evidence in the order of the hops and takes the aliases as answers", () => {
    expect(musiqueQuestion(row)).toMatchObject({
      answers: ["Ann", "Anna"],
      gold: [2, 0],
      facts: { hops: 2 },
    });
  });

  it("refuses what cannot be answered or points nowhere", () => {
    expect(musiqueQuestion({ ...row, answerable: false })).toMatchObject({ reason: "no-answer" });
    expect(musiqueQuestion({ ...row, question_decomposition: [{ paragraph_support_idx: 7 }] })).toMatchObject(
      {
        reason: "evidence-not-in-context",
      },
    );
  });
});

describe("squadQuestions", () => {
  it("reads files of articles and flat rows; what has no answer is named", () => {
    const qas = [
      {
        id: "1",
        question: "Who?",
        answers: [
          { text: "Ann", answer_start: 0 },
          { text: "Ann", answer_start: 9 },
        ],
      },
      { id: "2", question: "When?", answers: [], is_impossible: true },
      { id: "3", answers: [] },
    ];
    const file = {
      version: "v2.0",
      data: [{ title: "Some_Title", paragraphs: [{ context: "Ann came.", qas }] }],
    };
    expect(squadQuestions(file)).toMatchObject([
      { id: "1", answers: ["Ann"], paragraphs: [{ title: "Some Title", text: "Ann came." }], gold: [0] },
      { reason: "no-answer" },
      { reason: "missing-field" },
    ]);
    const flat = {
      id: "1",
      title: "T",
      context: "Ann came.",
      question: "Who?",
      answers: { text: ["Ann"], answer_start: [0] },
    };
    expect(squadQuestions(flat)).toMatchObject([{ id: "1", answers: ["Ann"], paragraphs: [{ title: "T" }] }]);
  });
});

describe("finishedRow", () => {
  it("reads MemAgent's parquet rows, vime's lines and RULER-HQA's items", () => {
    const memAgent = {
      data_source: "hotpotqa",
      prompt: [{ role: "user", content: "Who?" }],
      context: "Document 1:\nA",
      ability: "memory",
      reward_model: { style: "rule", ground_truth: ["Ann", "Anna"] },
      extra_info: { index: 7, question: "Who?", num_docs: 200 },
    };
    const vime = {
      prompt: "Who?",
      label: "Ann",
      metadata: {
        context: "Document 1:\nA",
        ground_truth: ["Ann", "Anna"],
        num_docs: 200,
        data_source: "hotpotqa",
        level: "hard",
        nested: [1],
      },
    };
    const item = {
      context: "Document 1:\nA",
      input: "Who?",
      answers: ["Ann", "Anna"],
      num_docs: 200,
      index: 7,
      gold_docs: [5, 2],
    };
    const common = { question: "Who?", answers: ["Ann", "Anna"], document: "Document 1:\nA" };
    for (const row of [memAgent, vime, item]) expect(isFinishedRow(row)).toBe(true);
    expect(finishedRow(memAgent, "x")).toEqual({
      task: { ...common, id: "hotpotqa-7", metadata: { dataSource: "hotpotqa", numDocs: 200 } },
    });
    expect(finishedRow(vime, "x")).toEqual({
      task: {
        ...common,
        id: idOfQuestion("Who?"),
        metadata: { dataSource: "hotpotqa", numDocs: 200, level: "hard" },
      },
    });
    expect(finishedRow(item, "x")).toEqual({
      task: {
        ...common,
        id: "x-7",
        metadata: {
          dataSource: "x",
          numDocs: 200,
          goldDocuments: "5 2",
          minDistance: 3,
          evidenceOrder: "reverse",
        },
      },
    });
  });

  it("takes indices as they are or in one more list, counts evidence_idx from 0, and reads RULER's outputs", () => {
    const row = { input: "Who?", outputs: ["Ann"], index: 0, evidence_idx: [0, 3] };
    for (const context of [[4, 2, 9], [[4, 2, 9]]]) {
      expect(finishedRow({ ...row, context }, "x")).toMatchObject({
        indices: [4, 2, 9],
        task: { document: "", answers: ["Ann"], metadata: { numDocs: 3, goldDocuments: "1 4" } },
      });
    }
  });

  it("names what a row lacks", () => {
    expect(finishedRow({ input: "Who?", context: "A" }, "x")).toMatchObject({ reason: "missing-field" });
    expect(finishedRow({ prompt: "Who?", label: "Ann", metadata: {} }, "x")).toMatchObject({
      detail: expect.stringContaining("metadata.context"),
    });
    expect(
      finishedRow({ reward_model: { ground_truth: [] }, prompt: [{ content: "q" }], context: "A" }, "x"),
    ).toMatchObject({
      reason: "empty-field",
    });
  });
});

describe("joinSentences", () => {
  it("adds a space only where the sentences bring none", () => {
    expect(joinSentences(["One.", " Two.", "Three. ", "Four."])).toBe("One. Two. Three. Four.");
    expect(joinSentences([])).toBe("");
  });
});
