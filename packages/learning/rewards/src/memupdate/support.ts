import { sentences } from "@palimpsest/memory/text";
import type { MemoryRecord, StoreDiff } from "@palimpsest/trajectories";
import { locomoStems } from "../locomo/answer-f1.js";
import { memoryLine } from "./memory-line.js";

/** The check of what an episode wrote against what it could have known. */
export interface WrittenSupport {
  /** Number of records that were created or changed. */
  readonly written: number;
  /** Fraction of their words that their sources do not contain, as a mean over the records; 0 when none was written. */
  readonly unsupported: number;
  /** Number of records that name a source that does not exist. */
  readonly unknownSources: number;
}

/**
 * Checks every record that was written. Its sources are the records that its provenance names, by their own ids or by
 * the turns that they come from, and its own previous version; a record that names none is checked against the whole
 * initial store. Each distinct word counts once by its stem, including numbers and names. It is supported where one sentence
 * of the sources contains it together with one of the two words before or after it, so that a list of words from
 * everywhere is not; a sentence's date and speaker are part of it. A record that names a source that does not exist is
 * entirely unsupported.
 */
export function writtenSupport(before: readonly MemoryRecord[], diff: StoreDiff): WrittenSupport {
  const written = [...diff.created, ...diff.updated];
  if (written.length === 0) return { written: 0, unsupported: 0, unknownSources: 0 };
  const sources = sourcesById(before, written);
  let whole: readonly SourceSentence[] | undefined;
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
    whole ??= sentencesOf(before);
    unsupported += unsupportedShare(record, record.provenance.length === 0 ? whole : sentencesOf(cited));
  }
  return { written: written.length, unsupported: unsupported / written.length, unknownSources };
}

/**
 * Indexes records by their ids and by the turns that they come from; those written in the episode by their ids only.
 */
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

/** The stems of one sentence with its record's date and speaker. */
type SourceSentence = ReadonlySet<string>;

function sentencesOf(records: readonly MemoryRecord[]): SourceSentence[] {
  return records.flatMap((record) =>
    sentences(record.content).map((content) => new Set(locomoStems(memoryLine({ ...record, content })))),
  );
}

/** How many words before and after a word are compared to see whether a source's sentence says the same. */
const nearWords = 2;

function unsupportedShare(record: MemoryRecord, sources: readonly SourceSentence[]): number {
  const stems = locomoStems(memoryLine(record));
  const known = new Map<string, SourceSentence[]>();
  for (const sentence of sources) {
    for (const stem of sentence) {
      const holding = known.get(stem);
      if (holding === undefined) known.set(stem, [sentence]);
      else holding.push(sentence);
    }
  }
  const distinct = new Set(stems);
  const supported = new Set<string>();
  stems.forEach((stem, at) => {
    if (supported.has(stem)) return;
    const near = stems
      .slice(Math.max(0, at - nearWords), at + nearWords + 1)
      .filter((other) => other !== stem);
    const holds = (sentence: SourceSentence) =>
      near.length === 0 || near.some((other) => sentence.has(other));
    if (known.get(stem)?.some(holds)) supported.add(stem);
  });
  return distinct.size === 0 ? 0 : 1 - supported.size / distinct.size;
}
