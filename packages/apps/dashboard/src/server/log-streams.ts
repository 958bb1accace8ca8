/**
 * Sends logs as server-sent events, each with the offset of the next one, which a browser that lost the stream sends back. After a
 * failure that stays when a client asks again, such as a log that is no longer kept, the last event says why.
 */
import { once } from "node:events";
import { PalimpsestError } from "@palimpsest/wire";
import { logQuerySchema } from "../api/jobs.js";
import { type Exchange, securityHeaders } from "./exchange.js";
import { errorAnswer } from "./http-error.js";
import { type LogPiece, WholeLetters } from "./whole-letters.js";

/** Maximum number of concurrent log streams. */
const maxStreams = 64;
/** Milliseconds after which the server ends a log stream. The browser then opens another one where this one ended. */
const streamMs = 10 * 60_000;
/** Milliseconds between heartbeats, which keep proxies from closing a silent stream. */
const beatMs = 15_000;

/** Reads a log from an offset on, or its end when there is none, and then what is written. */
export type LogSource = (place: {
  readonly from: number | undefined;
  readonly signal: AbortSignal;
}) => AsyncIterable<{ readonly offsetBytes?: number | null; readonly data?: Uint8Array | null }>;

export class LogStreams {
  #open = 0;

  /** @throws {PalimpsestError} UNAVAILABLE when too many are open; the error of the source */
  async send(exchange: Exchange, source: LogSource): Promise<void> {
    if (this.#open >= maxStreams)
      throw new PalimpsestError(
        "UNAVAILABLE",
        `${maxStreams} logs are already being followed: close some of their pages`,
      );
    this.#open += 1;
    try {
      await follow(exchange, source);
    } finally {
      this.#open -= 1;
    }
  }
}

async function follow(exchange: Exchange, source: LogSource): Promise<void> {
  const { request, response, gone } = exchange;
  const again = Number(request.headers["last-event-id"] ?? Number.NaN);
  const asked = exchange.query(logQuerySchema).offset;
  const from = Number.isSafeInteger(again) && again >= 0 ? again : asked;
  response.writeHead(200, {
    ...securityHeaders,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
  });
  response.write(`retry: 2000\n\n`);
  const over = new AbortController();
  const end = () => over.abort();
  gone.addEventListener("abort", end, { once: true });
  const late = setTimeout(end, streamMs);
  const beat = setInterval(() => response.write(":\n\n"), beatMs);
  const letters = new WholeLetters();
  const tell = async (piece: LogPiece) => {
    if (piece.nextBytes === piece.offsetBytes) return;
    const taken = response.write(`id: ${piece.nextBytes}\nevent: log\ndata: ${JSON.stringify(piece)}\n\n`);
    if (!taken) await once(response, "drain", { signal: over.signal });
  };
  try {
    for await (const { offsetBytes, data } of source({ from, signal: over.signal }))
      await tell(letters.push(offsetBytes ?? 0, data ?? new Uint8Array()));
    await tell(letters.end());
    if (!over.signal.aborted) response.write("event: end\ndata: {}\n\n");
  } catch (reason) {
    if (over.signal.aborted) return;
    const { status, message } = errorAnswer(reason);
    if (status >= 500) throw reason;
    response.write(`event: end\ndata: ${JSON.stringify({ message })}\n\n`);
  } finally {
    clearTimeout(late);
    clearInterval(beat);
    gone.removeEventListener("abort", end);
    response.end();
  }
}
