import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { SecureContextOptions, TlsOptions } from "node:tls";

export interface WebListenerOptions {
  readonly host: string;
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  /** Sizes and times of headers and requests. */
  readonly bounds: ServerOptions;
  /** Connections that are open at once; one more is closed. */
  readonly connections: number;
  /** With it the server speaks https. */
  readonly tls?: TlsOptions | undefined;
  /** Calls back with each certificate that replaces the previous one. The returned function removes the listener. */
  readonly onTls?: ((listener: (tls: SecureContextOptions) => void) => () => void) | undefined;
}

export interface WebListener {
  readonly server: Server;
  readonly port: number;
  /** Uses a renewed certificate for new connections. */
  replaceTls(tls: SecureContextOptions): void;
  /** Ends all connections. A second close waits for the first. */
  close(): Promise<void>;
}

/** Listens for requests over http or https. @throws the listen error, such as EADDRINUSE */
export async function openListener(
  answer: RequestListener,
  { host, port, bounds, connections, tls, onTls }: WebListenerOptions,
): Promise<WebListener> {
  const secure = tls && createTlsServer({ ...bounds, ...tls }, answer);
  const server: Server = secure ?? createServer(bounds, answer);
  server.maxConnections = connections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const replaceTls = (next: SecureContextOptions) => secure?.setSecureContext(next);
  const forget = secure && onTls?.(replaceTls);
  let closing: Promise<void> | undefined;
  return {
    server,
    port: (server.address() as AddressInfo).port,
    replaceTls,
    close() {
      closing ??= new Promise((resolve) => {
        forget?.();
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}
