import type { MemoryStore } from "../memory-store.js";

/**
 * Returns the sources that a record made of the named ones has: the ids of those that were in the store at the beginning,
 * and what each of them comes from. Records that were made since then are no sources: they may be gone later, so that
 * their own sources stand in their place. Returns none when one of the named records was written since then and
 * names no source itself, because a part of the list would pass for all of it.
 */
export function sourcesOf(store: MemoryStore, ids: readonly string[]): string[] {
  const written = new Set(store.changedIds());
  const sources = new Set<string>();
  for (const id of ids) {
    const { provenance = [] } = store.get(id) ?? {};
    if (written.has(id) && provenance.length === 0) return [];
    if (store.base.indexOf(id) !== undefined) sources.add(id);
    for (const source of provenance) sources.add(source);
  }
  return [...sources];
}
