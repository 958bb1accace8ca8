/** Records the last span of each episode: the update that trained on it, a child of its reward's span, linked to the learner's step. */
import { tracing } from "@palimpsest/telemetry";
import type { Group } from "@palimpsest/trajectories";

export async function inEpisodeSpans<Result>(
  step: number,
  groups: readonly Group[],
  update: () => Promise<Result>,
): Promise<Result> {
  const traced = tracing();
  if (traced === undefined) return await update();
  const links = traced.here();
  const spans = groups.flatMap(({ members }) =>
    members.flatMap(({ trajectory, score }) => {
      if (score.traceparent === undefined) return [];
      const attributes = {
        "palimpsest.step": step,
        "palimpsest.trajectory_id": trajectory.trajectoryId,
        "palimpsest.reward": score.reward,
      };
      return [traced.start("train", { kind: "consumer", parent: score.traceparent, links, attributes })];
    }),
  );
  try {
    const result = await update();
    for (const span of spans) span.end();
    return result;
  } catch (reason) {
    for (const span of spans) span.end(reason instanceof Error ? reason : new Error(String(reason)));
    throw reason;
  }
}
