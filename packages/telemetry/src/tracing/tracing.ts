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
import type { Metrics } from "../metrics.js";

export type SpanKind = "internal" | "client" | "server" | "producer" | "consumer";
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** The kind of span. Default "internal". */
  readonly kind?: SpanKind;
  /**
   * W3C `traceparent` of the span that caused this one, or "none" to begin a new trace. Default: the span whose code is
   * running, else the process's own.
   */
  readonly parent?: string | undefined;
  /** `traceparent`s of spans that are related to this one and did not cause it. */
  readonly links?: readonly string[];
  readonly attributes?: SpanAttributes;
}

export interface TraceSpan {
  /** W3C `traceparent` of the span, for messages to other processes. */
  readonly traceparent: string;
  /** Runs code in the span. Spans that this code begins, also asynchronously, are its children. */
  run<Result>(work: () => Result): Result;
  /** Ends the span, as failed when an error is given. */
  end(error?: Error, attributes?: SpanAttributes): void;
}

export interface Tracing {
  start(name: string, options?: SpanOptions): TraceSpan;
  /** Returns the `traceparent` of the span whose code is running, else the process's own; empty when there is none. */
  here(): readonly string[];
  /** Makes this span the parent of spans that are begun outside of any other. */
  beneath(traceparent: string): void;
  /**
   * Sends waiting spans, for at most that many milliseconds. A collector that did not answer the last time is not
   * waited for.
   */
  flush(timeoutMs: number): Promise<void>;
  /** Counts spans in these metrics from now on. */
  count(metrics: Metrics): void;
}

export interface TracingOptions {
  /** Base address of a collector, as in OTEL_EXPORTER_OTLP_ENDPOINT. Empty: the address in that variable. */
  readonly endpoint?: string;
  /** What kind of process this is. Its service is named `palimpsest-KIND` unless OTEL_SERVICE_NAME names it. */
  readonly component: string;
  /** Attributes of every span of the process: ids of the actor, node and job. Empty ones are left out. */
  readonly attributes?: SpanAttributes;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

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
