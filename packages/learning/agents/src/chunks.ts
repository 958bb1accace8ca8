import { shownValue } from "@palimpsest/std/input";
import type { DocumentText, EpisodeState } from "./episode.js";
import { AgentError } from "./error.js";
import { plainIds } from "./prompts/template.js";
import type { Tokenizer } from "./sampler.js";
import { characterEnd, characterStart, mostTokensOfCharacter } from "./whole-characters.js";

/** A section of a document: its token ids and their half-open range of positions in the document. */
export interface Chunk {
  readonly tokenIds: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** Where a chunk may end. */
export const chunkEndings = ["token", "sentence", "every-sentence"] as const;

export interface ChunkRules {
  readonly chunkTokens: number;
  /** Default "token". */
  readonly chunkEnds?: (typeof chunkEndings)[number] | undefined;
  readonly maxChunks?: number | undefined;
  readonly overflow: "error" | "head" | "middle" | "tail";
}

export interface DocumentChunks {
  readonly chunks: Iterable<Chunk> | AsyncIterable<Chunk>;
  /** Known before reading, unless the document is a stream without limit. */
  readonly total?: number;
  /** Tokens that the overflow rule drops. */
  readonly droppedTokens: number;
}

/**
 * Cuts a document into chunks of `chunkTokens` tokens, the last one shorter, without overlap. A chunk is up to three
 * tokens shorter if it would end within a character (CHARACTERS-1), with `chunkEnds` "sentence" it ends with the last
 * sentence that fits, and with "every-sentence" with the first, if one does. The pieces of a stream are encoded one by one, so
 * they should end where tokens end (sentences that begin with a space do).
 * Buffers at most about twice `maxChunks` chunks of a stream, or one chunk and one piece without a limit.
 *
 * @param signal is checked before every piece; a stream that can block forever must handle aborts itself
 * @throws {AgentError} DOCUMENT_OVERFLOW before anything is sampled; BAD_CONFIG for what is no text
 */
export async function chunkDocument(
  document: DocumentText,
  tokenizer: Tokenizer,
  rules: ChunkRules,
  signal?: AbortSignal,
): Promise<DocumentChunks> {
  if (typeof document !== "string" && !isIterable(document)) throw notText("document", document);
  const { maxChunks } = rules;
  if (maxChunks !== undefined) return limitedChunks(document, tokenizer, rules, maxChunks, signal);
  if (typeof document !== "string") {
    return { chunks: streamedChunks(document, tokenizer, rules, signal), droppedTokens: 0 };
  }
  const held = [...plainIds(tokenizer, document)];
  const tokens = held.length;
  const chunks = [...takeFull(tokenizer, held, 0, rules), ...lastChunk(held, tokens)];
  return { chunks, total: chunks.length, droppedTokens: 0 };
}

/** Bytes can be iterated, too, as numbers. */
const isIterable = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  (Symbol.iterator in value || Symbol.asyncIterator in value);

const notText = (what: string, value: unknown) =>
  new AgentError(
    "BAD_CONFIG",
    `${what}: must be a text${what === "document" ? ", or pieces of one" : ""}; it is ${shownValue(value)}; decode bytes first, such as by readFile(path, "utf8")`,
  );

/** @throws {AgentError} BAD_CONFIG */
function pieceIds(tokenizer: Tokenizer, piece: unknown): readonly number[] {
  if (typeof piece !== "string") throw notText("a piece of document", piece);
  return plainIds(tokenizer, piece);
}

/**
 * Yields the chunks from the state's position on, or all of them without a state; none after an exit.
 * @param skipped is called with each chunk before that position
 * @throws {AgentError} BAD_STATE if the state is another agent's, or its position is within a chunk or beyond the last
 */
export async function* unreadChunks(
  chunks: DocumentChunks["chunks"],
  agent: string,
  state: EpisodeState | undefined,
  skipped?: (chunk: Chunk) => void,
): AsyncIterableIterator<Chunk> {
  if (state !== undefined && state.agent !== agent) {
    throw new AgentError(
      "BAD_STATE",
      `resumeFrom: is a state of agent "${state.agent}", but this is "${agent}"; resume with the agent that saved it`,
    );
  }
  const position = state?.documentPosition ?? 0;
  let end = 0;
  for await (const chunk of chunks) {
    end = chunk.end;
    if (chunk.end <= position) {
      skipped?.(chunk);
      if (state?.exited === true && chunk.end === position) return;
      continue;
    }
    if (chunk.start < position) {
      throw new AgentError(
        "BAD_STATE",
        `resumeFrom.documentPosition: ${position} is inside the chunk from token ${chunk.start} to ${chunk.end}, and not at its start; resume with the settings and document of the run that saved the state`,
      );
    }
    yield chunk;
  }
  if (position > end)
    throw new AgentError(
      "BAD_STATE",
      `resumeFrom.documentPosition: ${position} is beyond the document, which ends at token ${end}; resume with the settings and document of the run that saved the state`,
    );
}

/**
 * Removes at most `most` full chunks from the beginning of `held` and returns them. What remains is shorter than a chunk,
 * or follows the last one.
 * @param start the position of the first of these ids in the document
 */
function takeFull(
  tokenizer: Tokenizer,
  held: number[],
  start: number,
  rules: ChunkRules,
  most = Number.POSITIVE_INFINITY,
): Chunk[] {
  const chunks: Chunk[] = [];
  let at = 0;
  while (chunks.length < most) {
    const end = chunkEnd(tokenizer, held, at, rules);
    if (end === undefined) break;
    chunks.push({ tokenIds: held.slice(at, end), start: start + at, end: start + end });
    at = end;
  }
  held.splice(0, at);
  return chunks;
}

/** Returns where a chunk that begins at `from` ends, or nothing if more tokens could belong to it. */
function chunkEnd(
  tokenizer: Tokenizer,
  ids: readonly number[],
  from: number,
  { chunkTokens, chunkEnds }: ChunkRules,
): number | undefined {
  const most = from + chunkTokens;
  if (chunkEnds === "every-sentence")
    for (let end = from + 1; end <= Math.min(most, ids.length); end++)
      if (endsSentence(tokenizer, ids[end - 1] as number)) return end;
  if (ids.length < most) return undefined;
  if (chunkEnds === "sentence")
    for (let end = most; end > from; end--) if (endsSentence(tokenizer, ids[end - 1] as number)) return end;
  return characterEnd(tokenizer, ids, most, from);
}

const endsSentence = (tokenizer: Tokenizer, id: number) =>
  /(?:[.!?。！？]["'”’)\]]*\s*|\n\s*)$/u.test(tokenizer.decode([id]));

/** Returns what remains as the last, shorter chunk of a document of `tokens` tokens; none if nothing remains. */
const lastChunk = (held: readonly number[], tokens: number): Chunk[] =>
  held.length === 0 ? [] : [{ tokenIds: held, start: tokens - held.length, end: tokens }];

/** Cuts the last `count` chunks off the end of the ids, which end at position `tokens`. */
function tailChunks(
  tokenizer: Tokenizer,
  tokenIds: readonly number[],
  tokens: number,
  rules: ChunkRules,
  count: number,
): Chunk[] {
  const start = tokens - tokenIds.length;
  const chunks: Chunk[] = [];
  for (let end = tokenIds.length; chunks.length < count && end > 0; ) {
    const at = chunkStart(tokenizer, tokenIds, end, rules);
    chunks.unshift({ tokenIds: tokenIds.slice(at, end), start: start + at, end: start + end });
    end = at;
  }
  return chunks;
}

/** Returns where a full chunk that ends at `to` begins. */
function chunkStart(
  tokenizer: Tokenizer,
  ids: readonly number[],
  to: number,
  { chunkTokens, chunkEnds }: ChunkRules,
): number {
  const least = Math.max(0, to - chunkTokens);
  if (chunkEnds === "every-sentence")
    for (let start = to - 1; start >= Math.max(1, least); start--)
      if (endsSentence(tokenizer, ids[start - 1] as number)) return start;
  if (chunkEnds === "sentence")
    for (let start = Math.max(1, least); start < to; start++)
      if (endsSentence(tokenizer, ids[start - 1] as number)) return start;
  return characterStart(tokenizer, ids, least, to);
}

async function* streamedChunks(
  document: Iterable<string> | AsyncIterable<string>,
  tokenizer: Tokenizer,
  rules: ChunkRules,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<Chunk> {
  const held: number[] = [];
  let tokens = 0;
  for await (const piece of document) {
    signal?.throwIfAborted();
    for (const id of pieceIds(tokenizer, piece)) {
      tokens += 1;
      held.push(id);
    }
    yield* takeFull(tokenizer, held, tokens - held.length, rules);
  }
  yield* lastChunk(held, tokens);
}

/** Reads the document to its end, and keeps the head and the tail that the overflow rule leaves, in whole chunks. */
async function limitedChunks(
  document: DocumentText,
  tokenizer: Tokenizer,
  rules: ChunkRules,
  maxChunks: number,
  signal: AbortSignal | undefined,
): Promise<DocumentChunks> {
  const { chunkTokens, overflow } = rules;
  const headChunks = overflow === "tail" ? 0 : overflow === "middle" ? Math.ceil(maxChunks / 2) : maxChunks;
  const mostAfterHead = (maxChunks - headChunks) * chunkTokens + mostTokensOfCharacter;
  const head: Chunk[] = [];
  let afterHead: number[] = [];
  let tokens = 0;
  for await (const piece of typeof document === "string" ? [document] : document) {
    signal?.throwIfAborted();
    for (const id of pieceIds(tokenizer, piece)) {
      tokens += 1;
      afterHead.push(id);
    }
    const start = tokens - afterHead.length;
    head.push(...takeFull(tokenizer, afterHead, start, rules, headChunks - head.length));
    if (head.length === headChunks && afterHead.length > 2 * mostAfterHead)
      afterHead = afterHead.slice(-mostAfterHead);
  }
  const headTokens = head.at(-1)?.end ?? 0;
  if (headTokens + afterHead.length === tokens) {
    const held = [...afterHead];
    const following = takeFull(tokenizer, held, headTokens, rules);
    const chunks = [...head, ...following, ...lastChunk(held, tokens)];
    if (chunks.length <= maxChunks) return { chunks, total: chunks.length, droppedTokens: 0 };
  }
  if (overflow === "error") {
    throw new AgentError(
      "DOCUMENT_OVERFLOW",
      `document: ${tokens} tokens do not fit into maxChunks ${maxChunks} sections of chunkTokens ${chunkTokens}; raise maxChunks or set overflow to head, middle or tail`,
      { documentTokens: tokens, maxChunks, chunkTokens },
    );
  }
  const chunks = [...head, ...tailChunks(tokenizer, afterHead, tokens, rules, maxChunks - headChunks)];
  const kept = chunks.reduce((sum, { start, end }) => sum + end - start, 0);
  return { chunks, total: chunks.length, droppedTokens: tokens - kept };
}
