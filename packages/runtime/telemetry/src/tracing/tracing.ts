/**
 * Responsibility: the one place of a process where spans are begun. It is undefined, and costs nothing, when tracing is
 * off.
 * Not responsible for: what a span consists of and where it is sent (otlp-tracing.ts), which is loaded only when
 * tracing is on.
 *
 * Invariants:
 * - TRACE-1. What a process does for another one is a child of the span that caused it there: a job's driver of its
 *   submission, a method of its call, a call of the method that makes it.
 * - TRACE-2. An episode's rollout is a child of its group, its reward a child of the rollout that it scores, and the
 *   update that trains it a child of the reward.
 */
import type { Tracing, TracingOptions } from "./trace-span.js";

let current: Tracing | undefined;

/** Returns the process's tracing; undefined when it is off. */
export function tracing(): Tracing | undefined {
  return current;
}

/**
 * Turns tracing on when a collector is configured. The first call of a process decides; later calls change nothing.
 * @throws {TypeError} when the endpoint is not a URL
 */
export async function openTracing(options: TracingOptions): Promise<void> {
  if (current !== undefined || !isTraced(options)) return;
  const { OtlpTracing } = await import("./otlp-tracing.js");
  current ??= new OtlpTracing(options);
}

/** Returns whether a collector is configured and tracing is not disabled. */
export function isTraced({ endpoint = "", environment }: TracingOptions): boolean {
  if (environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return false;
  if (environment["OTEL_TRACES_EXPORTER"]?.toLowerCase() === "none") return false;
  return [
    endpoint,
    environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
    environment["OTEL_EXPORTER_OTLP_ENDPOINT"],
  ].some((named) => named !== undefined && named !== "");
}
