import { builtInKind } from "../agent-kind.js";
import { rememr1ConfigSchema } from "./config.js";
import { presets } from "./presets.js";
import { rememr1 } from "./rememr1.js";

export const rememr1Kind = builtInKind(
  {
    kind: "rememr1",
    description: "reads section by section, overwrites one memory, and may recall an earlier one",
    presets,
    schema: rememr1ConfigSchema,
    // A conversation also holds a recalled memory, and a reply holds the memory and the thinking about it.
    reads: { memories: 3, memoryShare: 8 },
    create: (config, model) => rememr1({ ...model, config }),
    longestReply: ({ updateTag, recallTag }) => [
      `<${updateTag}>`,
      `</${updateTag}><${recallTag}> the</${recallTag}>`,
    ],
  },
  (name) => name,
);
