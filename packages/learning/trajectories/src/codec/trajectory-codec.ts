/**
 * Converts trajectories to and from the bytes that the queues carry. Texts and facts are one protobuf message, the
 * head. The numbers of all conversations follow as columns of fixed width, which are decoded as views of the same bytes
 * without reading each number.
 *
 * The bytes are little-endian, like every machine that runs this:
 *
 * | bytes | what |
 * |---|---|
 * | 4 | "PTRJ" |
 * | 4 | uint32: the format, `trajectoryFormat` |
 * | 4 | uint32 n: conversations |
 * | 4 | uint32: bytes of the head |
 * | 64 n | for each conversation, uint32: prompt tokens, sampled tokens, numbers of the loss mask (0: it has none),
 * |      | step, index of its kind and of its stop reason in their lists, low and high half of its policy version,
 * |      | numbers of the log-probabilities after sampling's settings (0: it has none), top-k; float64: temperature,
 * |      | top-p, min-p |
 * | head | palimpsest.v1.Trajectory without conversations, but with the runs of those that several policy versions
 * |      | sampled |
 * | 0 to 3 | zeros up to a multiple of 4 |
 * | columns | for each conversation, int32 prompt token ids, int32 sampled token ids, float32 log-probabilities,
 * |         | those after sampling's settings |
 * | masks | for each conversation, its loss mask, one byte per sampled token |
 *
 * A reader that needs no numbers reads only the bytes before the columns. Inconsistent input is an error in both
 * directions.
 */

import type { Conversation, ConversationHead, Trajectory, TrajectoryHead } from "@palimpsest/memory/records";
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { check, decodeMessage } from "./codec-check.js";
import { checkLogprobs, writeColumns } from "./trajectory-columns.js";
import {
  checkHead,
  checkLengths,
  conversationKinds,
  factsMessage,
  factsOf,
  stopReasons,
} from "./trajectory-message.js";
import { versionRunsOf } from "./version-runs.js";

/**
 * Incremented when the meaning of the bytes changes. Format 1 was one protobuf message; format 2 did not record the
 * sampling settings.
 */
export const trajectoryFormat = 3;

const magic = Buffer.from("PTRJ", "latin1").readUInt32LE();
/** First byte of format 1: the field `trajectory_id`. */
const format1FirstByte = 0x0a;
const preludeBytes = 16;
const rowBytes = 64;
const rowWords = 16;
/** Offset of the float64 numbers within a row. */
const rowDoublesAt = 40;
const halfRange = 2 ** 32;
const wordBytes = 4;

