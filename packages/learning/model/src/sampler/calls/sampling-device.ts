import type { FunctionStats, JitMode } from "@palimpsest/jit";
import type { HeldParameters } from "../../base/parameters.js";
import type { DrawnToken, DrawRule } from "../draw/truncation.js";
import type { StagedWeights } from "../weights/staged-weights.js";

/** One request from the device's point of view. */
export interface DeviceRow {
  /** Its pages in order, or its one slot. */
  readonly pages: readonly number[];
  /** The slot whose first `past` entries must be copied into its own before anything is read. */
  readonly source?: number;
  /** Number of written entries of these pages. */
  readonly past: number;
  /** The tokens that the call reads next: a piece of the prompt, or the last token. */
  readonly tokenIds: readonly number[];
  readonly rule: DrawRule;
  readonly seed: number;
  /** Number of tokens sampled so far. */
  readonly sampled: number;
  /** Number of tokens that it may still sample. */
  readonly remaining: number;
  readonly stopTokenIds: readonly number[];
  /** The tokens of prompt and reply so far, in which guesses are looked up. */
  readonly history: Int32Array;
}

/** The tokens that one call sampled for one row, in order. */
export type SampledRow = readonly DrawnToken[];

/** What a call that guesses sampled. */
export interface GuessedRows {
  readonly sampled: SampledRow[];
  /** Number of tokens that were guessed. */
  readonly guessed: number;
  /** Number of these that were sampled. */
  readonly right: number;
}

/** Compiled functions with weights and a cache: over pages (sampler-device.ts) or over a table of slots (slot-device.ts). */
export interface SamplingDevice {
  readonly mode: JitMode;
  /** The cost of each compiled function so far. */
  readonly functionStats: Readonly<Record<string, FunctionStats>>;
  /** Writes weights in steps, between which the event loop may run. If the policy is adapters: the base, without adapters. */
  writeWeights(parameters: HeldParameters): Iterable<undefined>;
  /** Begins to copy weights beside those in use; absent: `writeWeights` must do it. Only what was begun last may be finished. */
  readonly stageWeights?: ((parameters: HeldParameters) => StagedWeights) | undefined;
  /** Replaces the adapters. @throws {ModelError} NOT_FINITE: the merged weights are not finite, and have been written */
  writeAdapters(adapters: Readonly<Record<string, Float32Array>>): void;
  /** Returns whether a row with this rule must be drawn on the host, one token per call. */
  needsHost(rule: DrawRule): boolean;
  /**
   * Reads a piece of each row's prompt and samples one token for each. Pieces are padded to `length`; packed pieces
   * without a past are padded to it together. Either all rows have a past or none has.
   */
  read(rows: readonly DeviceRow[], length: number): SampledRow[];
  /** Samples `steps` tokens for each row, or fewer if no row needs more. */
  decode(rows: readonly DeviceRow[], steps: number): SampledRow[];
  /** Samples for each row with guesses of what follows; absent: `decode` must do it. */
  readonly decodeGuessing?: ((rows: readonly DeviceRow[]) => GuessedRows) | undefined;
  /** Maximum number of guesses that `verify` accepts after the last token; 0 or absent: it is not available. */
  readonly guesses?: number;
  /**
   * Samples one token after the row's last token and after each guess that follows it in `tokenIds`. Samples after a wrong
   * guess are useless; their entries lie after the valid part of the cache.
   */
  verify?(row: DeviceRow): SampledRow;
  /**
   * The time that `sampleAlone` takes for the last token alone, with one guess after it, and so on up to the most guesses that it
   * accepts; absent: none.
   */
  readonly passCosts?: readonly number[] | undefined;
  /**
   * Samples for the only running request, with any draw rule: up to `steps` tokens, or, if guesses follow its last token, one token
   * after each up to the first wrong guess. Undefined if `decode` must do it, which is always so if this method is absent.
   */
  sampleAlone?(row: DeviceRow, steps: number): SampledRow | undefined;
  /**
   * Returns calls that compile functions which requests will need and that leave the cache unchanged, the most urgent
   * ones first. Empty in modes that compile nothing.
   */
  preparations(): readonly (() => void)[];
  /** Zeroes pages or slots that may contain values that are not finite. */
  zeroPages(pages: readonly number[]): void;
  dispose(): void;
}
