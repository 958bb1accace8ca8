/** Options that connections, actors, tasks and placement groups share. */
import { resourceNameProblem } from "@palimpsest/wire";
import { z } from "zod";

export const text = z.record(z.string(), z.string());

/** Milliseconds, however many; Infinity for no limit. z.number() takes finite numbers only. */
export const millisecondsSchema = z.union([z.number().positive(), z.literal(Number.POSITIVE_INFINITY)], {
  error: ({ input }) =>
    `is ${String(input)}: give a positive number of milliseconds, or Infinity for no limit`,
});

export const resourcesSchema = z
  .record(z.string(), z.number().nonnegative())
  .superRefine((resources, context) => {
    for (const name of Object.keys(resources)) {
      const message = resourceNameProblem(name);
      if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
    }
  })
  .describe(
    'Resources that it leases on its node: "cpu" and "gpu" as counts, "memory" in bytes, others are custom',
  );

export const workingDirSchema = z
  .string()
  .min(1, 'is "": name a folder, or leave it out')
  .optional()
  .describe(
    "Path of a folder that is uploaded, without the files that its .gitignore files name. Its process starts in a copy of it, which must not be written to. Default: the folder of the job, or of its parent",
  );
export const packagesSchema = z
  .union(
    [
      z.string().min(1),
      z.strictObject({ manifest: z.string().min(1), installScripts: z.boolean().default(false) }),
    ],
    {
      error: ({ input }) =>
        `is ${JSON.stringify(input)}: give the path of a package.json, or { manifest, installScripts }`,
    },
  )
  .optional()
  .describe(
    "Path of a package.json with a lockfile next to it. Nodes install the packages that these files name, and its module may import them. With { manifest, installScripts: true } the packages' install scripts run. Default: the packages of the job, or of its parent",
  );

export const maxConcurrentSchema = z
  .strictObject({
    scope: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, 'use up to 128 letters, digits, ".", "_", ":" and "-"'),
    max: z.int().min(1, "must be at least 1"),
  })
  .optional();

const labelValues = z
  .array(z.string())
  .min(1, "is []: give at least one value, or use { exists }")
  .readonly();
export const labelsSchema = z
  .record(
    z.string().min(1),
    z.union(
      [
        z.string(),
        z.strictObject({ in: labelValues }),
        z.strictObject({ notIn: labelValues }),
        z.strictObject({ exists: z.boolean() }),
      ],
      {
        error: ({ input }) =>
          `is ${JSON.stringify(input)}: give "value", { in: ["a"] }, { notIn: ["a"] } or { exists: true }`,
      },
    ),
  )
  .default({});
export const strategySchema = z
  .union(
    [
      z.enum(["pack", "spread"]),
      z.strictObject({ nodeId: z.string().min(1, 'is "": name a node'), soft: z.boolean().default(false) }),
    ],
    { error: ({ input }) => `is ${JSON.stringify(input)}: give "pack", "spread" or { nodeId, soft }` },
  )
  .default("pack");

export const placementSchema = z.strictObject({
  group: z
    .custom<{ readonly groupId: string }>(
      (value) =>
        typeof value === "object" &&
        value !== null &&
        "groupId" in value &&
        typeof value.groupId === "string",
      "is not a placement group: give the value that cluster.placementGroup() returned, or { groupId }",
    )
    .describe("The placement group"),
  bundle: z.int().min(0).optional().describe("Index of the bundle. Default: any that has room"),
  captureChildren: z
    .boolean()
    .default(false)
    .describe("Whether the actors and tasks that it spawns are placed in the group too, in any bundle"),
});
