import type { SuiteProgress } from "@palimpsest/evals";
import { createLogUpdate } from "log-update";
import { formatSeconds } from "../display/duration.js";

export interface EvalProgress {
  show(progress: SuiteProgress): void;
  close(): void;
}

/** A line that changes on a terminal; in a log a line at the end of each contestant and at every tenth of it. */
export function evalProgress(stream: NodeJS.WriteStream, contestants: number): EvalProgress {
  const startedMs = performance.now();
  const finished = new Set<string>();
  const line = ({ contestant, done, total, failed, resumed, score }: SuiteProgress) => {
    const notes = [
      ...(resumed > 0 ? [`${resumed} from earlier`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      formatSeconds((performance.now() - startedMs) / 1000),
    ];
    return `[${finished.size + 1}/${contestants}] ${contestant}: ${done}/${total}, score ${(score * 100).toFixed(1)} (${notes.join(", ")})`;
  };
  const live = stream.isTTY ? createLogUpdate(stream) : undefined;
  return {
    show(progress) {
      const { contestant, done, total } = progress;
      const text = line(progress);
      const tenth = Math.floor((done * 10) / total) > Math.floor(((done - 1) * 10) / total);
      if (live) live(text);
      else if (tenth) stream.write(`${text}\n`);
      if (done === total) {
        finished.add(contestant);
        live?.done();
      }
    },
    close: () => live?.done(),
  };
}
