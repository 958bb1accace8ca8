import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { joinSignals } from "@palimpsest/std";
import { type Asked, usageOf } from "./answer.js";
import { ApiError } from "./api-error.js";
import { type ChoiceEnd, sampleChoice } from "./choice.js";
import type { ServedModel } from "./served-model.js";

/**
 * The maximum bytes of one answer that wait for its client. A client that is further behind is treated as
 * disconnected.
 */
const maxUnsentBytes = 8 * 1024 * 1024;

export interface Answering {
  readonly model: ServedModel;
  readonly response: ServerResponse;
  /** Aborts when the client has disconnected, the deadline has passed or the server stops. */
  readonly signal: AbortSignal;
  /** Called at the first sampled token. */
  readonly onFirstToken: () => void;
}

/**
 * Samples every choice, and answers when all are done.
 * @throws the first error of a choice, after the others were stopped
 */
export async function answerWhole(asked: Asked, { model, response, ...more }: Answering): Promise<void> {
  const writers = asked.choices.map((_, index) => asked.writer(index));
  const ends = await sampleAll(asked, { model, ...more }, (index, piece) => writers[index]?.push(piece));
  writers.forEach((writer, index) => {
    writer.end(ends[index] as ChoiceEnd);
  });
  const body = {
    ...headOf(asked, model),
    object: asked.object.whole,
    system_fingerprint: ends[0]?.fingerprint,
    choices: writers.map((writer) => writer.whole()),
    usage: usageOf(asked, ends),
  };
  sendJson(response, 200, body);
}

/**
 * Sends samples as server-sent events. Headers are sent with the first token, so that a request that cannot start
 * gets an error status; a later failure is sent as a last event `{"error": …}`, without `[DONE]`.
 */
export async function answerStream(asked: Asked, { model, response, ...more }: Answering): Promise<void> {
  const writers = asked.choices.map((_, index) => asked.writer(index));
  const head = headOf(asked, model);
  const write = (event: object | string) => {
    response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    if (response.writableLength > maxUnsentBytes) response.destroy();
  };
  const send = (choices: readonly object[]) => {
    const usage = asked.includeUsage ? { usage: null } : {};
    const fingerprint = { object: asked.object.chunk, system_fingerprint: model.fingerprint };
    for (const choice of choices) write({ ...head, ...fingerprint, choices: [choice], ...usage });
  };
  const open = () => {
    if (response.headersSent) return;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      // Proxies that buffer answers would turn the stream into one late piece.
      "x-accel-buffering": "no",
    });
    for (const writer of writers) send(writer.begin());
  };
  try {
    const ends = await sampleAll(
      asked,
      { model, ...more },
      (index, piece) => {
        open();
        const chunk = writers[index]?.push(piece);
        if (chunk !== undefined) send([chunk]);
      },
      (index, end) => send(writers[index]?.end(end) ?? []),
    );
    if (asked.includeUsage) {
      const last = { object: asked.object.chunk, system_fingerprint: ends[0]?.fingerprint };
      write({ ...head, ...last, choices: [], usage: usageOf(asked, ends) });
    }
    write("[DONE]");
    response.end();
  } catch (reason) {
    if (!response.headersSent || response.destroyed) throw reason;
    write(ApiError.from(reason).toJSON());
    response.end();
    throw reason;
  }
}

function headOf({ idPrefix }: Asked, { name }: ServedModel) {
  return {
    id: `${idPrefix}${randomUUID().replaceAll("-", "")}`,
    created: Math.floor(Date.now() / 1000),
    model: name,
  };
}

type Sampling = Pick<Answering, "model" | "signal" | "onFirstToken">;

/** Samples all choices. One that fails stops the others, because a partial answer is useless. */
async function sampleAll(
  { choices }: Asked,
  { model, signal, onFirstToken }: Sampling,
  onPiece: (index: number, piece: Parameters<Parameters<typeof sampleChoice>[2]>[0]) => void,
  onEnd: (index: number, end: ChoiceEnd) => void = () => undefined,
): Promise<ChoiceEnd[]> {
  const either = joinSignals(signal);
  setMaxListeners(0, either.signal);
  let begun = false;
  const sampled = choices.map(async (choice, index) => {
    try {
      const end = await sampleChoice(
        model,
        choice,
        (piece) => {
          if (!begun) onFirstToken();
          begun = true;
          onPiece(index, piece);
        },
        either.signal,
      );
      onEnd(index, end);
      return end;
    } catch (reason) {
      either.abort(reason);
      throw reason;
    }
  });
  // All are awaited, so that none is left in the sampler when the request ends.
  const settled = await Promise.allSettled(sampled);
  return settled.map((result) => {
    if (result.status === "rejected") throw either.signal.reason ?? result.reason;
    return result.value;
  });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": bytes.length,
    ...headers,
  });
  response.end(bytes);
}
