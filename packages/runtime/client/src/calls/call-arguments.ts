import { encodeValue, PalimpsestError } from "@palimpsest/wire";
import { inlineValue, maxCallBytes, type OutgoingValue, outgoingValue } from "../values/outgoing-value.js";
import type { ValueStore } from "../values/value-store.js";

const markerKey = "@palimpsest";

/** Returns whether an argument is the placeholder of the AbortSignal that the caller passed. */
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
  /**
   * Returns the AbortSignal among the arguments. It cancels the call, and the method receives a signal of its own in
   * that position.
   */
  readonly signal: AbortSignal | undefined;
}

/**
 * @param values undefined means that there are no references and everything is sent in the message
 * @throws {PalimpsestError} INVALID_ARGUMENT for values that cannot be sent, LIMIT_EXCEEDED above maxCallBytes
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
