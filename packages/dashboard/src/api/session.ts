/** What the pages are told of whoever has signed in. */
import * as z from "zod";

export const signInSchema = z.strictObject({
  token: z.string().min(1).max(4096).describe("the cluster's token, or one that is derived from it"),
});

export const sessionSchema = z.object({
  /** "folders": the pages show runs alone, and there is no cluster. */
  source: z.enum(["cluster", "folders"]),
  role: z.string(),
  /** False: what would change the cluster is not offered. */
  mayChange: z.boolean(),
  clusterId: z.string(),
  clusterName: z.string(),
  version: z.string(),
  startedAtMs: z.number(),
});
export type Session = z.infer<typeof sessionSchema>;

export const refusalSchema = z.object({ code: z.string(), message: z.string() });
