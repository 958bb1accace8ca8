import { inspect } from "node:util";
import { CodedError } from "@palimpsest/std";
import type { MemoryShortage } from "./memory-shortage.js";

/** The closed set of error codes. The message names the function, operation or field, the value, and the fix. */
export type JitErrorCode =
  | "BACKEND_UNAVAILABLE"
  | "DISPOSED"
  | "DTYPE_MISMATCH"
  | "EXECUTION_FAILED"
  | "HOST_READ_WHILE_TRACING"
  | "INVALID_OPTIONS"
  | "MEMORY_EXHAUSTED"
  | "NO_GRADIENT"
  | "NO_SHAPE_INFERENCE"
  | "SHAPE_MISMATCH"
  /** An earlier launch failed, and the state it was to write is gone: create another module. */
  | "STATE_LOST"
  | "TENSOR_OUT_OF_SCOPE"
  | "UNKNOWN_FUNCTION"
  | "UNKNOWN_INPUT"
  | "UNKNOWN_STATE";

/** The only error class of this package. */
export class JitError extends CodedError<JitErrorCode> {
  /** With TensorFlow's MEMORY_EXHAUSTED: how much was requested and where. */
  readonly shortage?: MemoryShortage;
  /** Whether the module's state is gone with this failure, so that every later call is STATE_LOST. */
  readonly losesState: boolean;

  constructor(
    code: JitErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly shortage?: MemoryShortage;
      readonly losesState?: boolean;
    } = {},
  ) {
    super("JitError", code, message, { cause: options.cause });
    this.losesState = options.losesState ?? false;
    if (options.shortage !== undefined) this.shortage = options.shortage;
  }
}

const shown = (value: unknown) =>
  inspect(value, { depth: 0, maxStringLength: 80, breakLength: Number.POSITIVE_INFINITY });

/**
 * Returns options that are an object.
 * @param names what they may contain; default: anything
 * @throws {JitError} INVALID_OPTIONS
 */
export function checkOptions<Options>(what: string, options: Options, names?: readonly string[]): Options {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new JitError("INVALID_OPTIONS", `the options of ${what} are ${shown(options)}; give an object`);
  const unknown = Object.keys(options).find((name) => names?.includes(name) === false);
  if (unknown === undefined) return options;
  throw new JitError("INVALID_OPTIONS", `${what} has no option ${shown(unknown)}; use ${names?.join(", ")}`);
}

/** @throws {JitError} INVALID_OPTIONS */
export function checkChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (typeof value === "string" && choices.includes(value)) return;
  throw new JitError("INVALID_OPTIONS", `${name} is ${shown(value)}; give one of ${choices.join(", ")}`);
}
