import type { StepReport } from "../records/event.js";
import { rejectedScalars } from "../records/learner-metrics.js";
import type { EvaluationReport } from "../records/training-evaluations.js";
import { batchLimits, type MlflowText } from "./mlflow-client.js";

/** Returns one step's metrics under the names of the TensorBoard event files; `rate/` and `groups/` come from the driver. */
export function trackedNumbers(report: StepReport): Record<string, number> {
  const { update, components, rewardByCategory, store } = report;
  const numbers: Record<string, number> = {};
  for (const [name, value] of Object.entries(update))
    if (typeof value === "number") numbers[`update/${name}`] = value;
  for (const [name, value] of Object.entries(components)) numbers[`reward/${name}`] = value;
  for (const [name, value] of Object.entries(rewardByCategory ?? {}))
    numbers[name in components ? `reward/category/${name}` : `reward/${name}`] = value;
  Object.assign(numbers, store, rejectedScalars(report.rejected));
  numbers["seconds/waitSeconds"] = report.rolloutSeconds;
  numbers["seconds/updateSeconds"] = report.updateSeconds;
  numbers["seconds/checkpointSeconds"] = report.checkpointSeconds;
  numbers["seconds/publishSeconds"] = report.publishSeconds;
  numbers["rate/samplerTokensPerSecond"] = report.samplerTokensPerSecond;
  numbers["groups/trained"] = report.groupsTrained;
  numbers["groups/failed"] = report.groupsFailed;
  return numbers;
}

/** Returns the metrics of an evaluation during training, and the best so far. */
export function evaluationNumbers({ metric, value, best }: EvaluationReport): Record<string, number> {
  return { [`evaluation/${metric}`]: value, "evaluation/best": best.value, "evaluation/bestStep": best.step };
}

/** Flattens a recipe into settings such as `train.steps`; values are cut at MLflow's maximum length. */
export function trackedParams(recipe: object): MlflowText[] {
  const params: MlflowText[] = [];
  const add = (value: unknown, path: string) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      for (const [key, inner] of Object.entries(value)) add(inner, path === "" ? key : `${path}.${key}`);
    else if (value !== undefined)
      params.push({
        key: path.replace(/[^\w\-./ ]/g, "_").slice(0, batchLimits.keyCharacters),
        value: (typeof value === "string" ? value : JSON.stringify(value)).slice(
          0,
          batchLimits.valueCharacters,
        ),
      });
  };
  add(recipe, "");
  return params;
}
