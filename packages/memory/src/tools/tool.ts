import type { z } from "zod";
import type { MemoryStore } from "../memory-store.js";

/** One tool: what a model is told of it, and what it does. */
export interface Tool<Context> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  /**
   * @param args of anything: checked by the schema
   * @returns what the model reads
   * @throws {z.ZodError} for arguments that the schema refuses
   */
  call(args: unknown, context: Context): Promise<string>;
  /** What the model reads of an error of `call`; undefined: it is no mistake of the model's and is thrown on. */
  refusal(reason: unknown, context: Context): string | undefined;
}

/** What a memory tool works on. */
export interface MemoryToolContext {
  readonly store: MemoryStore;
  /** In [0, 1); seeded by whoever wants the same samples again. */
  readonly random: () => number;
  /** "compact" leaves out scores, dates and phrases, for models with little room. Default "full". */
  readonly style?: "full" | "compact";
  readonly signal?: AbortSignal;
}

/** A memory tool without what all of them share. */
export type MemoryTool = Omit<Tool<MemoryToolContext>, "refusal">;

export function memoryTool<Schema extends z.ZodObject>(tool: {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  run(args: z.output<Schema>, context: MemoryToolContext): Promise<string>;
}): MemoryTool {
  const { name, description, schema } = tool;
  return {
    name,
    description,
    schema,
    call: async (args, context) => await tool.run(schema.parse(args), context),
  };
}
