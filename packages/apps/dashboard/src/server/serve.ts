/**
 * Responsibility: the dashboard's HTTP server: authentication, limits of connections, files, and routes of the API.
 * Not responsible for: what the routes answer (cluster-routes.ts, job-routes.ts), or what a token may do (wire).
 *
 * Invariants:
 * - DASHBOARD-1. Without a valid token only the files of the front end are served, which reveal nothing about the
 *   cluster.
 * - DASHBOARD-2. A token appears in no log and no URL that is sent, and in a cookie only sealed. A link that signs in has it behind #, which
 *   browsers keep to themselves, and the page removes it from the address.
 * - DASHBOARD-3. A change is requested by POST with a JSON body, from a page of this server.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import { systemClock } from "@palimpsest/std";
import { type Logger, openListener } from "@palimpsest/telemetry";
import { formatAddress, type LocalCaller, PalimpsestError } from "@palimpsest/wire";
import { signInSchema } from "../api/session.js";
import { Exchange, sendError, sendJson } from "./exchange.js";
import { Guesses } from "./guesses.js";
import type { PageFiles } from "./page-files.js";
import { findRoute, type Route } from "./routes.js";
import { cookieOf, type SignIns } from "./sign-ins.js";

const limits = {
  maxHeaderSize: 16 * 1024,
  connections: 256,
  headersTimeout: 10_000,
  /** Milliseconds for a complete request, including its body. */
  requestTimeout: 60_000,
  /**
   * Milliseconds without a byte in either direction after which a connection is closed, because a client that does not
   * read its answer keeps it in memory. Streams send heartbeats, and therefore stay open.
   */
  idleMs: 60_000,
  /** Maximum bytes of the body of a sign-in. Anybody may send one, and all connections may do so at the same time. */
  signInBytes: 16 * 1024,
} as const;

export interface ServeOptions {
  readonly host: string;
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  readonly tls?: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** Calls back with each certificate that replaces the previous one. The returned function removes the listener. */
  readonly onTls?: (listener: (tls: { ca: Buffer; cert: Buffer; key: Buffer }) => void) => () => void;
  readonly files: PageFiles;
  readonly signIns: SignIns;
  readonly routes: readonly Route[];
  /** Throws UNAUTHENTICATED for a caller that may see nothing. */
  readonly admit: (caller: LocalCaller) => void;
  readonly logger: Logger;
  /** Milliseconds without a byte in either direction after which a connection is closed. Default: 60,000. */
  readonly idleMs?: number;
}

export interface RunningServer {
  /** host:port on which the server listens. */
  readonly address: string;
  close(): Promise<void>;
}

/** @throws the listen error, such as EADDRINUSE */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { maxHeaderSize, headersTimeout, requestTimeout } = limits;
  const guesses = new Guesses(systemClock);
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(options, guesses, request, response).catch(async (reason: unknown) => {
      const error = PalimpsestError.from(reason);
      if (error.code === "INTERNAL")
        options.logger.warn({ err: reason }, "a request of the dashboard failed");
      await sendError(request, response, reason).catch(() => response.destroy());
    });
  };
  const { host, port, tls, onTls } = options;
  const web = await openListener(listener, {
    host,
    port,
    onTls,
    bounds: { maxHeaderSize, headersTimeout, requestTimeout },
    connections: limits.connections,
    tls: tls && { ...tls, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" },
  });
  web.server.timeout = options.idleMs ?? limits.idleMs;
  return { address: formatAddress(host, web.port), close: () => web.close() };
}

