import type { z } from "zod";
import type { MemoryStore } from "../memory-store.js";

/** What a tool works on. */
export interface ToolContext {
  readonly store: MemoryStore;
  /** In [0, 1); seeded by whoever wants the same samples again. */
  readonly random: () => number;
  /** "compact" leaves out scores, dates and phrases, for models with little room. Default "full". */
  readonly style?: "full" | "compact";
  readonly signal?: AbortSignal;
}

/** One tool: what the model is told of it, and what it does. */
export interface MemoryTool {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  /**
   * @param args of anything: checked by the schema
   * @returns what the model reads
   * @throws {z.ZodError} for arguments that the schema refuses
   * @throws {MemoryError} BAD_INPUT, NOT_FOUND where the store refuses
   */
  call(args: unknown, context: ToolContext): Promise<string>;
}

export function memoryTool<Schema extends z.ZodObject>(tool: {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  run(args: z.output<Schema>, context: ToolContext): Promise<string>;
}): MemoryTool {
  const { name, description, schema } = tool;
  return {
    name,
    description,
    schema,
    call: async (args, context) => await tool.run(schema.parse(args), context),
  };
}
