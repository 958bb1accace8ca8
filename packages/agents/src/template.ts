import { AgentError } from "./error.js";
import type { Tokenizer } from "./sampler.js";

/**
 * Prompts as token ids. A template is text with `{slot}`s; some slots are text (the question), bound once an
 * episode and encoded together with the text around them, others are token ids (memory, section), spliced
 * as they were sampled or read and never encoded again. Special tokens of the template become their ids;
 * a special token's text inside a bound text stays plain text, so no document can forge a turn.
 */
export interface Template {
  /** Fills the text slots, every one of them, and encodes what can be encoded. */
  bind(texts: Readonly<Record<string, string>>): BoundTemplate;
}

export interface BoundTemplate {
  /** Prompt ids with each id slot filled. */
  render(ids: Readonly<Record<string, readonly number[]>>): number[];
}

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "special"; readonly id: number }
  | { readonly kind: "slot"; readonly name: string };

/**
 * @param options.idSlots names of slots that take token ids; each must occur
 * @param options.textSlots names of slots that take text; each must occur
 * @param options.specialTokens texts that stand for special tokens wherever the template holds them
 * @param options.plain whether the prompt is a plain text, before which the tokenizer's begin tokens belong, and no chat,
 *   which writes its own; a begin token that the template spells out itself is not written twice. Default false.
 * @throws {AgentError} BAD_CONFIG
 */
export function compileTemplate(
  tokenizer: Tokenizer,
  field: string,
  text: string,
  options: {
    readonly textSlots: readonly string[];
    readonly idSlots: readonly string[];
    readonly specialTokens: readonly string[];
    readonly plain?: boolean;
  },
): Template {
  const parts = splitTemplate(tokenizer, field, text, options);
  const begin = options.plain ? missingBegin(tokenizer, parts) : [];
  return {
    bind(texts) {
      const bound: (readonly number[] | string)[] = [begin];
      let run = "";
      const flush = () => {
        if (run !== "") bound.push(plainIds(tokenizer, run));
        run = "";
      };
      for (const part of parts) {
        if (part.kind === "text") run += part.text;
        else if (part.kind === "slot" && options.textSlots.includes(part.name)) run += texts[part.name] ?? "";
        else {
          flush();
          bound.push(part.kind === "special" ? [part.id] : part.name);
        }
      }
      flush();
      return {
        render: (ids) => bound.flatMap((part) => (typeof part === "string" ? (ids[part] ?? []) : part)),
      };
    },
  };
}

/** The begin tokens, unless the template spells them out. */
function missingBegin({ beginTokenIds = [] }: Tokenizer, parts: readonly Part[]): readonly number[] {
  const written = beginTokenIds.every((id, i) => {
    const part = parts[i];
    return part?.kind === "special" && part.id === id;
  });
  return written ? [] : beginTokenIds;
}

function splitTemplate(
  tokenizer: Tokenizer,
  field: string,
  text: string,
  { textSlots, idSlots, specialTokens }: Parameters<typeof compileTemplate>[3],
): Part[] {
  const slots = [...textSlots, ...idSlots];
  for (const slot of slots) {
    if (!text.includes(`{${slot}}`)) {
      throw new AgentError("BAD_CONFIG", `${field}: has no {${slot}}; add it where the ${slot} belongs`);
    }
  }
  const marks = [...slots.map((slot) => `{${slot}}`), ...specialTokens].filter((mark) => mark !== "");
  const pattern = new RegExp(
    `(${marks.map((mark) => mark.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})`,
  );
  return text
    .split(pattern)
    .filter((piece) => piece !== "")
    .map((piece): Part => {
      if (specialTokens.includes(piece)) return { kind: "special", id: specialId(tokenizer, field, piece) };
      const name = piece.slice(1, -1);
      if (piece === `{${name}}` && slots.includes(name)) return { kind: "slot", name };
      return { kind: "text", text: piece };
    });
}

/** Ids of a whole prompt that is plain text: begin tokens, where the model expects them, and the text. */
export function plainPromptIds(tokenizer: Tokenizer, text: string): number[] {
  return [...(tokenizer.beginTokenIds ?? []), ...plainIds(tokenizer, text)];
}

/** Token ids of a text that nobody vouches for: special tokens that it spells out stay letters. */
export function plainIds(tokenizer: Tokenizer, text: string): number[] {
  return tokenizer.encode(text, { specialTokens: "text" });
}

/** @throws {AgentError} BAD_CONFIG when the vocabulary has no such special token */
export function specialId(tokenizer: Tokenizer, field: string, text: string): number {
  const id = tokenizer.specialTokenId(text);
  if (id === undefined) {
    throw new AgentError(
      "BAD_CONFIG",
      `${field}: the tokenizer has no special token "${text}"; use one of the model's own`,
    );
  }
  return id;
}
