import type { DownloadProgress } from "@palimpsest/model";
import { createLogUpdate } from "log-update";
import { formatBytes } from "./bytes.js";
import { formatSeconds } from "./duration.js";

const redrawIntervalMs = 250;
const width = 24;

/**
 * Formats `model.safetensors  ████████░░░░  412 MB of 988 MB  38 MB/s  ETA 15 s`.
 * @param pace duration and bytes of this download; bytes of an earlier, interrupted one do not count in the rate
 */
export function downloadLine(
  progress: DownloadProgress,
  pace: { readonly seconds: number; readonly bytes: number },
): string {
  const { file, doneBytes, totalBytes } = progress;
  const done = totalBytes > 0 ? Math.min(1, doneBytes / totalBytes) : 1;
  const bar = "█".repeat(Math.round(done * width)).padEnd(width, "░");
  const bytesPerSecond = pace.seconds > 0 ? pace.bytes / pace.seconds : 0;
  const left = bytesPerSecond > 0 ? (totalBytes - doneBytes) / bytesPerSecond : Number.NaN;
  const amounts = `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`;
  return `${file}  ${bar}  ${amounts}  ${formatBytes(bytesPerSecond)}/s  ETA ${formatSeconds(left)}`;
}

/** Shows a bar on a terminal. A log gets one line per tenth. Nothing is shown if nothing is downloaded. */
export function downloadBar(title: string, stream: NodeJS.WriteStream) {
  const log = stream.isTTY ? createLogUpdate(stream) : undefined;
  let begun: { readonly atMs: number; readonly bytes: number } | undefined;
  let drawnAtMs = 0;
  let toldTenths = 0;
  return {
    show(progress: DownloadProgress) {
      const nowMs = Date.now();
      begun ??= { atMs: nowMs, bytes: progress.doneBytes };
      const pace = { seconds: (nowMs - begun.atMs) / 1000, bytes: progress.doneBytes - begun.bytes };
      const line = `${title}: ${downloadLine(progress, pace)}`;
      const tenths = Math.floor((10 * progress.doneBytes) / Math.max(1, progress.totalBytes));
      if (log === undefined) {
        if (tenths > toldTenths) stream.write(`${line}\n`);
        toldTenths = tenths;
      } else if (tenths === 10 || nowMs - drawnAtMs >= redrawIntervalMs) {
        drawnAtMs = nowMs;
        log(line);
      }
    },
    close() {
      log?.done();
    },
  };
}
