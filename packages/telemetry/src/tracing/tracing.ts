/**
 * Responsibility: the one place of a process where spans are begun; undefined, and free of cost, where nobody traces.
 * Not responsible for: what a span is made of and where it is sent (otlp-tracing.ts), which is loaded only when it is on.
 *
 * Invariants:
 * - TRACE-1. What a process does for another one is beneath the span that caused it there: a job's driver beneath its
 *   submission, a method beneath its call, a call beneath the method that makes it.
 * - TRACE-2. An episode's rollout is beneath its group, its reward beneath the rollout that it scores, the update that
 *   trains it beneath the reward.
 */
import type { Metrics } from "../metrics.js";

export type SpanKind = "internal" | "client" | "server" | "producer" | "consumer";
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Default "internal". */
  readonly kind?: SpanKind;
  /** W3C `traceparent` of the span that caused it; "none": it begins a trace. Default: the span whose code runs, else the process's own. */
  readonly parent?: string | undefined;
  /** `traceparent`s of spans that belong to it and did not cause it. */
  readonly links?: readonly string[];
  readonly attributes?: SpanAttributes;
}

export interface TraceSpan {
  /** W3C `traceparent`, for messages to other processes. */
  readonly traceparent: string;
  /** Runs code in the span: spans that are begun there, also later and asynchronously, are its children. */
  run<Result>(work: () => Result): Result;
  /** Ends it, as failed when there is an error. */
  end(error?: Error, attributes?: SpanAttributes): void;
}

export interface Tracing {
  start(name: string, options?: SpanOptions): TraceSpan;
  /** The `traceparent` of the span whose code runs, else the process's own; empty where there is none. */
  here(): readonly string[];
  /** Spans that are begun outside of any other are children of this one. */
  beneath(traceparent: string): void;
  /** Sends what waits, for at most that long; a collector that was away the last time is not waited for. */
  flush(timeoutMs: number): Promise<void>;
  /** Counts spans there from now on. */
  count(metrics: Metrics): void;
}

export interface TracingOptions {
  /** Base address of a collector, as in OTEL_EXPORTER_OTLP_ENDPOINT; empty: that variable's. */
  readonly endpoint?: string;
  /** What kind of process this is; its service is named `palimpsest-KIND` unless OTEL_SERVICE_NAME names it. */
  readonly component: string;
  /** Of every span of the process: ids of the actor, node and job. Empty ones are left out. */
  readonly attributes?: SpanAttributes;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

let current: Tracing | undefined;

/** Undefined where tracing is off. */
export function tracing(): Tracing | undefined {
  return current;
}

/**
 * Turns tracing on when a collector is named. The first call of a process decides; later ones change nothing.
 * @throws {TypeError} for an endpoint that is no address
 */
export async function openTracing(options: TracingOptions): Promise<void> {
  if (current !== undefined || !isTraced(options)) return;
  const { OtlpTracing } = await import("./otlp-tracing.js");
  current ??= new OtlpTracing(options);
}

/** Whether a collector is named, and nothing says that it is not to be used. */
export function isTraced({ endpoint = "", environment }: TracingOptions): boolean {
  if (environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return false;
  if (environment["OTEL_TRACES_EXPORTER"]?.toLowerCase() === "none") return false;
  return [
    endpoint,
    environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
    environment["OTEL_EXPORTER_OTLP_ENDPOINT"],
  ].some((named) => named !== undefined && named !== "");
}
