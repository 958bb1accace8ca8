import { once } from "node:events";
import { createServer as createHttp2 } from "node:http2";
import { createServer, type Server } from "node:net";
import { createServer as createTls } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { issueCertificate, makeAuthority } from "./certificates.js";
import { tlsMismatch } from "./tls-mismatch.js";

const authority = await makeAuthority("test cluster", 1);
const pem = await issueCertificate(authority, { role: "head", name: "head", days: 1 });
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function addressOf(server: Server): Promise<string> {
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

test("a server with TLS and one without are distinguished, whoever asks", async () => {
  const demanding = { ...pem, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const withTls = await addressOf(createTls(demanding, (socket) => socket.resume()));
  expect(await tlsMismatch(withTls, false)).toMatch(/^it speaks TLS: .*--tls/);
  expect(await tlsMismatch(withTls, true)).toBe("");
  // That of gRPC without TLS, which answers a greeting of TLS with bytes of HTTP/2 or an end.
  const plain = await addressOf(createHttp2());
  expect(await tlsMismatch(plain, true)).toMatch(/^it speaks no TLS: leave --tls/);
  expect(await tlsMismatch(plain, false)).toBe("");
});

test("nothing is said of an address where nobody listens, and of what is none", async () => {
  const server = createServer();
  const address = await addressOf(server);
  servers.pop()?.close();
  await once(server, "close");
  expect(await tlsMismatch(address, true)).toBe("");
  expect(await tlsMismatch("nowhere", false)).toBe("");
});
