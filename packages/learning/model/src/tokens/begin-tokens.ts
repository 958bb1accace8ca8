import { z } from "zod";

const marked = z.tuple([z.string(), z.int().nonnegative()]);
const templateSchema = z.object({
  type: z.literal("TemplateProcessing"),
  single: z.array(
    z.union([
      z.object({ SpecialToken: z.object({ id: z.string() }) }),
      z.object({ Sequence: z.object({ id: z.string() }) }),
    ]),
  ),
  special_tokens: z.record(z.string(), z.object({ ids: z.array(z.int().nonnegative()) })),
});
const bertSchema = z.object({ type: z.enum(["BertProcessing", "RobertaProcessing"]), cls: marked });
const sequenceSchema = z.object({ type: z.literal("Sequence"), processors: z.array(z.unknown()) });

/**
 * Returns the ids that the post_processor of a tokenizer.json adds before a single text, such as the BOS token of
 * Llama 3, Mistral and Gemma. Only the post_processor counts: if there is a tokenizer.json, transformers 5 ignores
 * `add_bos_token` of tokenizer_config.json. What a post_processor adds after the text is left out, because a prompt is
 * to be continued and an end token would end it.
 */
export function beginTokenIdsOf(postProcessor: unknown): number[] {
  const sequence = sequenceSchema.safeParse(postProcessor);
  // Each processor wraps the output of the one before it.
  if (sequence.success) return sequence.data.processors.toReversed().flatMap(beginTokenIdsOf);
  const bert = bertSchema.safeParse(postProcessor);
  if (bert.success) return [bert.data.cls[1]];
  const template = templateSchema.safeParse(postProcessor);
  if (!template.success) return [];
  const { single, special_tokens: specialTokens } = template.data;
  const before = single.slice(
    0,
    single.findIndex((piece) => "Sequence" in piece),
  );
  return before.flatMap((piece) =>
    "SpecialToken" in piece ? (specialTokens[piece.SpecialToken.id]?.ids ?? []) : [],
  );
}

/** Returns the post_processor that puts one token before every text. */
export function beginProcessor(token: string, id: number): unknown {
  const begin = { SpecialToken: { id: token, type_id: 0 } };
  const text = (name: "A" | "B", type: number) => ({ Sequence: { id: name, type_id: type } });
  return {
    type: "TemplateProcessing",
    single: [begin, text("A", 0)],
    pair: [begin, text("A", 0), { SpecialToken: { id: token, type_id: 1 } }, text("B", 1)],
    special_tokens: { [token]: { id: token, ids: [id], tokens: [token] } },
  };
}
