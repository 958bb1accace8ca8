import { z } from "zod";
import { MemoryError } from "../error.js";
import { deleteMemory } from "./delete-memory.js";
import { manageMemory } from "./manage-memory.js";
import { mergeMemory } from "./merge-memory.js";
import { sampleMemory } from "./sample-memory.js";
import { searchMemory } from "./search-memory.js";
import { splitMemory } from "./split-memory.js";
import type { MemoryTool, ToolContext } from "./tool.js";

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

/** A tool as chat templates and servers are told of it: { type: "function", function: { … } }. */
export interface ToolDefinition {
  readonly [key: string]: unknown;
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** JSON schema of the arguments. */
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export interface ToolResult {
  /**
   * done; malformed: no such tool, or arguments that its schema refuses; failed: the store refuses, such as
   * for an unknown id.
   */
  readonly outcome: "done" | "malformed" | "failed";
  /** What the model reads: the result, or what was wrong and how to mend it. */
  readonly text: string;
}

/** Some of the memory tools, to be called by name with arguments that nobody has checked. */
export interface MemoryTools {
  readonly names: readonly MemoryToolName[];
  readonly definitions: readonly ToolDefinition[];
  /** @throws what is not the model's mistake: an abort, a failing embedder */
  run(name: string, args: unknown, context: ToolContext): Promise<ToolResult>;
}

export function memoryTools(names: readonly MemoryToolName[] = memoryToolNames): MemoryTools {
  const tools = new Map<string, MemoryTool>(names.map((name) => [name, all[name]]));
  return {
    names,
    definitions: [...tools.values()].map(definitionOf),
    async run(name, args, context) {
      const tool = tools.get(name);
      if (tool === undefined) {
        return {
          outcome: "malformed",
          text: `Error: there is no tool "${name}"; the tools are ${names.join(", ")}.`,
        };
      }
      try {
        return { outcome: "done", text: await tool.call(args, context) };
      } catch (reason) {
        if (reason instanceof z.ZodError)
          return { outcome: "malformed", text: `Error: ${issuesOf(reason)}.` };
        return { outcome: "failed", text: `Error: ${refusalOf(reason)}.` };
      }
    },
  };
}

function definitionOf({ name, description, schema }: MemoryTool): ToolDefinition {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return { type: "function", function: { name, description, parameters } };
}

function issuesOf({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => `${path.length === 0 ? "arguments" : path.join(".")}: ${message}`)
    .join("; ");
}

/** What the model did wrong; anything else is thrown on. */
function refusalOf(reason: unknown): string {
  if (!(reason instanceof MemoryError)) throw reason;
  const message = reason.message.replace(/^\[[A-Z_]+\] /, "");
  if (reason.code === "NOT_FOUND") return `${message}; find ids with search_memory or sample_memory`;
  if (reason.code === "BAD_INPUT") return message;
  throw reason;
}
