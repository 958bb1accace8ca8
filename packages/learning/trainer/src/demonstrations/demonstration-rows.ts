import type { SupervisedRow } from "@palimpsest/learner";
import { type BpeTokenizer, ChatTemplate } from "@palimpsest/model";
import { PalimpsestError } from "@palimpsest/wire";
import type { DemonstrationSettings } from "../recipe/demonstration-settings.js";
import type { Demonstration } from "./demonstration-file.js";

export interface DemonstrationRows {
  readonly rows: readonly SupervisedRow[];
  /** Number of demonstrations above `maxTokens` that were skipped. */
  readonly skipped: number;
  readonly templated: boolean;
}

/**
 * Converts demonstrations to rows in the model's format: the prompt through its chat template, as agents ask it, then
 * the answer's tokens and the end that the template gives a turn. The answer and its end are learned, the prompt is not.
 * @param endTokens texts of the tokens that end a sampled reply; an end that is not among them is refused
 * @throws {PalimpsestError} CONFIG_INVALID naming the line
 */
export function demonstrationRows(
  demonstrations: readonly Demonstration[],
  tokenizer: BpeTokenizer,
  settings: Pick<DemonstrationSettings, "maxTokens" | "tooLong" | "template" | "enableThinking">,
  endTokens: readonly string[],
): DemonstrationRows {
  const { maxTokens, tooLong, template, enableThinking } = settings;
  const chat = template === "auto" && ChatTemplate.has(tokenizer) ? new ChatTemplate(tokenizer) : undefined;
  const plainEnd = endTokens[0] ?? "";
  const rows: SupervisedRow[] = [];
  let skipped = 0;
  for (const { line, prompt, completion } of demonstrations) {
    const turns = typeof prompt === "string" ? [{ role: "user" as const, content: prompt }] : prompt;
    const promptIds =
      chat === undefined ? plainPrompt(prompt, line, tokenizer) : chat.encode(turns, { enableThinking });
    const end =
      chat === undefined ? plainEnd : endOfTurn(chat, turns, completion, { line, enableThinking, endTokens });
    // A special token that a completion spells out is encoded as text, so that no text can forge the end of a turn.
    const answerIds = [
      ...tokenizer.encode(completion, { specialTokens: "text" }),
      ...(end === "" ? [] : tokenizer.encode(end)),
    ];
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

function plainPrompt(prompt: Demonstration["prompt"], line: number, tokenizer: BpeTokenizer): number[] {
  if (typeof prompt === "string") return tokenizer.encodePrompt(prompt, { specialTokens: "text" });
  throw refused(line, "has messages, but the model has no chat template; give prompt and completion as text");
}

interface TurnContext {
  readonly line: number;
  readonly enableThinking: boolean;
  readonly endTokens: readonly string[];
}

/**
 * Returns what the template writes after an answer, up to the token that ends a sampled reply. The conversation with the
 * answer must begin as the prompt that is asked: otherwise a prompt would be trained that is never asked.
 */
function endOfTurn(
  chat: ChatTemplate,
  prompt: Exclude<Demonstration["prompt"], string>,
  completion: string,
  { line, enableThinking, endTokens }: TurnContext,
): string {
  const asked = chat.render(prompt, { enableThinking });
  const whole = chat.render([...prompt, { role: "assistant", content: completion }], {
    enableThinking,
    addGenerationPrompt: false,
  });
  // Many templates take blanks off the ends of an answer.
  const answer = [completion, completion.trim()].find((text) => whole.startsWith(asked + text));
  if (answer === undefined) {
    let from = 0;
    while (from < asked.length && asked[from] === whole[from]) from += 1;
    const shown = (text: string) => JSON.stringify(text.slice(Math.max(0, from - 20)).slice(0, 120));
    throw refused(
      line,
      `is asked as ${shown(asked)}, but the chat template writes the answered turn as ${shown(whole)}; set enableThinking to what the agents ask with, or template to none`,
    );
  }
  const rest = whole.slice(asked.length + answer.length);
  const ends = endTokens.map((text) => rest.indexOf(text) + text.length * Number(rest.includes(text)));
  const nearest = Math.min(...ends.filter((at) => at > 0));
  if (Number.isFinite(nearest)) return rest.slice(0, nearest);
  throw refused(
    line,
    `ends with ${JSON.stringify(rest)} in the chat template, but replies end at ${endTokens.join(", ") || "no token"}; add the id of the template's end to eos_token_id in generation_config.json`,
  );
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
