import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers one request. Several in sequence simulate an unreliable server. */
export type Answer = (received: Received, response: ServerResponse) => void | Promise<void>;

/** A real HTTP server on a port of its own that answers as instructed. */
export class ModelServer {
  readonly received: Received[] = [];
  /** Number of requests whose connection the client closed before the answer was complete. */
  left = 0;
  running = 0;
  mostRunning = 0;
  readonly #server: Server;
  readonly #next: Answer[] = [];
  #waiters: (() => void)[] = [];

  private constructor(usual: Answer) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
        const received = {
          method: request.method ?? "",
          path: request.url ?? "",
          headers: request.headers,
          body,
        };
        this.received.push(received);
        this.running += 1;
        this.mostRunning = Math.max(this.mostRunning, this.running);
        response.on("close", () => {
          this.running -= 1;
          if (!response.writableEnded) this.left += 1;
          this.#tell();
        });
        this.#tell();
        void (this.#next.shift() ?? usual)(received, response);
      });
    });
  }

  static async start(usual: Answer): Promise<ModelServer> {
    const server = new ModelServer(usual);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Gives each of the next requests one of these answers. */
  next(...answers: readonly Answer[]): void {
    this.#next.push(...answers);
  }

  /** Resolves when the condition holds, which is checked when a request arrives or ends. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
      });
    }
  }

  #tell(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

export const json =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_received, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };

export const raw =
  (bytes: string | Uint8Array, contentType: string, status = 200): Answer =>
  (_received, response) => {
    response.writeHead(status, { "content-type": contentType });
    response.end(bytes);
  };

/** Closes the connection without an answer. */
export const cut: Answer = (_received, response) => {
  response.destroy();
};

/** Never answers. */
export const hang: Answer = () => {};

/** Sends events in pieces of a few bytes, so that no event and no character arrives whole. */
export function events(
  values: readonly unknown[],
  options: {
    readonly done?: boolean;
    readonly cutAfter?: number;
    readonly cutWhen?: Promise<void>;
    readonly separator?: string;
  } = {},
): Answer {
  return async (_received, response) => {
    const { done = true, cutAfter, separator = "\n\n" } = options;
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const sent = cutAfter === undefined ? values : values.slice(0, cutAfter);
    const texts = sent.map(
      (value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}${separator}`,
    );
    const bytes = Buffer.from(
      `: ping${separator}${texts.join("")}${done && cutAfter === undefined ? `data: [DONE]${separator}` : ""}`,
    );
    const sizes = [1, 7, 2, 13, 3, 64];
    for (let at = 0, i = 0; at < bytes.length && !response.destroyed; i++) {
      const size = sizes[i % sizes.length] as number;
      response.write(bytes.subarray(at, at + size));
      at += size;
      // It waits one turn of the event loop, so that the pieces are sent separately.
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
    if (cutAfter === undefined) response.end();
    else {
      await options.cutWhen;
      response.destroy();
    }
  };
}
