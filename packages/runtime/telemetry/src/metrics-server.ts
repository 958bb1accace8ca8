import type { IncomingMessage, ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import { openListener } from "./web-listener.js";

/** Where a server of metrics listens, and who may read them. */
export interface MetricsServerOptions {
  readonly host: string;
  /** Port to listen on. 0 picks a free one, which `address` then names. */
  readonly port: number;
  /** Decides who may read the pages. */
  readonly guard: MetricsGuard;
  /** Answers /healthz. False or a rejection gives status 503. Default: always healthy. */
  readonly healthy?: () => boolean | Promise<boolean>;
  /**
   * Returns the processes that Prometheus should scrape, for GET /targets (its HTTP service discovery). Without it that
   * page is 404.
   */
  readonly targets?: () => readonly ScrapeTarget[];
}

/** Decides on every request before anything is revealed. */
export interface MetricsGuard {
  /** Returns undefined when the request carries valid credentials, else the answer that refuses it. */
  refuse(request: IncomingMessage): { readonly status: number; readonly message: string } | undefined;
  /**
   * This process's certificate and the CA of clients. With them the pages are served over https, and only to clients
   * with a certificate.
   */
  readonly tls: ServerTls | undefined;
  /** Calls back with each certificate that replaces the previous one. The returned function removes the listener. */
  onTls?(listener: (tls: ServerTls) => void): () => void;
}

interface ServerTls {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** One process in Prometheus's HTTP service discovery. */
export interface ScrapeTarget {
  /** `host:port` of its metrics page. */
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A server of metrics over HTTP. */
export interface MetricsServer {
  /** `host:port` that it listens on. */
  readonly address: string;
  close(): Promise<void>;
}

/** Limits of the server. Scrapers need few connections and short headers. */
const limits = { bounds: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000 }, connections: 256 };

/** Serves GET /metrics (Prometheus text) and GET /healthz, over https when the guard has a certificate.
 *  @throws the listen error, such as EADDRINUSE */
export async function serveMetrics(
  registry: Registry,
  options: MetricsServerOptions,
): Promise<MetricsServer> {
  const { host, port, guard } = options;
  const listener = await openListener(
    (request, response) => void answer(registry, options, request, response),
    {
      ...limits,
      ...{ host, port, onTls: guard.onTls?.bind(guard) },
      tls: guard.tls && { ...guard.tls, requestCert: true, rejectUnauthorized: true },
    },
  );
  return {
    address: `${host.includes(":") ? `[${host}]` : host}:${listener.port}`,
    close: () => listener.close(),
  };
}

async function answer(
  registry: Registry,
  options: MetricsServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = options.guard.refuse(request);
  if (refusal) {
    if (refusal.status === 401) response.setHeader("www-authenticate", "Bearer");
    send(response, refusal.status, "text/plain", `${refusal.message}\n`);
    return;
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    send(response, 405, "text/plain", "only GET\n");
    return;
  }
  const path = (request.url ?? "/").split("?", 1)[0];
  try {
    if (path === "/metrics") {
      send(response, 200, registry.contentType, await registry.metrics());
    } else if (path === "/healthz") {
      const healthy = options.healthy === undefined || (await options.healthy());
      send(response, healthy ? 200 : 503, "text/plain", healthy ? "ok\n" : "not healthy\n");
    } else if (path === "/targets" && options.targets !== undefined) {
      const found = options.targets().map(({ address, labels }) => ({ targets: [address], labels }));
      send(response, 200, "application/json", JSON.stringify(found));
    } else {
      send(response, 404, "text/plain", "not found; see /metrics and /healthz\n");
    }
  } catch {
    send(response, 503, "text/plain", "not healthy\n");
  }
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { "content-type": contentType });
  response.end(body);
}
