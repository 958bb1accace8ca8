import { type RulerTaskSources, type RulerTasksInput, rulerTaskSet } from "@palimpsest/datasets";
import { fingerprint } from "../suite/fingerprint.js";
import type { EvalItem } from "../suite/item.js";

/**
 * RULER's tasks as items, grouped by nominal length. Documents are made when they are read, in pieces: items of a million
 * tokens are held as what they are made from.
 * @throws {DatasetError} BAD_CONFIG
 */
export function rulerItems(config: RulerTasksInput, sources: RulerTaskSources = {}): EvalItem[] {
  return [...rulerTaskSet(config, sources)].map(({ pieces, metadata, ...task }): EvalItem => {
    const { length } = metadata;
    return {
      ...task,
      group: typeof length === "number" ? length : "all",
      document: {
        fingerprint: fingerprint({ ...task, metadata, seed: config.seed ?? 0 }),
        open: () => pieces(),
      },
      metadata,
    };
  });
}
