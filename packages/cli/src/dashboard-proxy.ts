/**
 * Serves the dashboard of a head with TLS on loopback, for a browser without a certificate: requests go on with the
 * certificate of this user. Whoever reaches the port still needs a token.
 */
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
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
  const server = createServer((asked, answer) => {
    // The files are read for each request, so that renewed certificates are used.
    const { ca, cert, key, revoked } = loadTls(tls);
    const forwarded = httpRequest(
      {
        method: asked.method,
        path: asked.url,
        headers: asked.headers,
        createConnection: () =>
          connect({
            ...{ host: url.hostname, port: Number(url.port), ca, cert, key, minVersion: "TLSv1.3" },
            checkServerIdentity: (name, certificate) => checkServer(name, certificate, ["head"], revoked),
          }),
      },
      (given) => {
        const { "set-cookie": cookies, ...headers } = given.headers;
        // The browser's own connection is not encrypted, and some browsers keep no secure cookie of it.
        const plain = cookies?.map((cookie) => cookie.replace(/; Secure/i, ""));
        answer.writeHead(given.statusCode ?? 502, { ...headers, ...(plain ? { "set-cookie": plain } : {}) });
        given.pipe(answer);
      },
    );
    forwarded.on("error", (reason) => {
      if (answer.headersSent) answer.destroy();
      else
        answer
          .writeHead(502, { "content-type": "text/plain; charset=utf-8" })
          .end(`the dashboard at ${dashboardAddress} cannot be reached: ${reason.message}\n`);
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
