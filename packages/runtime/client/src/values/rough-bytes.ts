/** The estimated bytes of each value besides its content: of an object, and of every value in it. */
const overheadBytes = 16;

/**
 * Estimates the memory of a value in bytes, for bounds: typed arrays count with their bytes, strings with two bytes per
 * character, and every value with a constant overhead, which is all that a reference counts.
 */
export function roughBytes(value: unknown): number {
  const seen = new Set<object>();
  const rest: unknown[] = [value];
  let bytes = 0;
  while (rest.length > 0) {
    const next = rest.pop();
    bytes += overheadBytes;
    if (typeof next === "string") bytes += 2 * next.length;
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    if (ArrayBuffer.isView(next) || next instanceof ArrayBuffer) bytes += next.byteLength;
    else if (next instanceof Map) for (const pair of next) rest.push(...pair);
    else if (next instanceof Set) for (const item of next) rest.push(item);
    else
      for (const [name, item] of Object.entries(next)) {
        bytes += 2 * name.length;
        rest.push(item);
      }
  }
  return bytes;
}
