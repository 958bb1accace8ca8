/** The float32 value of every IEEE half-precision bit pattern (256 KiB), computed on first use. */
let table: Float32Array | undefined;

/** Returns the values of the 65,536 half-precision bit patterns. They are exact, because every half is a float32. */
export function float16Values(): Float32Array {
  table ??= Float32Array.from({ length: 65_536 }, (_, bits) => halfValue(bits));
  return table;
}

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
