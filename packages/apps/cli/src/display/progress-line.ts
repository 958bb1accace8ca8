import { createLogUpdate } from "log-update";
import { formatSeconds } from "./duration.js";

const redrawIntervalMs = 200;
const width = 24;

export interface Progress {
  readonly done: number;
  /** Absent if unknown. */
  readonly total?: number;
  /** A note, such as "3 bad rows". */
  readonly note?: string;
}

/**
 * Formats `preparing  ████░░░░  120 of 200 tasks  41/s  ETA 2 s  3 bad rows`. Without a total there is no bar and no
 * ETA.
 */
export function progressText(title: string, unit: string, progress: Progress, seconds: number): string {
  const { done, total, note } = progress;
  const rate = seconds > 0 ? done / seconds : 0;
  const pace = `${rate >= 10 ? rate.toFixed(0) : rate.toFixed(1)}/s`;
  const parts =
    total === undefined
      ? [title, `${done} ${unit}`, pace]
      : [
          title,
          "█".repeat(Math.round((width * Math.min(done, total)) / Math.max(1, total))).padEnd(width, "░"),
          `${done} of ${total} ${unit}`,
          pace,
          `ETA ${formatSeconds(rate > 0 ? (total - done) / rate : Number.NaN)}`,
        ];
  return [...parts, ...(note ? [note] : [])].join("  ");
}

/** Shows a line that is redrawn on a terminal. A log gets one line per tenth instead, if the total is known. */
export function progressLine(title: string, unit: string, stream: NodeJS.WriteStream) {
  const log = stream.isTTY ? createLogUpdate(stream) : undefined;
  const startedAtMs = Date.now();
  let drawnAtMs = 0;
  let toldTenths = 0;
  return {
    show(progress: Progress) {
      const nowMs = Date.now();
      const line = () => progressText(title, unit, progress, (nowMs - startedAtMs) / 1000);
      if (log !== undefined) {
        if (nowMs - drawnAtMs < redrawIntervalMs && progress.done !== progress.total) return;
        drawnAtMs = nowMs;
        log(line());
      } else if (progress.total !== undefined) {
        const tenths = Math.floor((10 * progress.done) / Math.max(1, progress.total));
        if (tenths > toldTenths) stream.write(`${line()}\n`);
        toldTenths = tenths;
      }
    },
    close() {
      log?.clear();
      log?.done();
    },
  };
}
