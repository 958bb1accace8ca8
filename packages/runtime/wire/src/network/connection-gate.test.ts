import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import type { Role } from "../protocol/access.js";
import { headService } from "../protocol/services.js";
import { identityOf, issueCertificate, makeAuthority } from "../security/certificates.js";
import { Credentials } from "../security/credentials.js";
import { contextOf, type TlsIdentity } from "../security/tls.js";
import type { ConnectionGateOptions } from "./connection-gate.js";
import { grpcNetwork } from "./grpc-network.js";
import { GrpcServer, unary } from "./server.js";

const token = "the cluster's token";

async function serve(unproven: ConnectionGateOptions, tls?: TlsIdentity): Promise<string> {
  const server = serverOf(unproven, tls);
  onTestFinished(() => server.close(0));
  return server.listen("127.0.0.1", 0);
}

function serverOf(unproven: ConnectionGateOptions, tls?: TlsIdentity): GrpcServer {
  const server = new GrpcServer(Credentials.ofCluster(token, { tls }), { unproven });
  const { getCluster } = headService;
  server.addService({ getCluster }, { getCluster: unary(() => ({ clusterId: "cluster-test" })) });
  return server;
}

/** Opens a connection that sends nothing. */
function idle(address: string): { readonly socket: Socket; readonly closed: Promise<unknown> } {
  const socket = connect(Number(address.split(":")[1]), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.resume();
  onTestFinished(() => {
    socket.destroy();
  });
  return { socket, closed: once(socket, "close") };
}

const timeout = { timeoutMs: 600_000 };

function caller(address: string, tls?: TlsIdentity) {
  const peer = grpcNetwork({ credentials: Credentials.ofCluster(token, { tls }) }).connect(address);
  onTestFinished(() => peer.close());
  return () => peer.unary(headService.getCluster, {}, timeout);
}

async function identities(): Promise<(role: Role) => Promise<TlsIdentity>> {
  const authority = await makeAuthority("cluster of the tests", 1);
  return async (role) =>
    identityOf(authority, await issueCertificate(authority, { role, name: role, days: 1 }), role, role);
}

test("GATE-1: an address has so many connections without a valid call, and those with one do not count", async () => {
  const address = await serve({ perAddress: 2, firstCallMs: 600_000 });
  const proven = caller(address);
  await proven();
  const first = idle(address);
  const second = idle(address);
  await Promise.all([once(first.socket, "connect"), once(second.socket, "connect")]);
  await idle(address).closed;
  expect(await proven()).toMatchObject({ clusterId: "cluster-test" });
  first.socket.destroy();
  second.socket.destroy();
  const another = caller(address);
  const answer = () =>
    another().then(
      ({ clusterId }) => clusterId,
      () => "",
    );
  await expect.poll(answer).toBe("cluster-test");
});

test("GATE-2: a connection that makes no call is closed, one that made a call stays", async () => {
  const address = await serve({ perAddress: 10, firstCallMs: 300 });
  const proven = caller(address);
  await proven();
  await idle(address).closed;
  await idle(address).closed;
  expect(await proven()).toMatchObject({ clusterId: "cluster-test" });
});

test("GATE-3: time in which the process computes does not count", async () => {
  const address = await serve({ perAddress: 10, firstCallMs: 1_000 });
  const waiting = idle(address);
  let closed = false;
  void waiting.closed.then(() => {
    closed = true;
  });
  await once(waiting.socket, "connect");
  await caller(address)();
  const until = performance.now() + 1_500;
  while (performance.now() < until);
  await caller(address)();
  expect(closed).toBe(false);
});

test("under TLS a handshake that does not end is closed, and a client of TLS 1.2 is refused", async () => {
  const identity = await identities();
  const address = await serve({ perAddress: 10, firstCallMs: 300 }, await identity("head"));
  await idle(address).closed;
  const driver = await identity("driver");
  expect(await caller(address, driver)()).toMatchObject({ clusterId: "cluster-test" });
  const { minVersion: _newest, ...context } = contextOf(driver);
  const old = connectTls({
    ...context,
    host: "127.0.0.1",
    port: Number(address.split(":")[1]),
    minVersion: "TLSv1.2",
    maxVersion: "TLSv1.2",
    ALPNProtocols: ["h2"],
    checkServerIdentity: () => undefined,
  });
  const [error] = await once(old, "error");
  expect(String(error)).toMatch(/protocol version/i);
});

test.each(["close", "kill"] as const)(
  "GATE-4: %s ends a peer that never begins its handshake, which else keeps the process alive",
  async (end) => {
    const server = serverOf({ perAddress: 1, firstCallMs: 600_000 }, await (await identities())("head"));
    const address = await server.listen("127.0.0.1", 0);
    const silent = idle(address);
    await once(silent.socket, "connect");
    // The server accepts connections in order, so by the time this one is refused it has accepted the other.
    const next = idle(address);
    await next.closed;
    await server[end](0);
    await silent.closed;
  },
);
