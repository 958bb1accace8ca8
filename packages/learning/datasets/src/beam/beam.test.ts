import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { loadTasks, prepareData, preparerByName, readQuestionSource } from "../index.js";
import { beamAbilities } from "./conversation.js";
import { parsePythonLiteral } from "./python-literal.js";

const user = (id: number, content: string, more: object = {}) => ({
  role: "user",
  id,
  content,
  question_type: "main_question",
  time_anchor: null,
  index: "1,1",
  ...more,
});
const assistant = (id: number) => ({
  role: "assistant",
  id,
  content: "Noted.",
  question_type: null,
  time_anchor: null,
});
/** Two batches of three sessions in all, as the row of a parquet file has them. */
const chat = [
  [
    user(0, "My sketchbook has 30 pages. ->-> 1,1", { time_anchor: "March-15-2024" }),
    assistant(1),
    user(2, "Is that few? ->-> 1,N/A", { question_type: "followup_question" }),
    assistant(3),
    user(4, "I draw (mostly trees ->-> 1,2)"),
    assistant(5),
  ],
  [user(6, "My sketchbook has 45 pages now. ->-> 2,1", { time_anchor: "April-02-2024" }), assistant(7)],
];

/** The questions as the file has them: a text of Python. */
const probing = `{'abstention': [{'question': 'Which pen do I use?', 'ideal_response': "There is no information about Ada's pen.", 'rubric': []}],
 'knowledge_update': [{'question': 'How many pages has my sketchbook?', 'answer': 'It has 45 pages by now', 'extra': None, 'sure': True,
   'source_chat_ids': {'original_info': [0], 'updated_info': [6]}, 'rubric': ['LLM response should state: 45 pages']}],
 'event_ordering': [{'question': 'In which order?', 'answer': 'Pages, trees', 'source_chat_ids': [[0, 4], 6], 'rubric': ['pages', 'trees']},
   {'question': 'Which?', 'rubric': []}]}`;

async function prepared(row: object, options: object = {}) {
  const folder = testFolder();
  const input = join(folder, "100K.jsonl");
  writeFileSync(input, JSON.stringify(row));
  const out = join(folder, "tasks.jsonl");
  const preparer = preparerByName("beam");
  const { manifest, badRows } = await prepareData({
    preparer,
    options: { ...options },
    inputs: [input],
    out,
    seed: 0,
    format: "task",
  });
  return { manifest, badRows, out, tasks: (await loadTasks(out)).tasks };
}

describe("BEAM's conversations", () => {
  it("become sessions that begin at main questions, with dates, and questions that share them", async () => {
    const { tasks, manifest, badRows } = await prepared({
      conversation_id: "7",
      chat,
      probing_questions: probing,
    });
    const update = tasks.find(({ metadata }) => metadata["category"] === "knowledge_update");
    expect(update).toMatchObject({
      answers: ["45 pages", "It has 45 pages by now"],
      metadata: { evidence: "session_1 session_3", oldValues: "30", abstention: false, conversation: "7" },
    });
    expect(update?.document).toBe(
      [
        "Session 1, March-15-2024\nuser: My sketchbook has 30 pages.\nassistant: Noted.\nuser: Is that few?\nassistant: Noted.",
        "Session 2, March-15-2024\nuser: I draw (mostly trees)\nassistant: Noted.",
        "Session 3, April-02-2024\nuser: My sketchbook has 45 pages now.\nassistant: Noted.",
      ].join("\n\n"),
    );
    expect(tasks.every(({ document }) => document === update?.document)).toBe(true);
    // Each session is written once.
    expect(manifest.files.map(({ kind, rows }) => [kind, rows])).toEqual([
      ["tasks", 3],
      ["corpus", 3],
    ]);
    expect(tasks.find(({ metadata }) => metadata["abstention"] === true)?.metadata).not.toHaveProperty(
      "evidence",
    );
    expect(badRows.map(({ detail }) => detail)).toEqual([
      "probing_questions.event_ordering.1.answer: is missing, and so is an ideal one",
    ]);
    expect(Object.keys(manifest.remarks)).toHaveLength(beamAbilities.length);
  });

  it("are read within plans and turns, as the longest ones are, and become stores", async () => {
    const turns = [
      { "plan-1": [{ batch_number: 1, turns: [chat[0]] }], "plan-2": null },
      { "plan-2": [chat[1]] },
    ];
    const row = { conversation_id: 7, chat: turns, probing_questions: parsePythonLiteral(probing) };
    const options = { abilities: ["knowledge_update"], records: true };
    const { tasks, out, manifest } = await prepared(row, options);
    expect(tasks.map(({ id }) => id)).toEqual(["beam-100K.jsonl:7-knowledge_update-0"]);
    expect(tasks[0]?.records?.map(({ session }) => session)).toEqual([
      ...Array.from({ length: 4 }, () => "session_1"),
      ...Array.from({ length: 2 }, () => "session_2"),
      ...Array.from({ length: 2 }, () => "session_3"),
    ]);
    expect(manifest.leftOut).toEqual({ "ability-abstention": 1, "ability-event_ordering": 1 });
    // Evaluations read the stores that are beside the tasks.
    const { finished } = await readQuestionSource({ inputs: [out], dataSource: "longqa" });
    expect(finished[0]?.task.records).toEqual(tasks[0]?.records);
    expect(await finished[0]?.document()).toBe(tasks[0]?.document);
  });

  it("are refused with the field that is wrong", async () => {
    const refused = prepared({ conversation_id: 1, chat, probing_questions: "not python" });
    await expect(refused).rejects.toThrow(/probing_questions: row: must be an object/);
    await expect(prepared({ conversation_id: 1, chat: [], probing_questions: {} })).rejects.toThrow(
      /chat: contains no message/,
    );
  });
});

it.each([
  ["{'a': [1, 2.5, None], 'b': True}", { a: [1, 2.5, null], b: true }],
  [String.raw`['it\'s', "say \"x\"", 'a\nb', 'caf\xe9 \u2013 \\']`, ["it's", 'say "x"', "a\nb", "café – \\"]],
  ['{"True": "None of \'em"}', { True: "None of 'em" }],
  ["[1, 2", undefined],
])("reads %s as Python writes it", (text, value) => {
  expect(parsePythonLiteral(text)).toEqual(value);
});
