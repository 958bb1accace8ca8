import type { DocumentText, EpisodeState } from "./episode.js";
import { AgentError } from "./error.js";
import type { Tokenizer } from "./sampler.js";
import { plainIds } from "./template.js";

/** A section of a document: its token ids and their half-open range of positions in the document. */
export interface Chunk {
  readonly tokenIds: readonly number[];
  readonly start: number;
  readonly end: number;
}

export interface ChunkRules {
  readonly chunkTokens: number;
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
 * Cuts a document into chunks of `chunkTokens` tokens, the last one shorter, without overlap. The pieces of a
 * stream are encoded one by one, so they should end where tokens end (sentences that begin with a space do).
 * Buffers at most about twice `maxChunks` chunks of a stream, or one chunk and one piece without a limit.
 *
 * @param signal is checked before every piece; a stream that can block forever must handle aborts itself
 * @throws {AgentError} DOCUMENT_OVERFLOW before anything is sampled
 */
export async function chunkDocument(
  document: DocumentText,
  tokenizer: Tokenizer,
  rules: ChunkRules,
  signal?: AbortSignal,
): Promise<DocumentChunks> {
  const { chunkTokens, maxChunks } = rules;
  if (maxChunks !== undefined) return limitedChunks(document, tokenizer, rules, maxChunks, signal);
  if (typeof document !== "string") {
    return { chunks: streamedChunks(document, tokenizer, chunkTokens, signal), droppedTokens: 0 };
  }
  const tokenIds = plainIds(tokenizer, document);
  return {
    chunks: slices(tokenIds, 0, chunkTokens),
    total: Math.ceil(tokenIds.length / chunkTokens),
    droppedTokens: 0,
  };
}

/**
 * Yields the chunks from the state's position on, or all of them without a state.
 * @throws {AgentError} BAD_STATE if the state is another agent's, or its position is within a chunk
 */
export async function* unreadChunks(
  chunks: DocumentChunks["chunks"],
  agent: string,
  state: EpisodeState | undefined,
): AsyncIterableIterator<Chunk> {
  if (state !== undefined && state.agent !== agent) {
    throw new AgentError(
      "BAD_STATE",
      `resumeFrom: is a state of agent "${state.agent}", but this is "${agent}"; resume with the agent that saved it`,
    );
  }
  const position = state?.documentPosition ?? 0;
  for await (const chunk of chunks) {
    if (chunk.end <= position) continue;
    if (chunk.start < position) {
      throw new AgentError(
        "BAD_STATE",
        `resumeFrom.documentPosition: ${position} is inside the chunk from token ${chunk.start} to ${chunk.end}, and not at its start; resume with the settings and document of the run that saved the state`,
      );
    }
    yield chunk;
  }
}

function* slices(tokenIds: readonly number[], offset: number, size: number): IterableIterator<Chunk> {
  for (let at = 0; at < tokenIds.length; at += size) {
    const end = Math.min(at + size, tokenIds.length);
    yield { tokenIds: tokenIds.slice(at, end), start: offset + at, end: offset + end };
  }
}

async function* streamedChunks(
  document: Iterable<string> | AsyncIterable<string>,
  tokenizer: Tokenizer,
  size: number,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<Chunk> {
  let held: number[] = [];
  let start = 0;
  for await (const piece of document) {
    signal?.throwIfAborted();
    for (const id of plainIds(tokenizer, piece)) {
      held.push(id);
      if (held.length < size) continue;
      yield { tokenIds: held, start, end: start + size };
      start += size;
      held = [];
    }
  }
  if (held.length > 0) yield { tokenIds: held, start, end: start + held.length };
}

/** Reads the document to its end, and keeps the head and the tail that the overflow rule leaves, in whole chunks. */
async function limitedChunks(
  document: DocumentText,
  tokenizer: Tokenizer,
  { chunkTokens, overflow }: ChunkRules,
  maxChunks: number,
  signal: AbortSignal | undefined,
): Promise<DocumentChunks> {
  const headChunks = overflow === "tail" ? 0 : overflow === "middle" ? Math.ceil(maxChunks / 2) : maxChunks;
  const headTokens = headChunks * chunkTokens;
  const tailTokens = (maxChunks - headChunks) * chunkTokens;
  const head: number[] = [];
  let tail: number[] = [];
  let tokens = 0;
  for await (const piece of typeof document === "string" ? [document] : document) {
    signal?.throwIfAborted();
    for (const id of plainIds(tokenizer, piece)) {
      tokens += 1;
      if (head.length < headTokens) head.push(id);
      else if (tailTokens > 0) tail.push(id);
    }
    if (tail.length > 2 * tailTokens) tail = tail.slice(-tailTokens);
  }
  if (tail.length > tailTokens) tail = tail.slice(-tailTokens);
  const droppedTokens = tokens - head.length - tail.length;
  if (droppedTokens > 0 && overflow === "error") {
    throw new AgentError(
      "DOCUMENT_OVERFLOW",
      `document: ${tokens} tokens exceed maxChunks ${maxChunks} × chunkTokens ${chunkTokens}; raise maxChunks or set overflow to head, middle or tail`,
      { documentTokens: tokens, maxChunks, chunkTokens },
    );
  }
  return {
    chunks: [...slices(head, 0, chunkTokens), ...slices(tail, tokens - tail.length, chunkTokens)],
    total: Math.ceil(head.length / chunkTokens) + Math.ceil(tail.length / chunkTokens),
    droppedTokens,
  };
}
