/** One request and its answer, with the bounds of both. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { parseInput } from "@palimpsest/std/input";
import { type LocalCaller, PalimpsestError } from "@palimpsest/wire";
import type { z } from "zod";
import { errorAnswer } from "./http-error.js";

const maxBodyBytes = 4 * 1024 * 1024;
const bodyDeadlineMs = 30_000;
/** Minimum bytes of an answer that is compressed. For smaller ones compression is not worthwhile. */
const gzipFromBytes = 2_000;
const compress = promisify(gzip);

/** These headers let pages load nothing from other sites, be shown in no frame, and send their address to no site. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

type AnswerHeaders = Readonly<Record<string, string | string[]>>;

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly caller: LocalCaller;
  /** The decoded parts of the path that matched a `*` of the route. */
  readonly parts: readonly string[];

  constructor(
    { request, response, url }: Pick<Exchange, "request" | "response" | "url">,
    caller: LocalCaller,
    parts: readonly string[],
  ) {
    this.request = request;
    this.response = response;
    this.url = url;
    this.caller = caller;
    this.parts = parts;
  }

  /** The part of the path that matched the route's first `*`. */
  get id(): string {
    return this.parts[0] ?? "";
  }

  /** Returns the validated query. @throws {PalimpsestError} INVALID_ARGUMENT */
  query<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
    return parseInput(schema, Object.fromEntries(this.url.searchParams), refused("query"));
  }

  /** Returns the body, a JSON text. @throws {PalimpsestError} INVALID_ARGUMENT, LIMIT_EXCEEDED, GET_TIMEOUT */
  async body<Schema extends z.ZodType>(schema: Schema, mostBytes = maxBodyBytes): Promise<z.output<Schema>> {
    const text = await readBody(this.request, mostBytes);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new PalimpsestError("INVALID_ARGUMENT", "the body is not JSON: send JSON text");
    }
    return parseInput(schema, value, refused("body"));
  }

  /** A signal that aborts when the client has disconnected. */
  get gone(): AbortSignal {
    const controller = new AbortController();
    // There is no further event when the client has already disconnected.
    if (this.response.closed) controller.abort();
    else this.response.once("close", () => controller.abort());
    return controller.signal;
  }

  async json(value: unknown, headers: AnswerHeaders = {}): Promise<void> {
    await sendJson(this.request, this.response, 200, value, headers);
  }
}

export async function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: AnswerHeaders = {},
): Promise<void> {
  await sendBytes(request, response, Buffer.from(JSON.stringify(value)), status, headers);
}

/** Sends bytes that are a JSON text. */
export async function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  status = 200,
  headers: AnswerHeaders = {},
): Promise<void> {
  const all = {
    ...securityHeaders,
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...headers,
  };
  const small = body.byteLength < gzipFromBytes;
  if (small || !/\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) {
    response.writeHead(status, all).end(body);
    return;
  }
  // Level 1 is used, because a list that is requested every few seconds must not cost more of the head's time.
  const packed = await compress(body, { level: 1 });
  response.writeHead(status, { ...all, "content-encoding": "gzip" }).end(packed);
}

export async function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  reason: unknown,
): Promise<void> {
  const { status, code, message } = errorAnswer(reason);
  if (response.headersSent) response.destroy();
  else await sendJson(request, response, status, { code, message }, { connection: "close" });
}

async function readBody(request: IncomingMessage, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const late = setTimeout(() => {
    request.destroy(
      new PalimpsestError(
        "GET_TIMEOUT",
        `the body did not arrive within ${bodyDeadlineMs} ms: send it faster, or less`,
      ),
    );
  }, bodyDeadlineMs);
  try {
    const arriving: AsyncIterable<Buffer> = request;
    for await (const chunk of arriving) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > mostBytes)
        throw new PalimpsestError("LIMIT_EXCEEDED", `the body has more than ${mostBytes} bytes: send less`);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const refused = (what: string) => (problem: string) =>
  new PalimpsestError("INVALID_ARGUMENT", `${what}: ${problem}`);
