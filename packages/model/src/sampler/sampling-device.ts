import type { FunctionStats, JitMode } from "@palimpsest/jit";
import type { DrawnToken, DrawRule } from "./truncation.js";

/** One request as the device sees it. */
export interface DeviceRow {
  /** Its pages in order, or its one slot. */
  readonly pages: readonly number[];
  /** The slot whose first `past` entries are to be copied into its own before anything is read. */
  readonly source?: number;
  /** Entries of these pages that are written. */
  readonly past: number;
  /** What the call reads after them: a piece of the prompt, or the last token. */
  readonly tokenIds: readonly number[];
  readonly rule: DrawRule;
  readonly seed: number;
  /** Tokens sampled so far. */
  readonly sampled: number;
  /** Tokens that it may still sample. */
  readonly remaining: number;
  readonly stopTokenIds: readonly number[];
}

/** What one call sampled for one row, in order. */
export type SampledRow = readonly DrawnToken[];

/** Compiled functions with weights and a cache: over pages (sampler-device.ts) or over a table of slots (slot-device.ts). */
export interface SamplingDevice {
  readonly mode: JitMode;
  /** What each compiled function has cost so far. */
  readonly functionStats: Readonly<Record<string, FunctionStats>>;
  /** Where the policy is adapters: the base, and no adapters. */
  writeWeights(parameters: Readonly<Record<string, Float32Array>>): void;
  /** Adapters in place of those that were there. @throws {ModelError} NOT_FINITE: the merged weights are, and are written */
  writeAdapters(adapters: Readonly<Record<string, Float32Array>>): void;
  /** A row so drawn samples one token a call. */
  needsHost(rule: DrawRule): boolean;
  /**
   * Reads a piece of each row's prompt and samples one token for each. Pieces are padded to `length`; where pieces
   * without a past are laid end to end, all together are. All rows have a past, or none has.
   */
  read(rows: readonly DeviceRow[], length: number): SampledRow[];
  /** Samples `steps` tokens for each row, or fewer where no row wants more. */
  decode(rows: readonly DeviceRow[], steps: number): SampledRow[];
  /** Most tokens that `verify` may be given after the last; 0 or absent: it cannot. */
  readonly guesses?: number;
  /**
   * Samples per token after the row's last token and after each guess that follows it in `tokenIds`. What is sampled after a wrong guess is of no
   * use; its entries lie behind what counts of the cache.
   */
  verify?(row: DeviceRow): SampledRow;
  /**
   * Samples up to `steps` tokens of the only request there is, drawn by any rule; undefined where `decode` is to do it. Absent: always.
   */
  sampleAlone?(row: DeviceRow, steps: number): SampledRow | undefined;
  /**
   * Calls that have functions compiled which requests will need, and leave the cache as it is; those that are needed
   * first come first. None where nothing is compiled.
   */
  preparations(): readonly (() => void)[];
  /** Zeroes pages or slots that may hold what is not finite. */
  zeroPages(pages: readonly number[]): void;
  dispose(): void;
}
