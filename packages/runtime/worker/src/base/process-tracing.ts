/** Records spans of an actor's process, if its environment names a collector. */
import { isTraced, type Metrics, openTracing, tracing } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

/** @returns undefined, at once, if tracing is off. @throws {PalimpsestError} CONFIG_INVALID for invalid variables */
export function openProcessTracing(
  { spec, nodeId }: proto.ActorProcessStart.$Properties,
  environment: Readonly<Record<string, string | undefined>>,
  metrics: Metrics,
): Promise<void> | undefined {
  const component = spec?.taskWorker ? "task" : spec?.role || "actor";
  const attributes = {
    "palimpsest.actor_id": spec?.sharedProcess ? "" : (spec?.actorId ?? ""),
    "palimpsest.node_id": nodeId ?? "",
    "palimpsest.job_id": spec?.jobId ?? "",
  };
  const options = { component, attributes, environment };
  if (!isTraced(options)) return undefined;
  return openTracing(options).then(
    () => tracing()?.count(metrics),
    (cause: unknown) => {
      throw PalimpsestError.from(cause, "CONFIG_INVALID");
    },
  );
}
