import { z } from "zod";
import {
  type LongMemEvalInstance,
  longMemEvalAbstentions,
  longMemEvalTypes,
  readLongMemEval,
} from "../longmemeval/instance.js";
import { sessionRecords, sessionTexts } from "../sessions/dated-session.js";
import { definePreparer, type PreparedTask } from "./preparer.js";

/** LongMemEval's questions, each with the history of chats that it is about. */
export const longMemEval = definePreparer({
  name: "longmemeval",
  summary:
    "LongMemEval's longmemeval_s.json, _m.json or _oracle.json: dated chats, with the questions' types",
  inputs: "required",
  options: z.strictObject({
    records: z
      .boolean()
      .default(false)
      .describe("also gives each task the turns as the records of a memory store"),
  }),
  async *prepare({ records }, context) {
    const counts = new Map<string, number>();
    for (const path of context.inputs) {
      for await (const { source, row, value } of context.rows(path)) {
        const read = readLongMemEval(value);
        if ("reason" in read) {
          context.badRow({ source, row, ...read });
          continue;
        }
        const { type, abstention, missingEvidence } = read.data;
        for (const name of [type, ...(abstention ? ["abstention"] : [])])
          counts.set(name, (counts.get(name) ?? 0) + 1);
        for (let i = 0; i < missingEvidence; i++) context.remark("evidence-session-not-in-history");
        yield { ...taskOf(read.data, records), origin: { source, row } };
      }
    }
    const published = Object.entries({ ...longMemEvalTypes, abstention: longMemEvalAbstentions });
    for (const [name, wanted] of published) {
      const found = counts.get(name) ?? 0;
      if (found !== wanted) context.remark(`${name}: ${found} questions, but ${wanted} are published`);
    }
  },
});

function taskOf(instance: LongMemEvalInstance, withRecords: boolean): PreparedTask {
  const { id, type, question, answers, time, abstention, sessions, evidence, oldValues } = instance;
  return {
    id,
    question: `${question} (asked on ${time.replace("T", " ")})`,
    answers,
    document: sessionTexts(sessions).join("\n\n"),
    metadata: {
      dataSource: "longmemeval",
      category: type,
      abstention,
      searchQuery: question,
      sessions: sessions.length,
      // Nothing in the history answers a question that asks for what was never said.
      ...(abstention || evidence.length === 0 ? {} : { evidence: evidence.join(" ") }),
      ...(oldValues.length === 0 ? {} : { oldValues: oldValues.join(" | ") }),
    },
    ...(withRecords ? { records: sessionRecords(sessions) } : {}),
  };
}
