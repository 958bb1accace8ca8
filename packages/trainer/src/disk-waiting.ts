import type { DiskFullOptions } from "./disk-full.js";
import type { TrainListener } from "./event.js";

/** How a run waits for space on its disk. */
export function waitingFor(onEvent: TrainListener, signal: AbortSignal): DiskFullOptions {
  const onWait = ({ message }: Error) =>
    onEvent({ kind: "notice", text: `the run waits for disk space: ${message}` });
  return { onWait, signal };
}
