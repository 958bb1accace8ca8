import type { Metrics } from "../metrics.js";

/** OpenTelemetry's kinds of spans. */
export type SpanKind = "internal" | "client" | "server" | "producer" | "consumer";

/** Attributes of a span, by OpenTelemetry's names. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Parent, links and attributes of a span. */
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

/** A span that was started; it is sent once it has ended. */
export interface TraceSpan {
  /** W3C `traceparent` of the span, for messages to other processes. */
  readonly traceparent: string;
  /** Runs code in the span. Spans that this code begins, also asynchronously, are its children. */
  run<Result>(work: () => Result): Result;
  /** Ends the span, as failed when an error is given. */
  end(error?: Error, attributes?: SpanAttributes): void;
}

/** Starts spans, and knows which one is active. */
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

/** Where spans are sent, and who sends them. */
export interface TracingOptions {
  /** Base address of a collector, as in OTEL_EXPORTER_OTLP_ENDPOINT. Empty: the address in that variable. */
  readonly endpoint?: string;
  /** What kind of process this is. Its service is named `palimpsest-KIND` unless OTEL_SERVICE_NAME names it. */
  readonly component: string;
  /** Attributes of every span of the process: ids of the actor, node and job. Empty ones are left out. */
  readonly attributes?: SpanAttributes;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
