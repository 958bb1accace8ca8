import { problemsLine, readInput } from "@palimpsest/std/input";
import { z } from "zod";
import { readArguments } from "./arguments.js";
import type { Tool } from "./tool.js";

/** A tool as it is described to chat templates and servers: { type: "function", function: { … } }. */
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
   * done; malformed: there is no such tool, or its schema refuses the arguments; failed: the tool refuses, for example
   * an unknown id.
   */
  readonly outcome: "done" | "malformed" | "failed";
  /** The text for the model: the result, or what was wrong and how to fix it. */
  readonly text: string;
}

/** A set of tools that are called by name with unchecked arguments. */
export interface ToolSet<Context> {
  readonly names: readonly string[];
  readonly definitions: readonly ToolDefinition[];
  /** @throws errors that are not the model's mistake: an abort, a failing embedder */
  run(name: string, args: unknown, context: Context): Promise<ToolResult>;
}

export function toolSet<Context>(list: readonly Tool<Context>[]): ToolSet<Context> {
  const tools = new Map(list.map((tool) => [tool.name, tool]));
  const names = [...tools.keys()];
  return {
    names,
    definitions: [...tools.values()].map(definitionOf),
    async run(name, given, context) {
      const tool = tools.get(name);
      if (tool === undefined) {
        return {
          outcome: "malformed",
          text: `Error: there is no tool "${name}"; the tools are ${names.join(", ")}.`,
        };
      }
      const args = readArguments(tool.schema, given);
      try {
        // The arguments are checked before the call, because an error of the same class from within the tool is not a
        // mistake of the model.
        const read = readInput(tool.schema, args);
        if ("problems" in read)
          return {
            outcome: "malformed",
            text: `Error: ${problemsLine(read.problems, { whole: "arguments" })}.`,
          };
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
