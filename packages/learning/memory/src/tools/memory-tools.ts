import { z } from "zod";
import { MemoryError } from "../error.js";
import { refuseUnfit } from "../refuse-unfit.js";
import { deleteMemory } from "./delete-memory.js";
import { manageMemory } from "./manage-memory.js";
import { mergeMemory } from "./merge-memory.js";
import { sampleMemory } from "./sample-memory.js";
import { searchMemory } from "./search-memory.js";
import { splitMemory } from "./split-memory.js";
import type { MemoryToolContext } from "./tool.js";
import { type ToolSet, toolSet } from "./tool-set.js";

const all = {
  search_memory: searchMemory,
  manage_memory: manageMemory,
  delete_memory: deleteMemory,
  sample_memory: sampleMemory,
  merge_memory: mergeMemory,
  split_memory: splitMemory,
} as const;

export type MemoryToolName = keyof typeof all;
export const memoryToolNames = Object.keys(all) as [MemoryToolName, ...MemoryToolName[]];

const namesSchema = z.array(z.enum(memoryToolNames));

/** Returns the named ones of the six memory tools. */
export const memoryTools = (
  names: readonly MemoryToolName[] = memoryToolNames,
): ToolSet<MemoryToolContext> => {
  refuseUnfit(namesSchema, names, "names of memoryTools()");
  return toolSet(names.map((name) => ({ ...all[name], refusal })));
};

/** Returns the text for a mistake of the model; any other error is rethrown. */
function refusal(reason: unknown): string | undefined {
  if (!(reason instanceof MemoryError)) return undefined;
  const message = reason.rawMessage;
  if (reason.code === "NOT_FOUND") return `${message}; find ids with search_memory or sample_memory`;
  return reason.code === "BAD_INPUT" ? message : undefined;
}
