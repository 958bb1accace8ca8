/**
 * Stores what a standby knows of its cluster in its folder (LEASE-7). When the standby comes to lead, its Redis may
 * have lost this, and the head that led may be gone for good.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { writeSecretFile } from "./head-files.js";

const knownClusterSchema = z.object({
  /** The name of the cluster. */
  cluster: z.string(),
  clusterId: z.string(),
  /** The highest epoch that the standby has seen. */
  epoch: z.number(),
});
export type KnownCluster = z.infer<typeof knownClusterSchema>;

const pathOf = (dataDir: string) => join(dataDir, "cluster.json");

/** Returns undefined if no head of this folder was ever a standby. @throws {PalimpsestError} CONFIG_INVALID */
export function readKnownCluster(dataDir: string): KnownCluster | undefined {
  const path = pathOf(dataDir);
  if (!existsSync(path)) return undefined;
  try {
    return knownClusterSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (reason) {
    throw new PalimpsestError("CONFIG_INVALID", `${path} is damaged: remove it to start over`, {
      cause: reason,
    });
  }
}

export function writeKnownCluster(dataDir: string, known: KnownCluster): void {
  writeSecretFile(pathOf(dataDir), `${JSON.stringify(known)}\n`);
}
