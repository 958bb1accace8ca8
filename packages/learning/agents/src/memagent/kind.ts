import { builtInKind } from "../agent-kind.js";
import { memAgentConfigSchema } from "./config.js";
import { memAgent } from "./memagent.js";
import { presets } from "./presets.js";

export const memAgentKind = builtInKind(
  {
    kind: "memagent",
    description: "reads section by section and overwrites one memory; the default",
    presets,
    schema: memAgentConfigSchema,
    reads: { memories: 2, memoryShare: 16 },
    create: (config, model) => memAgent({ ...model, config }),
  },
  (name) => name.optional(),
);
