import { encodeValue, PalimpsestError } from "@palimpsest/wire";

/** Largest encoded arguments or value of one call, bytes. Larger data goes through the object store. */
export const maxCallBytes = 16 * 1024 * 1024;

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

export interface EncodedArguments {
  readonly bytes: Uint8Array;
  /** The AbortSignal among the arguments: it cancels the call, and the method gets a signal in its place. */
  readonly signal: AbortSignal | undefined;
}

/** @throws {PalimpsestError} INVALID_ARGUMENT for what cannot travel, LIMIT_EXCEEDED above maxCallBytes */
export function encodeArguments(args: readonly unknown[]): EncodedArguments {
  let signal: AbortSignal | undefined;
  const data = args.map((argument) => {
    if (!(argument instanceof AbortSignal)) return argument;
    signal ??= argument;
    return { [markerKey]: "signal" };
  });
  const bytes = encodeValue(data);
  if (bytes.byteLength > maxCallBytes) {
    throw new PalimpsestError(
      "LIMIT_EXCEEDED",
      `the arguments take ${bytes.byteLength} bytes, more than ${maxCallBytes}; put them in the object store and pass the reference`,
    );
  }
  return { bytes, signal };
}
