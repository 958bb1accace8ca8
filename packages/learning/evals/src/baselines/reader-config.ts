import { z } from "zod";

const documentPrompt = `Answer the question from the text. Put the answer into \\boxed{}.

<text>
{document}
</text>

<question>
{question}
</question>

Your answer:`;

const closedPrompt = `Answer the question. Put the answer into \\boxed{}.

<question>
{question}
</question>

Your answer:`;

/** The settings with which a baseline asks a model directly, with one prompt for one answer. */
export const readerConfigSchema = z.strictObject({
  documentPrompt: z
    .string()
    .default(documentPrompt)
    .describe("prompt of an answer from a text, with {question} and {document}"),
  closedPrompt: z
    .string()
    .default(closedPrompt)
    .describe("prompt of an answer without any text, with {question}"),
  answerTokens: z
    .int()
    .min(1)
    .default(256)
    .describe("most tokens sampled for the answer, including the stop token"),
  contextTokens: z
    .int()
    .min(16)
    .default(32_768)
    .describe(
      "most tokens of prompt and answer together; a full-context prompt that is longer counts as a failure",
    ),
  truncatedTokens: z
    .int()
    .min(16)
    .optional()
    .describe("for the truncated baseline: most tokens of prompt and answer together; absent: contextTokens"),
  passages: z
    .int()
    .min(1)
    .default(8)
    .describe("for the retrieval baselines: number of passages that the model is shown"),
  passageTokens: z
    .int()
    .min(8)
    .default(300)
    .describe(
      "for the retrieval baselines: most tokens per passage; each numbered document is divided into passages of its own",
    ),
  prompt: z
    .enum(["auto", "chat", "chatml", "text"])
    .default("auto")
    .describe("how prompts are presented to the model, as for agents"),
  enableThinking: z
    .boolean()
    .default(false)
    .describe("whether models that can think do so, by their chat template"),
  specialTokens: z
    .array(z.string().min(1))
    .default([])
    .describe("texts in the prompts that are encoded as special tokens"),
  stopTokens: z
    .array(z.string().min(1))
    .default([])
    .describe("special tokens that end the answer; empty: those of the chat format"),
  temperature: z.number().min(0).default(0).describe("sampling temperature; 0 is greedy"),
  topP: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe("nucleus sampling: cumulative probability of the tokens kept"),
});

/** How a baseline prompts a model, with all defaults filled in. */
export type ReaderConfig = z.output<typeof readerConfigSchema>;
/** How a baseline prompts a model; fields with defaults may be absent. */
export type ReaderConfigInput = z.input<typeof readerConfigSchema>;
