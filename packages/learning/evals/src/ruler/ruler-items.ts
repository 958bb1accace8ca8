import { type RulerTaskSources, type RulerTasksInput, rulerTaskSet } from "@palimpsest/datasets";
import { fingerprint } from "../suite/fingerprint.js";
import type { EvalItem } from "../suite/item.js";

/**
 * Returns RULER's tasks as items, grouped by nominal length. Documents are built in pieces when they are read, so that
 * an item of a million tokens is kept only as the settings that generate it.
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
