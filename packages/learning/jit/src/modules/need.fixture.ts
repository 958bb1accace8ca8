/** Returns a value that a test has made itself. */
export function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("missing");
  return value;
}
