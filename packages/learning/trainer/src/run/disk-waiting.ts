import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { TrainListener } from "../records/event.js";
import type { DiskFullOptions } from "../run-folder/disk-full.js";
import { checkpointDirOf } from "../run-folder/run-paths.js";

/** Returns how a run waits for space on the disk of its folder. */
export function waitingFor(folder: string, onEvent: TrainListener, signal: AbortSignal): DiskFullOptions {
  const onWait = ({ message }: Error) =>
    onEvent({
      kind: "notice",
      text: `the run waits for space on the disk of ${folder} and loses nothing: ${message}`,
    });
  return { onWait, signal };
}

const lookEveryMs = 2_000;
/** Every step writes more than this, so that the next write would wait. */
const leastBytes = 64 * 1024;

/** Estimates the size of the next checkpoint by the largest one that the run keeps. */
async function checkpointBytes(runDir: string): Promise<number> {
  const root = checkpointDirOf(runDir);
  const sizes = (await readdir(root)).map(async (name) => {
    const files = await readdir(join(root, name));
    const bytes = await Promise.all(files.map(async (file) => (await stat(join(root, name, file))).size));
    return bytes.reduce((sum, size) => sum + size, 0);
  });
  // A checkpoint that is being removed or written at this moment does not count.
  const known = (await Promise.allSettled(sizes)).map((size) =>
    size.status === "fulfilled" ? size.value : 0,
  );
  return Math.max(0, ...known);
}

/**
 * Reports once that the disk of the run's folder is full, meaning that a checkpoint does not fit, until it has room again. The
 * learner, which writes most, waits in a process whose output nobody reads.
 * @returns a function that ends the watch
 */
export function watchDisk(folder: string, onEvent: TrainListener): () => void {
  let isFull = false;
  const look = async () => {
    const { bavail, bsize } = await statfs(folder);
    const wasFull = isFull;
    const neededBytes = Math.max(leastBytes, await checkpointBytes(folder).catch(() => 0));
    isFull = bavail * bsize < neededBytes;
    const text = `the disk of ${folder} is full: the run waits for space and loses nothing`;
    if (isFull && !wasFull) onEvent({ kind: "notice", text });
  };
  // A folder that cannot be queried is not known to be full.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
