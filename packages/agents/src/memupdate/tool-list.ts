import type { ToolDefinition } from "@palimpsest/memory";
import type { MemUpdateConfig } from "./config.js";

/** The tools and the form of calls in words of ours, for models whose template does not list them. */
export function toolList(
  { callForm, tools: names }: Pick<MemUpdateConfig, "callForm" | "tools">,
  tools: readonly ToolDefinition[],
): string {
  if (callForm === "lines") {
    const lines = names.flatMap((name) => lineForms[name]);
    return ["# Tools", "", "Call tools by lines of these forms, one call a line:", ...lines].join("\n");
  }
  return [
    "# Tools",
    "",
    "You may call these functions, given as JSON schemas:",
    "<tools>",
    ...tools.map((tool) => JSON.stringify(tool)),
    "</tools>",
    "",
    "A call is a JSON object with the function's name and its arguments, in these marks:",
    "<tool_call>",
    '{"name": "search_memory", "arguments": {"query": "…"}}',
    "</tool_call>",
  ].join("\n");
}

const lineForms = {
  search_memory: ["search WORDS"],
  manage_memory: ["create TEXT", "update ID TEXT"],
  delete_memory: ["delete ID"],
  sample_memory: ["sample COUNT random|diverse|recent"],
  merge_memory: ["merge ID ID: TEXT"],
  split_memory: ["split ID temporal|thematic|speaker"],
} satisfies Record<MemUpdateConfig["tools"][number], readonly string[]>;
