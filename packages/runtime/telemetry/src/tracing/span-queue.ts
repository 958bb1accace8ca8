/**
 * Responsibility: holds spans between their end and the collector, bounded, and sends them in batches, one at a time.
 * Not responsible for: how they are encoded and sent (OpenTelemetry's exporter).
 *
 * Invariants:
 * - SPANS-1. At most `maxSpans` spans of together `maxBytes` bytes, measured approximately, wait or are being sent. One
 *   more is dropped and counted.
 * - SPANS-2. No code waits for the collector: a span that cannot be sent is lost and counted.
 */
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";

export type SpanOutcome = "exported" | "failed" | "dropped";

export interface SpanQueueOptions {
  readonly exporter: SpanExporter;
  readonly onOutcome: (outcome: SpanOutcome, spans: number) => void;
  /** Milliseconds from the first waiting span until a batch is sent. Default 1,000. */
  readonly delayMs?: number;
  /** Largest number of spans that wait or are being sent. Default 2,048. */
  readonly maxSpans?: number;
  /** Their largest total size in bytes. Default 4 MiB. */
  readonly maxBytes?: number;
}

const maxBatch = 512;
/** Approximate memory of a span without its attributes, in bytes. */
const overheadBytes = 1024;
const eventBytes = 256;

export class SpanQueue implements SpanProcessor {
  readonly #options: Required<SpanQueueOptions>;
  #waiting: ReadableSpan[] = [];
  #bytes = 0;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isAway = false;
  #closed = false;

  constructor(options: SpanQueueOptions) {
    this.#options = { delayMs: 1_000, maxSpans: 2_048, maxBytes: 4 * 1024 * 1024, ...options };
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & 1) === 0) return;
    const { maxSpans, maxBytes, delayMs, onOutcome } = this.#options;
    const bytes = sizeOf(span);
    // SPANS-1
    if (this.#closed || this.#count >= maxSpans || this.#bytes + bytes > maxBytes) {
      onOutcome("dropped", 1);
      return;
    }
    this.#waiting.push(span);
    this.#count += 1;
    this.#bytes += bytes;
    if (this.#waiting.length >= maxBatch) void this.#send();
    else this.#timer ??= setTimeout(() => void this.#send(), delayMs).unref();
  }

  /** Sends all waiting spans. It stops early when the collector does not answer (SPANS-2). */
  async forceFlush(): Promise<void> {
    do await this.#send();
    while (this.#waiting.length > 0 && !this.#isAway);
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    this.#closed = true;
    await this.#options.exporter.shutdown();
  }

  /** Whether the last batch did not reach the collector. */
  get isAway(): boolean {
    return this.#isAway;
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sending !== undefined) return await this.#sending;
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, maxBatch);
    this.#sending = this.#export(batch).finally(() => {
      this.#sending = undefined;
      const { delayMs } = this.#options;
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.#send(), delayMs).unref();
    });
    await this.#sending;
  }

  async #export(batch: ReadableSpan[]): Promise<void> {
    const { exporter, onOutcome } = this.#options;
    const sent = await new Promise<boolean>((resolve) => {
      try {
        exporter.export(batch, ({ code }) => resolve(code === 0));
      } catch {
        resolve(false);
      }
    });
    this.#isAway = !sent;
    this.#count -= batch.length;
    this.#bytes -= batch.reduce((sum, span) => sum + sizeOf(span), 0);
    onOutcome(sent ? "exported" : "failed", batch.length);
  }
}

function sizeOf({ name, attributes, events, links, status }: ReadableSpan): number {
  let bytes = overheadBytes + name.length + (status.message?.length ?? 0);
  for (const value of Object.values(attributes)) bytes += 32 + (typeof value === "string" ? value.length : 8);
  return bytes + eventBytes * (events.length + links.length);
}
