import { builtInKind } from "../agent-kind.js";
import { parallelConfigSchema } from "./config.js";
import { parallelReader } from "./parallel-reader.js";
import { presets } from "./presets.js";

export const parallelKind = builtInKind(
  {
    kind: "parallel",
    description: "reads all sections at once beside one shared memory, and merges their notes",
    presets,
    schema: parallelConfigSchema,
    reads: { memories: 2, memoryShare: 16 },
    create: (config, model) => parallelReader({ ...model, config }),
  },
  (name) => name,
);
