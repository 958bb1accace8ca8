import type { z } from "zod";
import type { MemoryStore } from "../memory-store.js";

/** One tool: its description for a model, and its implementation. */
export interface Tool<Context> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  /**
   * @param args of any type; the schema checks them
   * @returns the text for the model
   * @throws {z.ZodError} for arguments that the schema refuses
   */
  call(args: unknown, context: Context): Promise<string>;
  /**
   * Returns the text for the model about an error of `call`; undefined when it is not the model's mistake and is to be
   * rethrown.
   */
  refusal(reason: unknown, context: Context): string | undefined;
}

/** What a memory tool works on. */
export interface MemoryToolContext {
  readonly store: MemoryStore;
  /** Returns numbers in [0, 1), seeded by callers that want repeatable samples. */
  readonly random: () => number;
  /** "compact" omits scores, dates and phrases, for models with little room. Default "full". */
  readonly style?: "full" | "compact" | undefined;
  /** The most bytes of an answer that shows records; long records are cut. Absent: no bound. */
  readonly mostBytes?: number | undefined;
  /** Whether an updated record keeps its former text as `former` in its metadata. Default false. */
  readonly keepFormer?: boolean;
  readonly signal?: AbortSignal;
}

/** A memory tool without the parts that all of them share. */
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
