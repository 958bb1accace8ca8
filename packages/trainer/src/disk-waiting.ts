import { statfs } from "node:fs/promises";
import type { DiskFullOptions } from "./disk-full.js";
import type { TrainListener } from "./event.js";

/** How a run waits for space on the disk of its folder. */
export function waitingFor(folder: string, onEvent: TrainListener, signal: AbortSignal): DiskFullOptions {
  const onWait = ({ message }: Error) =>
    onEvent({
      kind: "notice",
      text: `the run waits for space on the disk of ${folder}, nothing of it is lost: ${message}`,
    });
  return { onWait, signal };
}

const lookEveryMs = 2_000;
/** Less than a step writes: who writes next waits. */
const scarceBytes = 64 * 1024;

/**
 * Says once that the disk of the run's folder is full, until it has room again: the learner, which writes most, waits in a process
 * whose output nobody reads.
 * @returns ends the watch
 */
export function watchDisk(folder: string, onEvent: TrainListener): () => void {
  let isFull = false;
  const look = async () => {
    const { bavail, bsize } = await statfs(folder);
    const wasFull = isFull;
    isFull = bavail * bsize < scarceBytes;
    const text = `the disk of ${folder} is full: the run waits for space there, nothing of it is lost`;
    if (isFull && !wasFull) onEvent({ kind: "notice", text });
  };
  // A folder that cannot be asked about is not known to be full.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
