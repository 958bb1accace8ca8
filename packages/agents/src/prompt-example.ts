import { z } from "zod";

/** What a user may say and what the model should reply: shown to the model before the real prompt. */
export const promptExampleSchema = z.strictObject({
  user: z.string().min(1).describe("a prompt, every slot filled"),
  assistant: z.string().min(1).describe("the reply that it should get"),
});

export type PromptExample = z.infer<typeof promptExampleSchema>;
