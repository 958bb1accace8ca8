import { z } from "zod";

/** A few-shot example: a user's prompt and the reply that the model should give. It precedes the actual prompt. */
export const promptExampleSchema = z.strictObject({
  user: z.string().min(1).describe("a prompt without slots: what would fill them is written out"),
  assistant: z.string().min(1).describe("the reply to this prompt"),
});

export type PromptExample = z.infer<typeof promptExampleSchema>;
