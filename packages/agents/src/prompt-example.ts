import { z } from "zod";

/** A few-shot example: a user's prompt and the reply that the model should give. It precedes the actual prompt. */
export const promptExampleSchema = z.strictObject({
  user: z.string().min(1).describe("a prompt, every slot filled"),
  assistant: z.string().min(1).describe("the reply that it should get"),
});

export type PromptExample = z.infer<typeof promptExampleSchema>;
