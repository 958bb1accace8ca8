/**
 * FNV-1a (Fowler, Noll and Vo) over 32 bits. Its high bits are weak on short texts: mix them where they matter.
 * @param parts bytes, or a text, whose UTF-16 code units are hashed
 * @param basis another one gives another hash of the same parts
 */
export function fnv1a32(parts: Uint8Array | string, basis = 0x811c9dc5): number {
  let hash = basis;
  if (typeof parts === "string")
    for (let place = 0; place < parts.length; place++)
      hash = Math.imul(hash ^ parts.charCodeAt(place), 0x01000193);
  else for (const byte of parts) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** The finalizer of MurmurHash3 (Appleby, public domain): every bit of 32 depends on each of the argument's. */
export function murmurMix32(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Mixes like `murmurMix32`, with constants of less bias (Wellons, "Prospecting for Hash Functions", lowbias32). */
export function lowBiasMix32(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
