/** What the server tells the pages about the signed-in user and the cluster. */
import * as z from "zod";

export const signInSchema = z.strictObject({
  token: z.string().min(1).max(4096).describe("the cluster's token, or one that is derived from it"),
});

export const sessionSchema = z.object({
  /** "folders" when the pages show runs only, and there is no cluster. */
  source: z.enum(["cluster", "folders"]),
  role: z.string(),
  /** When false, the pages offer nothing that changes the cluster. */
  mayChange: z.boolean(),
  clusterId: z.string(),
  clusterName: z.string(),
  version: z.string(),
  startedAtMs: z.number(),
});
export type Session = z.infer<typeof sessionSchema>;

export const refusalSchema = z.object({ code: z.string(), message: z.string() });
