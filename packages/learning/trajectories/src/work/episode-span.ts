/** Creates the spans of an episode: its rollout is a child of its group, its reward a child of the rollout. */
import { tracing } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { type EpisodeSpec, trajectoryIdOf } from "../base/group-spec.js";

/**
 * Runs work on an episode within a span.
 * @param work receives the span's `traceparent`, or undefined when tracing is off
 */
export async function inSpan<Result>(
  name: "rollout" | "reward",
  { groupId, episodeIndex, taskId, step, attempt, traceparent }: EpisodeSpec & { readonly attempt: number },
  work: (traceparent: string | undefined) => Promise<Result>,
): Promise<Result> {
  const span = tracing()?.start(name, {
    kind: "consumer",
    parent: traceparent,
    attributes: {
      "palimpsest.trajectory_id": trajectoryIdOf(groupId, episodeIndex),
      "palimpsest.task_id": taskId,
      "palimpsest.step": step,
      "palimpsest.attempt": attempt,
    },
  });
  if (span === undefined) return await work(undefined);
  try {
    const result = await span.run(() => work(span.traceparent));
    span.end();
    return result;
  } catch (reason) {
    span.end(PalimpsestError.from(reason));
    throw reason;
  }
}
