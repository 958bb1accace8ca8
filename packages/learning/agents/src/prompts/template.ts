import { AgentError } from "../error.js";
import type { Tokenizer } from "../sampler.js";

/**
 * Makes prompts as token ids. A template is text with `{slot}`s. Text slots (the question) are bound once per episode
 * and encoded together with the text around them; id slots (memory, section) take token ids, which are spliced in as
 * they were sampled or read and are never encoded again. Special tokens of the template become their ids; the text of
 * a special token inside a bound text stays plain text, so that no document can forge a turn.
 */
export interface Template {
  /** Fills all text slots, and encodes everything but the id slots. */
  bind(texts: Readonly<Record<string, string>>): BoundTemplate;
}

/** A prompt template whose fixed parts have been tokenized once. */
export interface BoundTemplate {
  /** Returns the ids of the prompt, with each id slot filled. */
  render(ids: Readonly<Record<string, readonly number[]>>): number[];
}

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "special"; readonly id: number }
  | { readonly kind: "slot"; readonly name: string };

/**
 * Compiles a prompt's text to a template.
 * @param field the setting that the text comes from, for error messages
 * @param options.idSlots names of the slots that take token ids; each must occur
 * @param options.textSlots names of the slots that take text; each must occur
 * @param options.specialTokens texts that represent special tokens wherever the template contains them
 * @param options.plain true if the prompt is plain text, which begins with the tokenizer's begin tokens, and not a
 *   chat, which writes its own. Begin tokens that the template spells out itself are not added again. Default false.
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

/** Returns the begin tokens, unless the template begins with them itself. */
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
      throw new AgentError("BAD_CONFIG", `${field}: contains no {${slot}}; put it where the ${slot} belongs`);
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

/** Returns the ids of a prompt that is plain text: the begin tokens that the model expects, and the text. */
export function plainPromptIds(tokenizer: Tokenizer, text: string): number[] {
  return [...(tokenizer.beginTokenIds ?? []), ...plainIds(tokenizer, text)];
}

/** Returns the token ids of an untrusted text: special tokens that it spells out are encoded as plain text. */
export function plainIds(tokenizer: Tokenizer, text: string): number[] {
  return tokenizer.encode(text, { specialTokens: "text" });
}

/** Returns the id of a special token. @throws {AgentError} BAD_CONFIG if the vocabulary has no such special token */
export function specialId(tokenizer: Tokenizer, field: string, text: string): number {
  const id = tokenizer.specialTokenId(text);
  if (id === undefined) {
    throw new AgentError(
      "BAD_CONFIG",
      `${field}: the tokenizer has no special token "${text}"; use one of the model's special tokens`,
    );
  }
  return id;
}
