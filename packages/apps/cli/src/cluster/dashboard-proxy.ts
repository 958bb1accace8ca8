/**
 * Serves the dashboard of a head with TLS on loopback, for a browser without a certificate: requests go on with the
 * certificate of this user. Whoever reaches the port still needs a token.
 */
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { connect } from "node:tls";
import { checkServer, loadTls } from "@palimpsest/wire";

const host = "127.0.0.1";

export interface DashboardProxy {
  /** host:port on loopback. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * @param dashboardAddress host:port of the dashboard
 * @param tls folder with ca.crt, tls.crt and tls.key
 */
export async function serveDashboardProxy(dashboardAddress: string, tls: string): Promise<DashboardProxy> {
  const url = new URL(`https://${dashboardAddress}`);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const server = createServer((asked, answer) => {
    const refuse = (reason: unknown) =>
      answer
        .writeHead(502, { "content-type": "text/plain; charset=utf-8" })
        .end(
          `the dashboard at ${dashboardAddress} cannot be reached: ${reason instanceof Error ? reason.message : String(reason)}\n`,
        );
    let files: ReturnType<typeof loadTls>;
    try {
      // The files are read for each request, so that renewed certificates are used; while they are renewed, one may be absent.
      files = loadTls(tls);
    } catch (reason) {
      refuse(reason);
      return;
    }
    const { ca, cert, key, revoked } = files;
    const forwarded = httpRequest(
      {
        method: asked.method,
        path: asked.url,
        headers: asked.headers,
        createConnection: () =>
          connect({
            host: hostname,
            port: Number(url.port),
            ca,
            cert,
            key,
            minVersion: "TLSv1.3",
            checkServerIdentity: (name, certificate) => checkServer(name, certificate, ["head"], revoked),
          }),
      },
      (given) => {
        const { "set-cookie": cookies, ...headers } = given.headers;
        // The browser's own connection is not encrypted, and some browsers keep no secure cookie of it.
        const plain = cookies?.map((cookie) => cookie.replace(/; Secure/i, ""));
        answer.writeHead(given.statusCode ?? 502, { ...headers, ...(plain ? { "set-cookie": plain } : {}) });
        // Ends the answer with the head's: a browser asks again for a stream that has ended.
        pipeline(given, answer, () => {});
      },
    );
    forwarded.on("error", (reason) => {
      if (answer.headersSent) answer.destroy();
      else refuse(reason);
    });
    answer.on("close", () => forwarded.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
