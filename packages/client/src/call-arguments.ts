import { encodeValue, PalimpsestError } from "@palimpsest/wire";
import { inlineValue, maxCallBytes, type OutgoingValue, outgoingValue } from "./outgoing-value.js";
import type { ValueStore } from "./value-store.js";

const markerKey = "@palimpsest";

/** Whether an argument stands for the AbortSignal that the caller passed in its place. */
export function isSignalMarker(argument: unknown): boolean {
  return (
    typeof argument === "object" &&
    argument !== null &&
    Object.hasOwn(argument, markerKey) &&
    Reflect.get(argument, markerKey) === "signal"
  );
}

function isSignal(argument: unknown): argument is AbortSignal {
  return typeof argument === "object" && argument instanceof AbortSignal;
}

export interface EncodedArguments {
  readonly value: OutgoingValue;
  /** The AbortSignal among the arguments: it cancels the call, and the method gets a signal in its place. */
  readonly signal: AbortSignal | undefined;
}

/**
 * @param values undefined: there are no references, and everything travels in the message
 * @throws {PalimpsestError} INVALID_ARGUMENT for what cannot travel, LIMIT_EXCEEDED above maxCallBytes
 */
export function encodeArguments(args: readonly unknown[], values?: ValueStore): EncodedArguments {
  const signal = args.find(isSignal);
  const data =
    signal === undefined
      ? args
      : args.map((argument) => (isSignal(argument) ? { [markerKey]: "signal" } : argument));
  if (values) return { value: outgoingValue(data, values, true), signal };
  const bytes = encodeValue(data);
  if (bytes.byteLength > maxCallBytes) {
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `the arguments take ${bytes.byteLength} bytes, more than ${maxCallBytes}; put them in the object store and pass the reference`,
    );
  }
  return { value: inlineValue(bytes), signal };
}
