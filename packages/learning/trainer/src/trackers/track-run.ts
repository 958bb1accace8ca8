import { PalimpsestError } from "@palimpsest/wire";
import type { Recipe } from "../recipe/recipe-schema.js";
import type { TrainListener } from "../records/event.js";
import { MlflowTracker } from "./mlflow-tracker.js";
import { evaluationNumbers, trackedNumbers, trackedParams } from "./tracked-numbers.js";

export interface TrackedRun {
  readonly recipe: Recipe;
  readonly runId: string;
  readonly startedAtMs: number;
  readonly onEvent: TrainListener;
  /** Aborted when the run is to stop. */
  readonly signal: AbortSignal;
  readonly mlflowAuthorization?: string | undefined;
}

/**
 * Executes a run while its trackers receive its steps and evaluations, and reports its final status to them.
 * @param work called with the listener for its events
 */
export async function whileTracked<T>(
  run: TrackedRun,
  work: (onEvent: TrainListener) => Promise<T>,
): Promise<T> {
  const { recipe, runId, startedAtMs, onEvent, signal } = run;
  const trackers = (recipe.train.trackers ?? []).map(
    (settings) =>
      new MlflowTracker({
        settings,
        run: {
          runId,
          name: settings.runName ?? recipe.name,
          startedAtMs,
          params: trackedParams(recipe),
        },
        authorization: run.mlflowAuthorization,
        onWarning: (text) => onEvent({ kind: "notice", text }),
      }),
  );
  const close = async (status: "FINISHED" | "FAILED" | "KILLED") => {
    await Promise.all(trackers.map((tracker) => tracker.close(status)));
  };
  try {
    const result = await work((event) => {
      onEvent(event);
      if (event.kind !== "step" && event.kind !== "evaluation") return;
      const numbers = event.kind === "step" ? trackedNumbers(event.report) : evaluationNumbers(event.report);
      for (const tracker of trackers) tracker.log(event.report.step, numbers);
    });
    await close("FINISHED");
    return result;
  } catch (reason) {
    const stopped = signal.aborted || PalimpsestError.from(reason).code === "CANCELLED";
    await close(stopped ? "KILLED" : "FAILED");
    throw reason;
  }
}
