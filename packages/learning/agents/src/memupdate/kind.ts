import { builtInKind } from "../agent-kind.js";
import { memUpdateConfigSchema } from "./config.js";
import { memUpdate } from "./memupdate.js";
import { presets } from "./presets.js";

export const memUpdateKind = builtInKind(
  {
    kind: "memupdate",
    description: "searches and edits a store of memories by calling tools",
    presets,
    schema: memUpdateConfigSchema,
    reads: null,
    create: (config, model) => memUpdate({ ...model, config }),
    longestReply: ({ callForm }) =>
      callForm === "lines"
        ? [" search", ""]
        : ['<tool_call>{"name": "search_memory", "arguments": {"query": "', '"}}</tool_call>'],
    embedder: ({ embedder }) => embedder,
  },
  (name) => name,
);
