import type { HalfPart, HalfPiece } from "../base/half.js";
import type { HostArray, TensorSpec } from "../base/spec.js";
import type { FunctionStats } from "../base/stats.js";
import type { HostArrays } from "../trace/jit-function.js";

export type JitMode = "eager" | "graph" | "xla";

/** bfloat16: matrix products round their inputs to it; sums, everything else and the state stay float32. */
export type JitPrecision = "float32" | "bfloat16";

/** tf32: float32 on a GPU whose products round their inputs to 10 bits of mantissa. It cannot be requested. */
export type ComputedPrecision = JitPrecision | "tf32";

export interface JitModule {
  readonly mode: JitMode;
  /** Number of copies of the state. */
  readonly replicas: number;
  /** The type to which matrix products actually round their inputs. */
  readonly precision: ComputedPrecision;
  /**
   * Runs one function, synchronously, on every replica with the same inputs. Inputs are host arrays, row-major, one for each
   * declared input.
   * @returns the outputs of the first replica, copied to the host
   * @throws {JitError} UNKNOWN_FUNCTION, UNKNOWN_INPUT, DTYPE_MISMATCH, SHAPE_MISMATCH, EXECUTION_FAILED, MEMORY_EXHAUSTED,
   *   STATE_LOST, DISPOSED
   */
  call(name: string, inputs: HostArrays): Record<string, HostArray>;
  /**
   * Like `call`, with separate inputs and outputs for each replica; all run concurrently.
   * @throws {JitError} as `call`; INVALID_OPTIONS unless there are as many inputs as replicas
   */
  callEach(name: string, inputs: readonly HostArrays[]): Record<string, HostArray>[];
  /** Replaces the entries of a reduction by their sums over all replicas, on each of them. @throws {JitError} UNKNOWN_FUNCTION, as `call` */
  reduce(name: string): void;
  /**
   * On every replica, or on one, replaces the entries named in `values`; if any size does not match, none is replaced.
   * @throws {JitError} UNKNOWN_STATE, SHAPE_MISMATCH, INVALID_OPTIONS, EXECUTION_FAILED, MEMORY_EXHAUSTED, DISPOSED
   */
  writeState(values: HostArrays, replica?: number): void;
  /**
   * Like `writeState`, with separate values for each replica, which name the same entries.
   * @throws {JitError} as `writeState`; INVALID_OPTIONS unless there are as many as replicas, of the same entries
   */
  writeEach(values: readonly HostArrays[]): void;
  /**
   * Copies entries of a replica, by default the first, to the host: the named ones, or all.
   * @throws {JitError} UNKNOWN_STATE; INVALID_OPTIONS for an entry of more than 2³² values, which no array can hold; DISPOSED
   */
  readState(names?: readonly string[], replica?: number): Record<string, HostArray>;
  /** Like `readState`, for each replica. */
  readEach(names: readonly string[]): Record<string, HostArray>[];
  /**
   * On every replica, or on one, replaces a float32 entry by bfloat16 numbers, of which only the bits are copied to the device, one piece in each
   * step. They are joined and scaled there (`StateSpec.joined`) in float32, and rounded as the entry is stored. The entry has its old
   * value until the last step, which copies nothing. Between two steps no other entry may be written in this way, unless both have
   * `asHalf: "staged"`; a piece's bits are needed from its own step on.
   * @throws {JitError} as `writeState`; INVALID_OPTIONS for an entry without `asHalf: "written"`, "staged" or "both"
   */
  writeHalf(name: string, parts: readonly HalfPart[], replica?: number): Iterable<undefined>;
  /**
   * Copies an entry of a replica, by default the first, to the host, rounded to bfloat16 and checked on the device: its values from first to last in
   * pieces, each of which is read when it is asked for. No piece may be asked for after the entry has changed.
   * @param take returns memory for the bits of the next piece, of that many values; default: new memory
   * @throws {JitError} as `readState`; INVALID_OPTIONS for an entry without `asHalf: "read"` or "both"
   */
  readHalf(name: string, replica?: number, take?: (values: number) => Uint16Array): Iterable<HalfPiece>;
  /** Shape and type of a function's outputs. In mode eager they are known after the first call. */
  outputSpecs(name: string): Readonly<Record<string, TensorSpec>>;
  readonly stats: Readonly<Record<string, FunctionStats>>;
  /** Frees the state. Later calls throw DISPOSED; disposing twice does nothing. */
  dispose(): void;
}
