import { parseToolCalls } from "@palimpsest/agents";
import { z } from "zod";
import { goldenList } from "./golden-case.js";

const schema = z.object({
  text: z.string(),
  calls: z.array(z.object({ name: z.string(), arguments: z.unknown().optional() })).nullable(),
  content: z.string(),
  failed_blocks: z.number(),
});

/** Checks the parsing of tool calls in the format of Hermes. */
export const toolCallCases = goldenList({
  name: "cases",
  schema,
  compare: ({ text, calls, content, failed_blocks }) => {
    const ours = parseToolCalls(text);
    const made = ours.blocks?.flatMap((block) => ("call" in block ? [block.call] : [])) ?? null;
    const failed = ours.blocks?.filter((block) => "error" in block).length ?? 0;
    return [
      {
        name: "calls",
        expected: calls?.map(({ name, arguments: given = null }) => ({ name, arguments: given })) ?? null,
        actual: made?.map(({ name, arguments: given }) => ({ name, arguments: given })) ?? null,
      },
      { name: "content", expected: content, actual: ours.content },
      { name: "failed_blocks", expected: failed_blocks, actual: failed },
    ];
  },
  choice: (_, { kind }) => {
    if (kind === "non_finite") return "refused, and the model is told: NaN, Infinity and 1e400 are no JSON";
    if (kind === "lone_surrogate")
      return "as the reference: the call is read; the surrogate becomes U+FFFD as UTF-8";
    if (kind.includes("number")) return "numbers are doubles: digits beyond 2^53 are lost";
    return "as the reference: the parser takes arguments of any type, and the tool refuses what does not fit";
  },
});
