import { rewardConfigSchema } from "@palimpsest/rewards";
import { z } from "zod";

export const rewardSchema = z
  .strictObject({
    name: z.string().optional().describe("name of a built-in reward; absent: boxed-exact-match"),
    module: z
      .string()
      .min(1)
      .optional()
      .describe(
        "TypeScript or JavaScript file that exports a reward (`defineReward`), relative to the recipe; excludes `name`",
      )
      .meta({ format: "path" }),
    settings: z.record(z.string(), z.unknown()).default({}).describe("settings of this reward; see Rewards"),
    actors: z.int().min(1).max(1024).default(1).describe("number of reward actors"),
    concurrency: z
      .int()
      .min(1)
      .max(4096)
      .default(64)
      .describe("trajectories that one reward actor scores concurrently"),
    cpus: z.number().min(0).default(0.1).describe("CPUs that each reward actor leases"),
  })
  .transform(({ name, module, settings, ...actors }, context) => {
    if (name !== undefined && module !== undefined) {
      context.addIssue({
        code: "custom",
        path: ["module"],
        message: "name and module are both set; set only one of them",
      });
      return z.NEVER;
    }
    const parsed = rewardConfigSchema.safeParse(
      module === undefined
        ? { ...settings, name: name ?? "boxed-exact-match" }
        : { name: "module", module, settings },
    );
    if (parsed.success) return { ...actors, config: parsed.data };
    for (const { path, message } of parsed.error.issues) {
      const [field, ...within] = path;
      const at =
        field === "name" ? ["name"] : ["settings", ...(field === undefined ? [] : [field]), ...within];
      context.addIssue({ code: "custom", path: at, message });
    }
    return z.NEVER;
  });
