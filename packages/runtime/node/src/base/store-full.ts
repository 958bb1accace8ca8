import { PalimpsestError } from "@palimpsest/wire";

export interface StoreUse {
  /** The size of the request in bytes. */
  readonly sizeBytes: number;
  readonly maxBytes: number;
  readonly storedBytes: number;
  /** The stored bytes without a lease. */
  readonly copyBytes: number;
  /** The bytes that open writers have announced. */
  readonly reservedBytes: number;
  readonly bytesByHolder: ReadonlyMap<string, number>;
  /** The bytes of files of freed and spilled values that programs have mapped or this node reads. */
  readonly inUseBytes: number;
  /** The stored bytes that can neither be evicted nor spilled, because programs have mapped them. */
  readonly mappedBytes: number;
  /** The spilled bytes; undefined if nothing is spilled. */
  readonly spilledBytes: number | undefined;
  readonly maxSpillBytes: number | undefined;
}

/** Returns an error that says who fills the store and what would help. */
export function objectStoreFull(use: StoreUse): PalimpsestError {
  const { sizeBytes, maxBytes, storedBytes, copyBytes, reservedBytes } = use;
  let largest = "";
  let largestBytes = 0;
  for (const [holder, bytes] of use.bytesByHolder) {
    if (bytes <= largestBytes) continue;
    largest = holder;
    largestBytes = bytes;
  }
  const most = largestBytes > 0 ? ` (most by ${largest}: ${largestBytes})` : "";
  const fix =
    sizeBytes > maxBytes
      ? "it is larger than the whole store: raise objectStoreBytes, or store it in pieces"
      : "free objects that are no longer needed (objects.free), end their owners, or raise objectStoreBytes or objectSpillBytes";
  const inUse =
    use.inUseBytes > 0
      ? `, ${use.inUseBytes} are of freed values that programs still have mapped or read: drop their arrays, or call releasePages(array.buffer)`
      : "";
  const mapped =
    use.mappedBytes > 0
      ? `, ${use.mappedBytes} of the leased or copied bytes cannot leave memory while programs have them mapped: keep copies (array.slice()) instead, and drop the arrays or call releasePages(array.buffer)`
      : "";
  const disk = use.maxSpillBytes
    ? `; of ${use.maxSpillBytes} bytes on disk ${use.spilledBytes ?? 0} are taken`
    : "";
  return new PalimpsestError(
    "OBJECT_STORE_FULL",
    `${sizeBytes} bytes do not fit: of ${maxBytes} bytes ${storedBytes - copyBytes} are leased${most}, ${copyBytes} are copies in use and ${reservedBytes} are reserved for values that are being written${mapped}${inUse}${disk}; ${fix}`,
    {
      details: {
        sizeBytes: String(sizeBytes),
        usedBytes: String(storedBytes + reservedBytes + use.inUseBytes),
        maxBytes: String(maxBytes),
      },
    },
  );
}
