import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { describe, expect, it } from "vitest";
import { SpanQueue, type SpanQueueOptions } from "./span-queue.js";

type Done = Parameters<SpanExporter["export"]>[1];

/** A collector whose answers the test controls. */
function slowCollector() {
  const batches: { readonly names: readonly string[]; readonly done: Done }[] = [];
  const exporter: SpanExporter = {
    export: (spans, done) => void batches.push({ names: spans.map(({ name }) => name), done }),
    shutdown: async () => undefined,
  };
  return { batches, exporter };
}

function span(name: string, attributes: Readonly<Record<string, string>> = {}): ReadableSpan {
  const shown = { name, attributes, events: [], links: [], status: { code: 0 } };
  return { ...shown, spanContext: () => ({ traceFlags: 1 }) } as unknown as ReadableSpan;
}

function queueWith(options: Omit<SpanQueueOptions, "onOutcome">) {
  const counts: Record<string, number> = { exported: 0, failed: 0, dropped: 0 };
  const queue = new SpanQueue({
    onOutcome: (outcome, spans) => {
      counts[outcome] = (counts[outcome] ?? 0) + spans;
    },
    ...options,
  });
  return { queue, counts };
}

describe("spans on their way to a collector", () => {
  it("are bounded in number while the collector says nothing, and those beyond are counted (SPANS-1, SPANS-2)", async () => {
    const { batches, exporter } = slowCollector();
    const { queue, counts } = queueWith({ exporter, maxSpans: 600 });
    for (let at = 0; at < 1_000; at++) queue.onEnd(span(`span ${at}`));
    // One batch is being sent, and the rest waits behind it.
    expect(batches.map(({ names }) => names.length)).toEqual([512]);
    expect(counts).toEqual({ exported: 0, failed: 0, dropped: 400 });
    const flushed = queue.forceFlush();
    batches[0]?.done({ code: 0 });
    await expect.poll(() => batches.length).toBe(2);
    batches[1]?.done({ code: 0 });
    await flushed;
    expect(counts).toEqual({ exported: 600, failed: 0, dropped: 400 });
  });

  it("are bounded in bytes (SPANS-1)", () => {
    const { exporter } = slowCollector();
    const { queue, counts } = queueWith({ exporter, maxBytes: 10 * 2_100 });
    for (let at = 0; at < 12; at++) queue.onEnd(span("long", { text: "x".repeat(1_000) }));
    expect(counts["dropped"]).toBe(2);
  });

  it("are lost with a collector that is away, which is not waited for a second time (SPANS-2)", async () => {
    const { batches, exporter } = slowCollector();
    const { queue, counts } = queueWith({ exporter });
    for (let at = 0; at < 700; at++) queue.onEnd(span(`span ${at}`));
    const flushed = queue.forceFlush();
    batches[0]?.done({ code: 1, error: new Error("connect ECONNREFUSED") });
    await flushed;
    expect(queue.isAway).toBe(true);
    expect(counts).toEqual({ exported: 0, failed: 512, dropped: 0 });
    expect(batches).toHaveLength(1);
  });
});
