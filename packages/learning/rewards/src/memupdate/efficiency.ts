/** How many records a store has, and how many characters (code points) they have together. */
export interface StoreSize {
  readonly records: number;
  readonly characters: number;
}

export function storeSize(contents: readonly string[]): StoreSize {
  let characters = 0;
  for (const content of contents) for (const _ of content) characters += 1;
  return { records: contents.length, characters };
}

/** MemUpdate's efficiency with its three factors. */
export interface MemoryEfficiency {
  /** 1 up to the allowed number of records, then falling with the fraction above it, to no less than 0.1. */
  readonly size: number;
  /** Characters per record, new relative to old, at most 1.2; 1 when the old store was empty. */
  readonly density: number;
  /** 1 minus half of the relative change of the number of records, at least 0.8. */
  readonly change: number;
  /** The product of the three factors, limited to the range from 0.1 to 1.5. */
  readonly efficiency: number;
}

/**
 * Computes the factor by which MemUpdate multiplies the change of the score. Source: Astera-org/memupdate@cc2ed994,
 * memupdate/rewards/memory_reward.py, the same in all its versions.
 */
export function memoryEfficiency(
  before: StoreSize,
  after: StoreSize,
  maxTotalMemories: number,
): MemoryEfficiency {
  const over = after.records - maxTotalMemories;
  const size = over > 0 ? Math.max(0.1, 1 - over / maxTotalMemories) : 1;
  const densityOf = ({ records, characters }: StoreSize) => characters / Math.max(records, 1);
  const density = before.records === 0 ? 1 : Math.min(1.2, densityOf(after) / Math.max(densityOf(before), 1));
  const ratio = Math.abs(after.records - before.records) / Math.max(before.records, 1);
  const change = Math.max(0.8, 1 - 0.5 * ratio);
  return { size, density, change, efficiency: clip(size * density * change, 0.1, 1.5) };
}

const clip = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));
