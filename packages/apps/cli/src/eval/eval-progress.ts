import type { SuiteProgress } from "@palimpsest/evals";
import { createLogUpdate } from "log-update";
import { formatSeconds } from "../display/duration.js";

export interface EvalProgress {
  show(progress: SuiteProgress): void;
  close(): void;
}

const tickMs = 1000;
/** A log that has been silent for longer than this gets a line of progress. */
const silenceMs = 30_000;

/**
 * Shows a line that changes on a terminal, with its time updated every second. In a log it writes a line at the
 * beginning and the end of each system, at every tenth of it, and after half a minute of silence.
 */
export function evalProgress(
  stream: Pick<NodeJS.WriteStream, "write" | "isTTY">,
  systems: number,
): EvalProgress {
  const startedMs = performance.now();
  const finished = new Set<string>();
  const live = stream.isTTY ? createLogUpdate(stream as NodeJS.WriteStream) : undefined;
  let current: SuiteProgress | undefined;
  let writtenMs = startedMs;
  const line = ({ system, done, total, failed, resumed, score }: SuiteProgress) => {
    const notes = [
      ...(resumed > 0 ? [`${resumed} from earlier`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      formatSeconds((performance.now() - startedMs) / 1000),
    ];
    const scored = done === 0 ? "" : `, score ${(score * 100).toFixed(1)}`;
    return `[${finished.size + 1}/${systems}] ${system}: ${done}/${total}${scored} (${notes.join(", ")})`;
  };
  const write = (progress: SuiteProgress) => {
    if (live) live(line(progress));
    else stream.write(`${line(progress)}\n`);
    writtenMs = performance.now();
  };
  const timer = setInterval(() => {
    if (current && (live || performance.now() - writtenMs >= silenceMs)) write(current);
  }, tickMs);
  timer.unref();
  return {
    show(progress) {
      const { system, done, total } = progress;
      current = progress;
      const tenth = Math.floor((done * 10) / total) > Math.floor(((done - 1) * 10) / total);
      if (live || done === 0 || tenth) write(progress);
      if (done === total) {
        current = undefined;
        finished.add(system);
        live?.done();
      }
    },
    close() {
      clearInterval(timer);
      live?.done();
    },
  };
}
