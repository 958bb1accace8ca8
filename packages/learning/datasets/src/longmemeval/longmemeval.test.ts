import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { longMemEvalRows } from "../../../../../test/support/longmemeval-rows.js";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { loadTasks, prepareData, preparerByName } from "../index.js";
import { longMemEvalTypes, readLongMemEval } from "./instance.js";

async function prepared(rows: readonly unknown[], options: object = {}) {
  const folder = testFolder();
  const input = join(folder, "longmemeval_oracle.json");
  writeFileSync(input, JSON.stringify(rows));
  const out = join(folder, "tasks.jsonl");
  const { manifest } = await prepareData({
    preparer: preparerByName("longmemeval"),
    options: { ...options },
    inputs: [input],
    out,
    seed: 0,
    format: "task",
  });
  return { manifest, tasks: (await loadTasks(out)).tasks };
}

const instance = (changes: object = {}) => readLongMemEval({ ...longMemEvalRows()[10], ...changes });

describe("LongMemEval's questions", () => {
  it("become tasks of dated sessions in the order of time, with type, abstention, date and evidence", async () => {
    const { tasks, manifest } = await prepared(longMemEvalRows());
    expect(manifest.badRows.total).toBe(0);
    const update = tasks.find(({ id }) => id === "k1");
    expect(update).toMatchObject({
      question: "How many chess books do I own? (asked on 2023-05-30 23:40)",
      answers: ["Seven"],
      metadata: {
        category: "knowledge-update",
        abstention: false,
        searchQuery: "How many chess books do I own?",
        evidence: "session_2 session_3",
        oldValues: "4",
      },
    });
    expect(update?.document.split("\n\n").map((session) => session.split("\n").slice(0, 2))).toEqual([
      ["Session 1, 2023-04-01 06:30", "user: Tell me of tides."],
      ["Session 2, 2023-05-13 07:00", "user: I own four chess books, one of them old."],
      ["Session 3, 2023-05-20 07:00", "user: I now own seven chess books."],
      ["Session 4, 2023-05-22 06:30", "user: Tell me of stars."],
    ]);
    const without = tasks.find(({ id }) => id === "u2_abs");
    expect(without?.metadata).toMatchObject({ abstention: true, category: "single-session-user" });
    expect(without?.metadata).not.toHaveProperty("evidence");
    expect(tasks.find(({ id }) => id === "t1")?.answers).toEqual([
      "14 days",
      "15 days",
      "14 days. 15 days (including the last day) is also acceptable.",
    ]);
    expect(tasks.find(({ id }) => id === "k2")?.metadata["oldValues"]).toBe("Lyon");
    expect(tasks.flatMap(({ metadata }) => metadata["oldValues"] ?? [])).toEqual(["4", "Lyon"]);
  });

  it("show no session's own id, which says where the answer is, in a text or a store", async () => {
    const { tasks } = await prepared(longMemEvalRows(), { records: true });
    for (const { question, document, records, metadata, probes } of tasks) {
      expect(JSON.stringify({ question, document, records, metadata, probes })).not.toMatch(
        /answer_|sharegpt_|ultrachat_|has_answer/,
      );
      expect(records?.length).toBeGreaterThanOrEqual(6);
      expect(records?.every(({ provenance, session }) => provenance[0] === session)).toBe(true);
    }
  });

  it("are counted, and what differs from the published 500 is told", async () => {
    const { manifest } = await prepared(longMemEvalRows());
    expect(Object.keys(manifest.remarks)).toContain("multi-session: 2 questions, but 133 are published");
    expect(Object.keys(manifest.remarks)).toContain("abstention: 1 questions, but 30 are published");
    // Types in the published numbers, thirty of them abstentions, leave nothing to tell.
    const byType = (type: string) => longMemEvalRows().find((row) => row["question_type"] === type);
    const complete = Object.entries(longMemEvalTypes).flatMap(([type, count]) =>
      Array.from({ length: count }, (_, at) => {
        const isAbstention = type === "multi-session" && at < 30;
        return { ...byType(type), question_id: `${type}-${at}${isAbstention ? "_abs" : ""}` };
      }),
    );
    const whole = await prepared(complete);
    expect(whole.tasks).toHaveLength(500);
    expect(whole.manifest.remarks).toEqual({});
  });

  it("are refused with the field that is wrong", () => {
    expect(instance({ haystack_dates: ["2023/05/20"] })).toMatchObject({
      reason: "bad-value",
      detail: expect.stringContaining("has 4 sessions, but there are 1 haystack_dates"),
    });
    expect(instance({ question_date: "yesterday" })).toMatchObject({
      detail: 'date: "yesterday" is not a date such as "2023/05/20 (Sat) 02:21"',
    });
    expect(instance({ question_type: "other" })).toMatchObject({
      detail: expect.stringMatching(/^question_type/),
    });
    expect(instance({ answer_session_ids: ["nowhere"] })).toMatchObject({
      data: { evidence: [], missingEvidence: 1 },
    });
  });
});
