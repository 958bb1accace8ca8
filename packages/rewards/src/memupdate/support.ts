import type { MemoryRecord, StoreDiff } from "@palimpsest/trajectories";
import { locomoStems } from "../locomo/answer-f1.js";
import { memoryLine } from "./memory-line.js";

/** What an episode wrote, checked against what it could have known. */
export interface WrittenSupport {
  /** Records created or changed. */
  readonly written: number;
  /** Share of their words that their sources do not say, mean over the records; 0 where none was written. */
  readonly unsupported: number;
  /** Records that name a source which there is not. */
  readonly unknownSources: number;
}

/**
 * Checks every record that was written: its sources are the records that its provenance names, by their own ids or by the
 * turns that they come from, and its own former version; one that names none is checked against the whole store as it
 * was. A word counts by its stem, each once, numbers and names as well; the sources' dates and speakers belong to what
 * they say. A record that names a source which there is not is unsupported as a whole.
 */
export function writtenSupport(before: readonly MemoryRecord[], diff: StoreDiff): WrittenSupport {
  const written = [...diff.created, ...diff.updated];
  if (written.length === 0) return { written: 0, unsupported: 0, unknownSources: 0 };
  const sources = sourcesById(before, written);
  let whole: ReadonlySet<string> | undefined;
  let unsupported = 0;
  let unknownSources = 0;
  for (const record of written) {
    const named = record.provenance.map((id) => (id === record.id ? [] : sources.get(id)));
    if (named.includes(undefined)) {
      unknownSources += 1;
      unsupported += 1;
      continue;
    }
    const former = sources.get(record.id)?.filter((source) => source !== record) ?? [];
    const cited = [...named.flatMap((found) => found ?? []), ...former];
    whole ??= stemsOf(before);
    unsupported += unsupportedShare(record, record.provenance.length === 0 ? whole : stemsOf(cited));
  }
  return { written: written.length, unsupported: unsupported / written.length, unknownSources };
}

/** Records by their ids and by the turns that they come from; what was written in the episode by its id alone. */
function sourcesById(
  before: readonly MemoryRecord[],
  written: readonly MemoryRecord[],
): ReadonlyMap<string, readonly MemoryRecord[]> {
  const byId = new Map<string, MemoryRecord[]>();
  const add = (id: string, record: MemoryRecord) => {
    const found = byId.get(id);
    if (found === undefined) byId.set(id, [record]);
    else found.push(record);
  };
  for (const record of before) {
    add(record.id, record);
    for (const id of record.provenance) if (id !== record.id) add(id, record);
  }
  for (const record of written) if (!byId.has(record.id)) byId.set(record.id, []);
  return byId;
}

const stemsOf = (records: readonly MemoryRecord[]): ReadonlySet<string> =>
  new Set(records.flatMap((record) => locomoStems(memoryLine(record))));

function unsupportedShare(record: MemoryRecord, known: ReadonlySet<string>): number {
  const stems = new Set(locomoStems(memoryLine(record)));
  if (stems.size === 0) return 0;
  return [...stems].filter((stem) => !known.has(stem)).length / stems.size;
}
