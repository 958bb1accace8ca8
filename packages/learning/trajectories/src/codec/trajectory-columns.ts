/** Converts the numbers of conversations between their columns and the bytes of a trajectory. */

import type { Column, Conversation } from "@palimpsest/memory/records";
import { PalimpsestError } from "@palimpsest/wire";

const wordBytes = 4;
const noColumn = new Float32Array();

/** Writes the columns through views of the whole buffer. A view for each column would cost more than its numbers. */
export function writeColumns(
  buffer: ArrayBuffer,
  columnsAt: number,
  conversations: readonly Conversation[],
): void {
  const ints = new Int32Array(buffer);
  const floats = new Float32Array(buffer);
  let at = columnsAt / wordBytes;
  for (const [index, conversation] of conversations.entries()) {
    const { promptTokenIds, sampledTokenIds, rolloutLogprobs, sampledLogprobs = noColumn } = conversation;
    const sampledAt = at + promptTokenIds.length;
    const logprobsAt = sampledAt + sampledTokenIds.length;
    const sampledLogprobsAt = logprobsAt + rolloutLogprobs.length;
    floats.set(rolloutLogprobs, logprobsAt);
    floats.set(sampledLogprobs, sampledLogprobsAt);
    const fault =
      faultOf("promptTokenIds", promptTokenIds, writeTokenIds(ints, at, promptTokenIds), notInt) ??
      faultOf("sampledTokenIds", sampledTokenIds, writeTokenIds(ints, sampledAt, sampledTokenIds), notInt) ??
      faultOf(
        "rolloutLogprobs",
        rolloutLogprobs,
        firstNoRolloutLogprob(floats, logprobsAt, rolloutLogprobs.length, sampledLogprobs.length > 0),
        notFinite,
      ) ??
      faultOf(
        "sampledLogprobs",
        sampledLogprobs,
        firstNotFinite(floats, sampledLogprobsAt, sampledLogprobs.length),
        notFinite,
      );
    if (fault !== undefined) {
      throw new PalimpsestError("CODEC", `conversations[${index}].${fault}`);
    }
    at = sampledLogprobsAt + sampledLogprobs.length;
  }
  const bytes = new Uint8Array(buffer);
  let maskAt = at * wordBytes;
  for (const { lossMask } of conversations) {
    if (lossMask !== undefined) {
      bytes.set(lossMask, maskAt);
      maskAt += lossMask.length;
    }
  }
}

const notInt = "a 32-bit integer";
const notFinite = "a finite float32";

/** Returns what is wrong with the number at that index of a column; undefined for index -1. */
function faultOf(field: string, column: Column, at: number, what: string): string | undefined {
  return at < 0 ? undefined : `${field}[${at}] is ${column[at]}, but must be ${what}`;
}

/** @returns the index of the first number that is not a 32-bit integer, or -1 */
function writeTokenIds(target: Int32Array, at: number, tokenIds: Column): number {
  if (tokenIds instanceof Int32Array) {
    target.set(tokenIds, at);
    return -1;
  }
  return writeChecked(target, at, Array.isArray(tokenIds) ? tokenIds : Array.from(tokenIds));
}

/** Writes an array. A loop that is called with every kind of column would take ten times as long per number. */
function writeChecked(target: Int32Array, at: number, values: readonly number[]): number {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    target[at + i] = value;
    if (target[at + i] !== value) {
      return i;
    }
  }
  return -1;
}

/**
 * Checks the log-probabilities that are in the bytes. @throws {PalimpsestError} CODEC
 * @param drawn whether the conversation has those after temperature and truncation
 */
export function checkLogprobs(
  field: "rolloutLogprobs" | "sampledLogprobs",
  values: Float32Array,
  { index, drawn }: { readonly index: number; readonly drawn: boolean },
): void {
  const first = field === "rolloutLogprobs" ? firstNoRolloutLogprob : firstNotFinite;
  const fault = faultOf(field, values, first(values, 0, values.length, drawn), notFinite);
  if (fault !== undefined) {
    throw new PalimpsestError("CODEC", `conversations[${index}].${fault}`);
  }
}

/**
 * Finds the first number that is not a log-probability. NaN is one when the engine reports only the log-probabilities
 * after temperature and truncation, which are then the ones that are trained on.
 * @returns the same as `firstNotFinite`
 */
export function firstNoRolloutLogprob(
  values: Float32Array,
  start: number,
  length: number,
  drawn: boolean,
): number {
  const at = firstNotFinite(values, start, length);
  if (at < 0 || !drawn) return at;
  for (let i = at; i < length; i++) {
    const value = values[start + i] as number;
    if (value * 0 !== 0 && !Number.isNaN(value)) return i;
  }
  return -1;
}

/** @returns the index, from `start`, of the first of `length` numbers that is not finite, or -1 */
export function firstNotFinite(values: Float32Array, start: number, length: number): number {
  for (let i = 0; i < length; i++) {
    // Only a number that is not finite gives NaN here.
    if ((values[start + i] as number) * 0 !== 0) {
      return i;
    }
  }
  return -1;
}
