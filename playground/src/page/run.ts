/** What the page knows of a training run: two curves. */
import type { FromWorker } from "../worker/messages.js";

interface Points {
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
}

export interface Run {
  readonly reward: Points;
  readonly exact: Points;
  readonly steps: number;
  readonly seconds: number;
}

const none: Points = { steps: [], values: [] };
export const emptyRun: Run = { reward: none, exact: none, steps: 0, seconds: 0 };

export function runAfter(run: Run, message: FromWorker): Run {
  if (message.kind === "step") {
    const { step, reward, seconds } = message;
    return { ...run, reward: withPoint(run.reward, step, reward), steps: step, seconds };
  }
  if (message.kind !== "examined") return run;
  return { ...run, exact: withPoint(run.exact, message.step, message.right / message.questions) };
}

const withPoint = ({ steps, values }: Points, step: number, value: number): Points => ({
  steps: [...steps, step],
  values: [...values, value],
});
