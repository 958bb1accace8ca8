import { z } from "zod";
import type { Tool } from "./tool.js";

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
   * done; malformed: no such tool, or arguments that its schema refuses; failed: the tool refuses, such as
   * for an unknown id.
   */
  readonly outcome: "done" | "malformed" | "failed";
  /** What the model reads: the result, or what was wrong and how to fix it. */
  readonly text: string;
}

/** Some tools, to be called by name with arguments that nobody has checked. */
export interface ToolSet<Context> {
  readonly names: readonly string[];
  readonly definitions: readonly ToolDefinition[];
  /** @throws what is not the model's mistake: an abort, a failing embedder */
  run(name: string, args: unknown, context: Context): Promise<ToolResult>;
}

export function toolSet<Context>(list: readonly Tool<Context>[]): ToolSet<Context> {
  const tools = new Map(list.map((tool) => [tool.name, tool]));
  const names = [...tools.keys()];
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
        // Before the call: an error of the same class that the tool's own work throws is no mistake of the model's.
        const { error } = await tool.schema.safeParseAsync(args);
        if (error !== undefined) return { outcome: "malformed", text: `Error: ${issuesOf(error)}.` };
        return { outcome: "done", text: await tool.call(args, context) };
      } catch (reason) {
        const refusal = tool.refusal(reason, context);
        if (refusal === undefined) throw reason;
        return { outcome: "failed", text: `Error: ${refusal}.` };
      }
    },
  };
}

function definitionOf<Context>({ name, description, schema }: Tool<Context>): ToolDefinition {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return { type: "function", function: { name, description, parameters } };
}

function issuesOf({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => `${path.length === 0 ? "arguments" : path.join(".")}: ${message}`)
    .join("; ");
}
