import type { ToolDefinition } from "@palimpsest/memory";
import type { LineForm } from "./line-calls.js";

/** The tools that a prompt lists. */
export interface ListedTools {
  readonly definitions: readonly ToolDefinition[];
  /** The forms in which lines call the tools. */
  readonly lineForms: readonly LineForm[];
  /** The name of the tool that the example of a call uses. Default: the first tool. */
  readonly example?: string;
}

/** Describes the tools and the format of calls in our own words, for models whose template does not list tools. */
export function toolList(
  callForm: "hermes" | "lines",
  { definitions, lineForms, example }: ListedTools,
): string {
  if (callForm === "lines") {
    const lines = definitions.flatMap((tool) =>
      lineForms.filter((line) => line.tool === tool.function.name).map(({ form }) => form),
    );
    return ["# Tools", "", "Call tools by lines of these forms, one call a line:", ...lines].join("\n");
  }
  const shown = definitions.find((tool) => tool.function.name === example) ?? definitions[0];
  return [
    "# Tools",
    "",
    "You may call these functions, given as JSON schemas:",
    "<tools>",
    ...definitions.map((tool) => JSON.stringify(tool)),
    "</tools>",
    "",
    "A call is a JSON object with the function's name and its arguments, in these marks:",
    "<tool_call>",
    ...(shown ? [exampleOf(shown)] : []),
    "</tool_call>",
  ].join("\n");
}

/**
 * Returns an example of a call with its required arguments and placeholder values, such as
 * `{"name": "search_memory", "arguments": {"query": "…"}}`.
 */
function exampleOf({ function: { name, parameters } }: ToolDefinition): string {
  const required = Array.isArray(parameters["required"]) ? parameters["required"].map(String) : [];
  const properties = parameters["properties"];
  const given = required.map((field) => {
    const schema = isRecord(properties) ? properties[field] : undefined;
    return `${JSON.stringify(field)}: ${JSON.stringify(standIn(schema))}`;
  });
  return `{"name": ${JSON.stringify(name)}, "arguments": {${given.join(", ")}}}`;
}

function standIn(schema: unknown): unknown {
  if (!isRecord(schema)) return "…";
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  const { type } = schema;
  if (type === "integer" || type === "number") return 1;
  if (type === "boolean") return true;
  if (type === "array") return [standIn(schema["items"])];
  return type === "object" ? {} : "…";
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
