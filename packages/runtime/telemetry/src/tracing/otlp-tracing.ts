/**
 * Creates spans with OpenTelemetry's library and sends them to a collector by OTLP over HTTP. It is loaded only when a
 * collector is configured.
 */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import {
  type Context,
  context,
  isSpanContextValid,
  SpanKind as Kind,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import type { Metrics } from "../metrics.js";
import { samplerOf } from "./sampler.js";
import { type SpanOutcome, SpanQueue } from "./span-queue.js";
import type {
  SpanAttributes,
  SpanKind,
  SpanOptions,
  TraceSpan,
  Tracing,
  TracingOptions,
} from "./trace-span.js";

const exportTimeoutMs = 5_000;
/** The longest text of an attribute or a status. The error of an answer may be longer. */
const maxTextLength = 1_024;
const kinds: Readonly<Record<SpanKind, Kind>> = {
  internal: Kind.INTERNAL,
  client: Kind.CLIENT,
  server: Kind.SERVER,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
};

export class OtlpTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #queue: SpanQueue;
  /** The parent of spans outside of any other. */
  #root: Context = ROOT_CONTEXT;
  #metrics: Metrics | undefined;
  #uncounted: [SpanOutcome, number][] = [];

  constructor({ endpoint = "", component, attributes = {}, environment }: TracingOptions) {
    const url = endpoint === "" ? undefined : new URL("v1/traces", `${endpoint.replace(/\/*$/, "")}/`).href;
    const exporter = new OTLPTraceExporter({
      ...(url === undefined ? {} : { url }),
      ...(environment["OTEL_EXPORTER_OTLP_TIMEOUT"] ? {} : { timeoutMillis: exportTimeoutMs }),
      httpAgentOptions: agentFor,
    });
    this.#queue = new SpanQueue({
      exporter,
      onOutcome: (outcome, spans) => this.#count(outcome, spans),
      ...numberOf(environment, "OTEL_BSP_SCHEDULE_DELAY", "delayMs"),
      ...numberOf(environment, "OTEL_BSP_MAX_QUEUE_SIZE", "maxSpans"),
    });
    const named = Object.entries(attributes).filter(([, value]) => value !== "");
    const provider = new TracerProvider({
      sampler: samplerOf(environment),
      resource: resourceFromAttributes({
        "service.name": environment["OTEL_SERVICE_NAME"] || `palimpsest-${component}`,
        "service.namespace": "palimpsest",
        "process.pid": process.pid,
        "host.name": hostname(),
        ...Object.fromEntries(named),
      }),
      spanLimits: { attributeValueLengthLimit: maxTextLength },
      spanProcessors: [this.#queue],
    });
    // This also makes spans of the user's own code children of the call that runs it.
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(provider);
    this.#tracer = provider.getTracer("palimpsest");
  }

  start(name: string, { kind = "internal", parent, links = [], attributes }: SpanOptions = {}): TraceSpan {
    const under = parent ? contextOf(parent) : this.#active();
    const span = this.#tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        ...(attributes ? { attributes } : {}),
        links: links.flatMap((link) => {
          const linked = spanContextOf(link);
          return linked ? [{ context: linked }] : [];
        }),
      },
      under,
    );
    return new OtlpSpan(span, trace.setSpan(under, span));
  }

  here(): readonly string[] {
    const span = trace.getSpan(this.#active())?.spanContext();
    return span && isSpanContextValid(span) ? [traceparentOf(span)] : [];
  }

  beneath(traceparent: string): void {
    this.#root = contextOf(traceparent);
  }

  async flush(timeoutMs: number): Promise<void> {
    if (this.#queue.isAway) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#queue.forceFlush(), late]);
    clearTimeout(timer);
  }

  count(metrics: Metrics): void {
    this.#metrics = metrics;
    for (const [outcome, spans] of this.#uncounted.splice(0)) this.#count(outcome, spans);
  }

  #count(outcome: SpanOutcome, spans: number): void {
    if (this.#metrics) this.#metrics.counter("palimpsest_actor_trace_spans_total").inc({ outcome }, spans);
    else if (this.#uncounted.length < 100) this.#uncounted.push([outcome, spans]);
  }

  #active(): Context {
    const active = context.active();
    return trace.getSpan(active) === undefined ? this.#root : active;
  }
}

class OtlpSpan implements TraceSpan {
  readonly traceparent: string;
  readonly #span: Span;
  readonly #context: Context;

  constructor(span: Span, own: Context) {
    this.#span = span;
    this.#context = own;
    this.traceparent = traceparentOf(span.spanContext());
  }

  run<Result>(work: () => Result): Result {
    return context.with(this.#context, work);
  }

  end(error?: Error, attributes?: SpanAttributes): void {
    if (attributes) this.#span.setAttributes({ ...attributes });
    if (error) {
      const message = error.message.slice(0, maxTextLength);
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
      const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
      this.#span.setAttribute("error.type", code);
    }
    this.#span.end();
  }
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Returns undefined for a text that is not a `traceparent`. */
function spanContextOf(traceparent: string): SpanContext | undefined {
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(traceparent);
  const [, traceId, spanId, flags] = match ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}

function contextOf(traceparent: string): Context {
  const found = spanContextOf(traceparent);
  return found ? trace.setSpanContext(ROOT_CONTEXT, found) : ROOT_CONTEXT;
}

/** Creates connections to the collector that do not keep an otherwise idle process alive. */
function agentFor(protocol: string): HttpAgent {
  const agent =
    protocol === "https:" ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  agent.on("free", (socket: Socket) => socket.unref());
  return agent;
}

function numberOf<Key extends string>(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  key: Key,
): Partial<Record<Key, number>> {
  const text = environment[name];
  if (!text) return {};
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return { [key]: value } as Partial<Record<Key, number>>;
  throw new TypeError(`${name} is ${JSON.stringify(text)}: it must be a whole number above 0`);
}
