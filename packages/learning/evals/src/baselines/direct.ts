import { characterEnd, characterStart } from "@palimpsest/agents";
import { documentText } from "../suite/item.js";
import type { System } from "../suite/system.js";
import type { Reader } from "./reader.js";

/** The name of a baseline, and the reader and the model with which it answers. */
export interface BaselineOptions {
  readonly name: string;
  readonly reader: Reader;
  /** JSON that identifies the model: name and hash of weights, or endpoint. */
  readonly model: unknown;
}

/** Shows the whole document in one prompt. An item whose document does not fit fails. */
export function fullContext({ name, reader, model }: BaselineOptions): System {
  return {
    name,
    settings: { kind: "full-context", reader: reader.config, model },
    async answer(item, options) {
      const ids = reader.encode(await documentText(item));
      const answered = await reader.answer(item.question, ids, options);
      return { ...answered, documentTokens: ids.length, droppedDocumentTokens: 0 };
    },
  };
}

/** Shows as much of the document's beginning and end as fits into one prompt, and leaves out its middle. */
export function truncatedContext({ name, reader, model }: BaselineOptions): System {
  const { contextTokens, truncatedTokens = contextTokens } = reader.config;
  return {
    name,
    settings: { kind: "truncated", reader: reader.config, model },
    async answer(item, options) {
      const ids = reader.encode(await documentText(item));
      const kept = withoutMiddle(reader, ids, reader.room(item.question, truncatedTokens));
      const answered = await reader.answer(item.question, kept, options);
      return { ...answered, documentTokens: ids.length, droppedDocumentTokens: ids.length - kept.length };
    },
  };
}

/** Asks the question alone, which measures what the model knows without reading. */
export function closedBook({ name, reader, model }: BaselineOptions): System {
  return {
    name,
    settings: { kind: "closed-book", reader: reader.config, model },
    answer: (item, options) => reader.answerClosed(item.question, options),
  };
}

/** Returns at most `most` ids: the first half and the last half of them, each without a part of a character at the cut. */
export function withoutMiddle(
  decoder: Pick<Reader, "decode">,
  ids: readonly number[],
  most: number,
): number[] {
  if (ids.length <= most) return [...ids];
  const head = Math.ceil(most / 2);
  const tailStart = ids.length - (most - head);
  return [
    ...ids.slice(0, characterEnd(decoder, ids, head)),
    ...ids.slice(characterStart(decoder, ids, tailStart)),
  ];
}
