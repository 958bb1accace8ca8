/** The span of a driver: what it calls is beneath it, and it is beneath the span of whoever submitted its job. */
import { isTraced, openTracing, tracing } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { ResolvedConnectOptions } from "./config.js";

/** For spans that were not sent yet when the driver ends. */
const flushMs = 1_000;

export interface TracedDriver {
  end(error?: Error): Promise<void>;
}

/**
 * Turns tracing on where a collector is named.
 * @returns undefined, at once, where nobody traces
 * @throws {PalimpsestError} CONFIG_INVALID for settings that say nothing
 */
export function traceDriver(
  { tracesEndpoint, jobId, name }: Pick<ResolvedConnectOptions, "tracesEndpoint" | "jobId" | "name">,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<TracedDriver | undefined> | undefined {
  const options = {
    ...{ endpoint: tracesEndpoint, component: "driver", environment },
    attributes: { "palimpsest.job_id": jobId },
  };
  if (!isTraced(options)) return undefined;
  return openTracing(options).then(
    () => {
      const traced = tracing();
      const parent = environment["TRACEPARENT"];
      const span = traced?.start(name || "driver", parent ? { kind: "consumer", parent } : {});
      if (span) traced?.beneath(span.traceparent);
      return {
        end: async (error) => {
          span?.end(error);
          await traced?.flush(flushMs);
        },
      };
    },
    (cause: unknown) => {
      throw PalimpsestError.from(cause, "CONFIG_INVALID");
    },
  );
}