/** An encoded trajectory. */
export interface TrajectoryBytes {
  readonly bytes: Uint8Array;
  /** Number of bytes that precede the columns, which suffice for `decodeTrajectoryHead`. */
  readonly headBytes: number;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The part of a conversation that precedes the columns. */
interface Row extends Omit<ConversationHead, "promptTokenIds" | "sampledTokenIds"> {
  readonly prompt: number;
  readonly sampled: number;
  readonly mask: number;
  /** Length of the column `sampledLogprobs`. */
  readonly drawn: number;
}

/** @throws {PalimpsestError} CODEC when the trajectory is inconsistent */
export function encodeTrajectory(trajectory: Trajectory): Uint8Array {
  return encodeTrajectoryParts(trajectory).bytes;
}

/** @throws {PalimpsestError} CODEC when the trajectory is inconsistent */
export function encodeTrajectoryParts(trajectory: Trajectory): TrajectoryBytes {
  checkLengths(trajectory);
  const { conversations } = trajectory;
  const head = proto.Trajectory.encode(factsMessage(trajectory)).finish();
  const headBytes = preludeBytes + rowBytes * conversations.length + head.length;
  const columnsAt = roundUp(headBytes);
  const sizeBytes =
    columnsAt + conversations.reduce((sum, conversation) => sum + columnBytes(conversation), 0);
  // Views of the whole buffer need whole words; bytes beyond the size are not part of the result.
  const bytes = new Uint8Array(new ArrayBuffer(roundUp(sizeBytes)), 0, sizeBytes);
  const words = new Uint32Array(bytes.buffer, 0, preludeBytes / wordBytes + rowWords * conversations.length);
  words[0] = magic;
  words[1] = trajectoryFormat;
  words[2] = conversations.length;
  words[3] = head.length;
  const doubles = new Float64Array(bytes.buffer, 0, words.length / 2);
  for (const [index, conversation] of conversations.entries()) {
    writeRow(words, preludeBytes / wordBytes + rowWords * index, conversation, index);
    const { temperature, topP, minP } = conversation.sampling;
    doubles.set([temperature, topP, minP], (preludeBytes + rowBytes * index + rowDoublesAt) / 8);
  }
  bytes.set(head, headBytes - head.length);
  writeColumns(bytes.buffer, columnsAt, conversations);
  return { bytes, headBytes };
}

function writeRow(words: Uint32Array, at: number, conversation: Conversation, index: number): void {
  const { step, policyVersion } = conversation;
  check(step >>> 0 === step, `conversations[${index}].step`, `is ${step}, but must be a uint32`);
  check(
    Number.isSafeInteger(policyVersion) && policyVersion >= 0,
    `conversations[${index}].policyVersion`,
    `is ${policyVersion}, but must be a whole number ≥ 0`,
  );
  words[at] = conversation.promptTokenIds.length;
  words[at + 1] = conversation.sampledTokenIds.length;
  words[at + 2] = conversation.lossMask?.length ?? 0;
  words[at + 3] = step;
  words[at + 4] = conversationKinds.indexOf(conversation.kind);
  words[at + 5] = stopReasons.indexOf(conversation.stopReason);
  words[at + 6] = policyVersion % halfRange;
  words[at + 7] = Math.floor(policyVersion / halfRange);
  words[at + 8] = conversation.sampledLogprobs?.length ?? 0;
  words[at + 9] = conversation.sampling.topK;
}

function readRow(view: DataView, index: number): Row {
  const at = preludeBytes + rowBytes * index;
  const word = (place: number): number => view.getUint32(at + wordBytes * place, true);
  const kind = conversationKinds[word(4)];
  const stopReason = stopReasons[word(5)];
  if (kind === undefined || stopReason === undefined) {
    throw new PalimpsestError(
      "CODEC",
      `conversations[${index}] has kind ${word(4)} of ${conversationKinds.length} and stop reason ${word(5)} of ${stopReasons.length}`,
    );
  }
  const policyVersion = word(6) + word(7) * halfRange;
  check(
    Number.isSafeInteger(policyVersion),
    `conversations[${index}].policyVersion`,
    `is ${policyVersion}, but must be at most ${Number.MAX_SAFE_INTEGER}`,
  );
  const double = (place: number): number => view.getFloat64(at + rowDoublesAt + 8 * place, true);
  const sampling = { temperature: double(0), topP: double(1), topK: word(9), minP: double(2) };
  return {
    prompt: word(0),
    sampled: word(1),
    mask: word(2),
    step: word(3),
    kind,
    stopReason,
    policyVersion,
    drawn: word(8),
    sampling,
  };
}

/**
 * Decodes a complete trajectory. Its columns are views of the bytes where those are aligned, and of one copy otherwise.
 * @throws {PalimpsestError} CODEC
 */
export function decodeTrajectory(bytes: Uint8Array): Trajectory {
  const { rows, message, headBytes } = readHead(bytes);
  const columnsAt = roundUp(headBytes);
  const maskBytes = rows.reduce((sum, { mask }) => sum + mask, 0);
  const expected =
    columnsAt +
    maskBytes +
    wordBytes * rows.reduce((sum, { prompt, sampled, drawn }) => sum + prompt + 2 * sampled + drawn, 0);
  check(
    bytes.length === expected,
    "trajectory",
    `has ${bytes.length} bytes, but its columns need ${expected}`,
  );
  const [buffer, offset] = aligned(bytes);
  let at = offset + columnsAt;
  let maskAt = offset + expected - maskBytes;
  const floats = (
    field: "rolloutLogprobs" | "sampledLogprobs",
    length: number,
    index: number,
    drawn: boolean,
  ): Float32Array => {
    const values = new Float32Array(buffer, at, length);
    at += wordBytes * length;
    checkLogprobs(field, values, { index, drawn });
    return values;
  };
  const versionRuns = versionRunsOf(message.versionRuns);
  // Every field is copied by name: a spread for each of a hundred conversations costs more than all their columns.
  const conversations = rows.map((row, index): Conversation => {
    const { kind, step, stopReason, policyVersion, sampling } = row;
    const promptTokenIds = new Int32Array(buffer, at, row.prompt);
    at += wordBytes * row.prompt;
    const sampledTokenIds = new Int32Array(buffer, at, row.sampled);
    at += wordBytes * row.sampled;
    const rolloutLogprobs = floats("rolloutLogprobs", row.sampled, index, row.drawn > 0);
    const conversation: Mutable<Conversation> = {
      kind,
      step,
      promptTokenIds,
      sampledTokenIds,
      rolloutLogprobs,
      stopReason,
      policyVersion,
      sampling,
    };
    const runs = versionRuns.get(index);
    if (runs !== undefined) conversation.versionRuns = runs;
    if (row.drawn > 0) conversation.sampledLogprobs = floats("sampledLogprobs", row.drawn, index, true);
    if (row.mask > 0) {
      conversation.lossMask = new Uint8Array(buffer, maskAt, row.mask);
      maskAt += row.mask;
    }
    return conversation;
  });
  const trajectory: Trajectory = { ...factsOf(message), conversations };
  checkLengths(trajectory);
  return trajectory;
}

/**
 * Decodes what precedes the columns. The bytes may end there.
 * @throws {PalimpsestError} CODEC
 */
export function decodeTrajectoryHead(bytes: Uint8Array): TrajectoryHead {
  const { rows, message } = readHead(bytes);
  const versionRuns = versionRunsOf(message.versionRuns);
  const conversations = rows.map(
    ({ prompt, sampled, kind, step, stopReason, policyVersion, sampling }, index): ConversationHead => ({
      kind,
      step,
      promptTokenIds: { length: prompt },
      sampledTokenIds: { length: sampled },
      stopReason,
      policyVersion,
      sampling,
      ...(versionRuns.has(index) ? { versionRuns: versionRuns.get(index) ?? [] } : {}),
    }),
  );
  const head = { ...factsOf(message), conversations };
  checkHead(head);
  return head;
}

function readHead(bytes: Uint8Array): {
  readonly rows: readonly Row[];
  readonly message: proto.Trajectory;
  readonly headBytes: number;
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  checkFormat(view);
  const count = view.getUint32(8, true);
  const headAt = preludeBytes + rowBytes * count;
  const headBytes = headAt + view.getUint32(12, true);
  check(
    headBytes <= bytes.length,
    "trajectory",
    `is truncated: its head has ${headBytes} bytes, of which only ${bytes.length} are present`,
  );
  const rows = Array.from({ length: count }, (_, index) => readRow(view, index));
  const message = decodeMessage("trajectory", () =>
    proto.Trajectory.decode(bytes.subarray(headAt, headBytes)),
  );
  return { rows, message, headBytes };
}

function checkFormat(view: DataView): void {
  if (view.byteLength < preludeBytes || view.getUint32(0, true) !== magic) {
    if (view.byteLength > 0 && view.getUint8(0) === format1FirstByte) {
      throw formatError(1);
    }
    throw new PalimpsestError("CODEC", "bytes are not a trajectory");
  }
  const format = view.getUint32(4, true);
  if (format !== trajectoryFormat) {
    throw formatError(format);
  }
}

function formatError(format: number): PalimpsestError {
  return new PalimpsestError(
    "CODEC",
    `trajectory has format ${format} and this program reads format ${trajectoryFormat}: another version wrote it; ` +
      "finish the run with that version, or resume it from its checkpoint under a new run id",
  );
}

function columnBytes(conversation: Conversation): number {
  const { promptTokenIds, sampledTokenIds, rolloutLogprobs, sampledLogprobs, lossMask } = conversation;
  const logprobs = rolloutLogprobs.length + (sampledLogprobs?.length ?? 0);
  const words = promptTokenIds.length + sampledTokenIds.length + logprobs;
  return wordBytes * words + (lossMask?.length ?? 0);
}

/** Returns a buffer with the bytes and the offset at which they begin in it, a multiple of 4. */
function aligned(bytes: Uint8Array): readonly [ArrayBufferLike, number] {
  // slice() would return a view of a Buffer, and not a copy.
  return bytes.byteOffset % wordBytes === 0
    ? [bytes.buffer, bytes.byteOffset]
    : [new Uint8Array(bytes).buffer, 0];
}

function roundUp(size: number): number {
  return Math.ceil(size / wordBytes) * wordBytes;
}
