import type { SupervisedRow } from "@palimpsest/learner";
import { type BpeTokenizer, ChatTemplate } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type { Demonstration } from "./demonstration-file.js";
import type { DemonstrationSettings } from "./demonstration-settings.js";

export interface DemonstrationRows {
  readonly rows: readonly SupervisedRow[];
  /** Number of demonstrations above `maxTokens` that were skipped. */
  readonly skipped: number;
  readonly templated: boolean;
}

/**
 * Converts demonstrations to rows in the model's format: the prompt through its chat template, then the answer's tokens
 * and the one that ends a turn. The answer and its end are learned, the prompt is not.
 * @throws {PalimpsestError} CONFIG_INVALID naming the line
 */
export function demonstrationRows(
  demonstrations: readonly Demonstration[],
  tokenizer: BpeTokenizer,
  { maxTokens, tooLong, template }: Pick<DemonstrationSettings, "maxTokens" | "tooLong" | "template">,
): DemonstrationRows {
  const chat = template === "auto" && ChatTemplate.has(tokenizer) ? new ChatTemplate(tokenizer) : undefined;
  const end = tokenizer.endToken === undefined ? [] : tokenizer.encode(tokenizer.endToken);
  const rows: SupervisedRow[] = [];
  let skipped = 0;
  for (const { line, prompt, completion } of demonstrations) {
    const promptIds = promptTokens(prompt, line, tokenizer, chat);
    // A special token that a completion spells out is encoded as text, so that no text can forge the end of a turn.
    const answerIds = [...tokenizer.encode(completion, { specialTokens: "text" }), ...end];
    const length = promptIds.length + answerIds.length;
    if (length > maxTokens) {
      if (tooLong === "refuse")
        throw refused(
          line,
          `has ${length} tokens, but maxTokens is ${maxTokens}; raise maxTokens, or set tooLong to skip`,
        );
      skipped++;
      continue;
    }
    if (promptIds.length === 0) throw refused(line, "has a prompt without a token; give a longer prompt");
    rows.push({
      tokenIds: [...promptIds, ...answerIds],
      lossMask: [...promptIds.map(() => 0), ...answerIds.map(() => 1)],
    });
  }
  if (rows.length > 0) return { rows, skipped, templated: chat !== undefined };
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `maxTokens: is ${maxTokens}, but each of the ${skipped} demonstrations is longer; raise it`,
  );
}

function promptTokens(
  prompt: Demonstration["prompt"],
  line: number,
  tokenizer: BpeTokenizer,
  chat: ChatTemplate | undefined,
): number[] {
  if (chat !== undefined)
    return chat.encode(typeof prompt === "string" ? [{ role: "user", content: prompt }] : prompt);
  if (typeof prompt === "string") return tokenizer.encodePrompt(prompt, { specialTokens: "text" });
  throw refused(line, "has messages, but the model has no chat template; give prompt and completion as text");
}

function refused(line: number, what: string): PalimpsestError {
  return new PalimpsestError("CONFIG_INVALID", `demonstrations: line ${line} ${what}`);
}

/** Returns the rows of one optimizer step: epochs follow one another without a gap, each in an order drawn by seed and epoch. */
export function dealtRows<Row>(
  rows: readonly Row[],
  orderOf: (pass: number) => readonly number[],
  { epochs, batch }: Pick<DemonstrationSettings, "epochs" | "batch">,
): { readonly steps: number; readonly at: (step: number) => Row[] } {
  const count = rows.length * epochs;
  let known = { pass: -1, order: [] as readonly number[] };
  const rowAt = (position: number): Row => {
    const pass = Math.floor(position / rows.length);
    if (known.pass !== pass) known = { pass, order: orderOf(pass) };
    return rows[known.order[position % rows.length] ?? 0] as Row;
  };
  return {
    steps: Math.ceil(count / batch),
    at: (step) => {
      const from = step * batch;
      return Array.from({ length: Math.min(batch, count - from) }, (_, place) => rowAt(from + place));
    },
  };
}