async function answer(
  options: ServeOptions,
  guesses: Guesses,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://dashboard");
  const { method = "GET" } = request;
  const isApi = url.pathname.startsWith("/api/");
  if (!isApi && (method === "GET" || method === "HEAD")) {
    if (options.files.answer(request, response, url.pathname)) return;
  }
  if (method === "POST") checkOrigin(request);
  const cookie = cookieName(request);
  const caller = callerOf(options.signIns, cookie, request);
  const exchange = new Exchange({ request, response, url }, caller, []);
  if (url.pathname === "/api/sign-in" && method === "POST") {
    await signIn(options, guesses, exchange, cookie);
    return;
  }
  if (url.pathname === "/api/sign-out" && method === "POST") {
    options.signIns.end(cookieOf(request.headers.cookie, cookie) ?? "");
    await exchange.json({}, { "set-cookie": [forgotten(cookie)] });
    return;
  }
  options.admit(caller);
  const found = isApi ? findRoute(options.routes, method, url.pathname.slice("/api".length)) : undefined;
  if (found === undefined) throw new PalimpsestError("NOT_FOUND", `there is no ${url.pathname}`);
  if (found === "method") {
    await sendJson(request, response, 405, {
      code: "INVALID_ARGUMENT",
      message: `method ${method} is not allowed here`,
    });
    return;
  }
  await found.route.answer(new Exchange({ request, response, url }, caller, found.parts));
}

/**
 * Sign-ins at other ports of this host that a browser keeps beside a new one, the newest. It sends all of them with every request, and
 * `palimpsest dashboard` listens on another port each time.
 */
const mostOtherSignIns = 20;

async function signIn(
  { signIns, admit }: ServeOptions,
  guesses: Guesses,
  exchange: Exchange,
  cookie: string,
): Promise<void> {
  const { token } = await exchange.body(signInSchema, limits.signInBytes);
  const authorization = `Bearer ${token.trim()}`;
  const address = exchange.request.socket.remoteAddress ?? "";
  // The check follows the body, so that a client that sends many bodies slowly has no more attempts than others.
  guesses.check(address);
  try {
    admit({ ...exchange.caller, authorization });
  } catch (reason) {
    guesses.wrong(address);
    throw reason;
  }
  const secure = exchange.request.socket instanceof TLSSocket ? "; Secure" : "";
  const others = cookieNames(exchange.request.headers.cookie).filter((name) => name !== cookie);
  await exchange.json(
    {},
    {
      "set-cookie": [
        `${cookie}=${signIns.begin(authorization)}; Path=/; HttpOnly; SameSite=Strict${secure}`,
        ...others.slice(0, -mostOtherSignIns).map(forgotten),
      ],
    },
  );
}

const forgotten = (name: string) => `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`;
const cookieNames = (header: string | undefined) =>
  [...(header ?? "").matchAll(/(?:^|;\s*)(palimpsest-\d+)=/g)].flatMap(([, name]) => name ?? []);

/**
 * Returns the cookie's name. Browsers keep cookies by host and not by port, so two heads on one machine need different
 * names. The port is the one in the browser's address, because behind forwarded ports two heads may listen on the same
 * one. The Host header contains no port when it is the protocol's default.
 */
function cookieName({ headers, socket }: IncomingMessage): string {
  const [, port = socket instanceof TLSSocket ? 443 : 80] = /:(\d{1,5})$/.exec(headers.host ?? "") ?? [];
  return `palimpsest-${port}`;
}

function callerOf(signIns: SignIns, cookie: string, { headers, socket }: IncomingMessage): LocalCaller {
  const signedIn = cookieOf(headers.cookie, cookie);
  return {
    authorization: headers.authorization ?? (signedIn && signIns.authorizationOf(signedIn)),
    certificate: socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined,
    peer: `${socket.remoteAddress}:${socket.remotePort}`,
  };
}

/** @throws {PalimpsestError} PERMISSION_DENIED */
function checkOrigin({ headers }: IncomingMessage): void {
  const { origin, host } = headers;
  const foreign = origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
  if (foreign || !String(headers["content-type"] ?? "").startsWith("application/json"))
    throw new PalimpsestError(
      "PERMISSION_DENIED",
      "changes must be requested by the dashboard's own pages, with a JSON body",
    );
}
