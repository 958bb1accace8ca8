import type { EndpointMessage } from "./chat-endpoint.js";
import { EngineError } from "./error.js";
import { decodePieces, encodePieces } from "./text-pieces.js";

/** Counts and truncates texts: a real tokenizer, when the server's own is available. */
export interface PlainTokenizer {
  encode(text: string, options?: { readonly specialTokens?: "ids" | "text" }): number[];
  decode(tokenIds: readonly number[]): string;
}

const open = "<|im_start|>";
const close = "<|im_end|>";
/** It is above every id of a vocabulary and of text pieces. */
const firstMark = 2 ** 52;
const marks = new Map([
  [open, firstMark],
  [close, firstMark + 1],
]);
const textOfMark = new Map([...marks].map(([text, id]) => [id, text]));
const anyMark = /(<\|im_start\|>|<\|im_end\|>)/;

const chatMl = {
  render: (turns: readonly { readonly role: string; readonly content: string }[]) =>
    `${turns.map(({ role, content }) => `${open}${role}\n${content}${close}\n`).join("")}${open}assistant\n`,
  specialTokens: [open, close],
  stopTokens: [close],
} as const;

/**
 * Token ids for agents whose model takes messages: text by a tokenizer that needs no download, or by a given one, and
 * two marks for the beginnings and ends of turns. A mark that a text spells out stays letters, so no document can forge
 * a turn.
 */
export class EndpointTokenizer implements PlainTokenizer {
  /** The chat format that `messagesOf` reads. */
  readonly chat = chatMl;
  readonly #plain: PlainTokenizer | undefined;

  /** @param plain absent: pieces of text, of about four letters of English, three of other alphabets or one ideograph */
  constructor(plain?: PlainTokenizer) {
    this.#plain = plain;
  }

  encode(text: string, options: { readonly specialTokens?: "ids" | "text" } = {}): number[] {
    if (options.specialTokens === "text") return this.#encodePlain(text);
    return text.split(anyMark).flatMap((piece) => {
      const mark = marks.get(piece);
      return mark === undefined ? this.#encodePlain(piece) : [mark];
    });
  }

  /** Encodes the text in as few ids as possible. */
  encodeDensely(text: string): number[] {
    return this.#plain === undefined ? encodePieces(text, "dense") : this.#encodePlain(text);
  }

  decode(tokenIds: readonly number[]): string {
    return this.#parts(tokenIds)
      .map((part) => (typeof part === "number" ? textOfMark.get(part) : this.#decodePlain(part)))
      .join("");
  }

  specialTokenId(text: string): number | undefined {
    return marks.get(text);
  }

  /**
   * Returns the turns of a rendered chat; undefined for a prompt without turns.
   * @throws {EngineError} REQUEST_INVALID for turns that `chat` did not render
   */
  messagesOf(promptTokenIds: readonly number[]): EndpointMessage[] | undefined {
    const [openId, closeId] = [...marks.values()];
    const parts = this.#parts(promptTokenIds);
    if (!parts.some((part) => typeof part === "number")) return undefined;
    const messages: EndpointMessage[] = [];
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at];
      if (part === openId) {
        const content = parts[at + 1];
        const turn = typeof content === "object" ? this.#decodePlain(content) : "";
        const end = turn.indexOf("\n");
        const role = end < 0 ? turn : turn.slice(0, end);
        const last = at + 2 >= parts.length;
        if (last && role === "assistant" && turn.slice(end + 1) === "") return asServersTake(messages);
        if (end < 0 || parts[at + 2] !== closeId) throw malformed(`the turn of "${role.slice(0, 40)}"`);
        messages.push({ role, content: turn.slice(end + 1) });
        at += 2;
      } else if (typeof part !== "object" || this.#decodePlain(part).trim() !== "") {
        throw malformed("the text between two turns");
      }
    }
    throw malformed("its end, which must open the assistant's turn,");
  }

  /** Splits ids into marks and the runs of other ids between them. */
  #parts(tokenIds: readonly number[]): (number | number[])[] {
    const parts: (number | number[])[] = [];
    for (const id of tokenIds) {
      const last = parts.at(-1);
      if (textOfMark.has(id)) parts.push(id);
      else if (typeof last === "object") last.push(id);
      else parts.push([id]);
    }
    return parts;
  }

  #encodePlain(text: string): number[] {
    return this.#plain?.encode(text, { specialTokens: "text" }) ?? encodePieces(text);
  }

  #decodePlain(tokenIds: readonly number[]): string {
    return this.#plain?.decode(tokenIds) ?? decodePieces(tokenIds);
  }
}

/**
 * Sends tools' messages as a user's: a server accepts a tool's message only as the reply to a call that it wrote in its
 * own form, and agents write calls as text.
 */
function asServersTake(messages: readonly EndpointMessage[]): EndpointMessage[] {
  const taken: EndpointMessage[] = [];
  let toolsTurn = false;
  for (const { role, content } of messages) {
    if (role !== "tool") {
      taken.push({ role, content });
      toolsTurn = false;
      continue;
    }
    const said = `<tool_response>\n${content}\n</tool_response>`;
    const last = toolsTurn ? taken.pop() : undefined;
    taken.push({ role: "user", content: last === undefined ? said : `${last.content}\n${said}` });
    toolsTurn = true;
  }
  return taken;
}

function malformed(what: string): EngineError {
  return new EngineError(
    "REQUEST_INVALID",
    `prompt: ${what} differs from what the tokenizer's \`chat\` renders, so the prompt cannot be split into messages; build prompts with the tokenizer's \`chat\`, or without turns`,
  );
}
