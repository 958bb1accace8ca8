/**
 * Creates the span of a driver. It is the parent of the driver's calls and a child of the span that submitted its job.
 */
import { isTraced, openTracing, tracing } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import type { ResolvedConnectOptions } from "../base/config.js";

/** The milliseconds for which the end of the driver waits until pending spans are sent. */
const flushMs = 1_000;

export interface TracedDriver {
  end(error?: Error): Promise<void>;
}

/**
 * Turns tracing on if a collector is configured.
 * @returns undefined, synchronously, if tracing is off
 * @throws {PalimpsestError} CONFIG_INVALID for invalid settings
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
