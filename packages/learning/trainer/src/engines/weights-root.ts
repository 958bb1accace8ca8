import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineSettings } from "../recipe/engine-settings.js";

const sharedMemory = "/dev/shm";
/** One version is loaded while the next is written. */
const versionsAtOnce = 2;

/**
 * Returns the folder for the weights of engines: the one that the recipe names, else shared memory, from which a server
 * maps them without a disk, if that has room for two versions, else the folder for temporary files.
 * @param memory for tests
 */
export function weightsRoot(
  { weightsDir }: Pick<EngineSettings, "weightsDir">,
  versionBytes: number,
  memory = sharedMemory,
): string {
  return (
    weightsDir ??
    join(hasRoom(memory, versionsAtOnce * versionBytes) ? memory : tmpdir(), "palimpsest-engines")
  );
}

function hasRoom(folder: string, bytes: number): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > bytes;
  } catch {
    return false;
  }
}
