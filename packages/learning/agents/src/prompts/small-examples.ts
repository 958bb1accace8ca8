import type { PromptExample } from "./prompt-example.js";

/*
 * Prompts for chat models of some hundred million parameters. Such models copy the form of the text before and do not
 * follow long instructions. The people, towns and films of the examples are invented, so that none of them can be the
 * right answer by chance.
 */

/** The parts of a memory prompt, in its order; `earlier` is absent for agents that do not recall. */
export interface SmallReading {
  readonly question: string;
  readonly notes: string;
  readonly earlier?: string;
  readonly text: string;
}

export const smallMemoryPrompt = ({ question, notes, earlier, text }: SmallReading): string =>
  [
    `Question: ${question}`,
    `Notes: ${notes}`,
    ...(earlier === undefined ? [] : [`Earlier notes: ${earlier}`]),
    `Text: ${text}`,
    `Copy the facts that help to answer the question: ${question}`,
    ...(earlier === undefined ? [] : ["Ask for earlier notes with <recall>words</recall>."]),
  ].join("\n");

/** It names no kinds of answers: a model of 500 million parameters answers "yes" to all questions where that is one of them. */
export const smallFinalPrompt = (notes: string, question: string): string =>
  `Text: ${notes}\n\nQuestion: ${question}\nAnswer with a few words.`;

const river = `Which river flows through the town where the painter of "The Red Barn" was born?`;
const judges = "Were Mo Lind and Kai Berg both judges?";

/** Two examples of reading a text for a question: the first begins the notes, the second adds to them. */
export const smallReadings: readonly (SmallReading & { readonly reply: string; readonly recall: string })[] =
  [
    {
      question: river,
      notes: "none",
      text: "The Red Barn is an oil painting of 1911 by Ada Holm, who was born in Varn. It hangs in a museum in Lund. A barn is a farm building for hay and animals.",
      reply: "The Red Barn was painted by Ada Holm, who was born in Varn.",
      recall: "Varn river",
    },
    {
      question: judges,
      notes: "Mo Lind was a judge.",
      text: "Chess is a game for two players. Kai Berg (1929-2001) was a judge at the high court of Bergen and wrote two books about trout.",
      reply: "Mo Lind was a judge. Kai Berg was a judge at the high court of Bergen.",
      recall: "Mo Lind judge",
    },
  ];

/** Examples of answers from notes or a short text: a name, "yes", and words of the text. */
export const smallFinalExamples: readonly PromptExample[] = [
  {
    user: smallFinalPrompt(
      "The Red Barn is an oil painting of 1911. It hangs in a museum in Lund. It was painted by Ada Holm.\n\nAda Holm was a painter. She was born in Varn, a town on the river Elst, and died in 1950.",
      river,
    ),
    assistant: "Elst",
  },
  {
    user: smallFinalPrompt(
      "Mo Lind (1931-1999) was a judge at the high court of Bergen.\n\nKai Berg (1929-2001) was a judge and wrote two books about trout.",
      judges,
    ),
    assistant: "yes",
  },
  {
    user: smallFinalPrompt(
      "The mill at Olmen was built after the flood of 1871 because the old one had been washed away. It ground rye and barley until 1932.",
      "Why was the mill at Olmen built?",
    ),
    assistant: "the old one had been washed away",
  },
];
