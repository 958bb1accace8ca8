import { z } from "zod";
import { beamAbilities, readBeamConversation } from "../beam/conversation.js";
import { sessionRecords, sessionTexts } from "../sessions/dated-session.js";
import { definePreparer } from "./preparer.js";

const questionsPerAbility = 2;

/** BEAM's conversations of 100 thousand to 10 million tokens, with their probing questions. */
export const beam = definePreparer({
  name: "beam",
  summary: "BEAM's conversations (parquet or JSON) of 100K to 10M tokens, with questions about ten abilities",
  inputs: "required",
  options: z.strictObject({
    abilities: z
      .array(z.enum(beamAbilities))
      .default([])
      .describe("abilities to ask about; empty: all, most of which only a judge can score"),
    records: z
      .boolean()
      .default(false)
      .describe("also gives each task the turns as the records of a memory store"),
  }),
  async *prepare({ abilities, records: withRecords }, context) {
    for (const path of context.inputs) {
      for await (const { source, row, value } of context.rows(path)) {
        const origin = { source, row };
        const read = readBeamConversation(value);
        if ("reason" in read) {
          context.badRow({ ...origin, ...read });
          continue;
        }
        const { id, sessions, questions, badQuestions } = read.data;
        for (const problem of badQuestions) context.badRow({ ...origin, ...problem });
        for (const ability of beamAbilities) {
          const found = questions.filter((one) => one.ability === ability).length;
          if (found !== questionsPerAbility)
            context.remark(`${ability}: ${found} questions about a conversation, but 2 are published`);
        }
        const paragraphs = sessionTexts(sessions);
        const document = paragraphs.join("\n\n");
        const store = `${source.split(/[\\/]/).at(-1)}:${id}`;
        const records = withRecords ? { records: sessionRecords(sessions), store } : {};
        for (const { ability, index, question, answers, evidence, oldValues } of questions) {
          if (abilities.length > 0 && !abilities.includes(ability)) {
            context.leftOut(`ability-${ability}`);
            continue;
          }
          const abstention = ability === "abstention";
          yield {
            id: `beam-${store}-${ability}-${index}`,
            question,
            answers,
            document,
            paragraphs,
            shared: true,
            metadata: {
              dataSource: "beam",
              category: ability,
              conversation: id,
              abstention,
              sessions: sessions.length,
              ...(abstention || evidence.length === 0 ? {} : { evidence: evidence.join(" ") }),
              ...(oldValues.length === 0 ? {} : { oldValues: oldValues.join(" | ") }),
            },
            ...records,
            origin,
          };
        }
      }
    }
  },
});
