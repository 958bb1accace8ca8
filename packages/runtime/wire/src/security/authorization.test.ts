import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerDuplexStream } from "@grpc/grpc-js";
import { type Clock, systemClock } from "@palimpsest/std";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { PalimpsestError } from "../base/error.js";
import { grpcNetwork } from "../network/grpc-network.js";
import { type ServiceHandlers, servePart } from "../network/handlers.js";
import type { Peer, RpcServer } from "../network/network.js";
import { GrpcServer, unary } from "../network/server.js";
import { access, type Role, roles } from "../protocol/access.js";
import type { Method } from "../protocol/method.js";
import {
  actorHostService,
  headService,
  jobsService,
  nodeLinkService,
  nodeLogsService,
  objectsService,
} from "../protocol/services.js";
import { AuditLog, auditPathsOf } from "./audit-log.js";
import { type CallRecord, callerOf } from "./authorization.js";
import { identityOf, issueCertificate, makeAuthority, type Pem } from "./certificates.js";
import { Credentials, roleToken } from "./credentials.js";
import type { TlsIdentity } from "./tls.js";

const token = "the cluster's token";
const identities = new Map<Role, TlsIdentity>();
let authority: Pem;

beforeAll(async () => {
  authority = await makeAuthority("cluster of the tests", 1);
  for (const role of roles) {
    const pem = await issueCertificate(authority, { role, name: `a ${role}`, days: 1 });
    identities.set(role, identityOf(authority, pem, role, `a ${role}`));
  }
});
afterAll(() => identities.clear());

const credentialsOf = (role?: Role, sent = token) =>
  Credentials.ofCluster(sent, { tls: role ? identities.get(role) : undefined });

async function serve(credentials: Credentials, records: CallRecord[] = []): Promise<string> {
  const server: RpcServer = grpcNetwork({
    credentials,
    onCall: (record) => records.push(record),
  }).createServer();
  servePart(server, headService, headHandlers);
  onTestFinished(() => server.close(0));
  return server.listen("127.0.0.1", 0);
}

const headHandlers: Partial<ServiceHandlers<typeof headService>> = {
  getCluster: unary((_request, call) => ({ version: JSON.stringify(callerOf(call)) })),
  shutdown: unary(() => ({})),
  killActor: unary(() => {
    throw new PalimpsestError("NOT_FOUND", "no such actor");
  }),
  createActor: unary(() => ({})),
  resolveActor: unary(() => ({})),
  listActors: unary(() => ({})),
  listNodes: unary(() => ({})),
  listQueues: unary(() => ({})),
  session: () => undefined,
};

function peerOf(address: string, credentials: Credentials): Peer {
  const peer = grpcNetwork({ credentials }).connect(address);
  onTestFinished(() => peer.close());
  return peer;
}

function outcome(address: string, credentials: Credentials, method: Method<object, object>): Promise<string> {
  return peerOf(address, credentials)
    .unary(method, {}, { timeoutMs: 600_000 })
    .then(
      () => "OK",
      (reason: unknown) => PalimpsestError.from(reason).code,
    );
}

test("every method of every service names the roles that may call it, and none is for readers that changes anything", () => {
  const services = [
    headService,
    jobsService,
    objectsService,
    nodeLinkService,
    nodeLogsService,
    actorHostService,
  ];
  const methods: Method<never, unknown>[] = services.flatMap((service) => Object.values(service));
  for (const method of methods) expect(method.access.roles.length, method.name).toBeGreaterThan(0);
  const forReaders = methods.filter((method) => method.access.roles.includes("reader"));
  expect(forReaders.every((method) => method.access === access.read)).toBe(true);
  expect(
    forReaders
      .map(({ name }) => name)
      .filter((name) => !/\.(Describe|Get|List|Logs|Resolve|Summarize)\w*$/.test(name)),
  ).toEqual([]);
});

test("AUTHORIZATION-1: a method that names no roles is refused to the cluster's own token", async () => {
  const server = new GrpcServer(credentialsOf());
  onTestFinished(() => server.close(0));
  const { access: _access, ...bare } = headService.getCluster;
  server.addService({ getCluster: bare }, { getCluster: unary(() => ({})) });
  const address = await server.listen("127.0.0.1", 0);
  expect(await outcome(address, credentialsOf(), headService.getCluster)).toBe("PERMISSION_DENIED");
});

test("AUTHORIZATION-4: a refused call reaches no handler, and its message is not read", async () => {
  const server = new GrpcServer(credentialsOf());
  onTestFinished(() => server.close(0));
  const seen: string[] = [];
  const shutdown: typeof headService.shutdown = {
    ...headService.shutdown,
    requestDeserialize: (bytes) => {
      seen.push("read");
      return headService.shutdown.requestDeserialize(bytes);
    },
  };
  const handler = unary(() => {
    seen.push("handled");
    return {};
  });
  server.addService({ shutdown }, { shutdown: handler });
  const address = await server.listen("127.0.0.1", 0);
  const as = (sent: string) => outcome(address, credentialsOf(undefined, sent), headService.shutdown);
  expect([await as("wrong"), await as(roleToken(token, "reader"))]).toEqual([
    "UNAUTHENTICATED",
    "PERMISSION_DENIED",
  ]);
  expect(seen).toEqual([]);
  expect(await as(token)).toBe("OK");
  expect(seen).toEqual(["read", "handled"]);
});

test("tokens derived from the cluster's have the rights of their role only", async () => {
  const address = await serve(credentialsOf());
  const as = (role: "driver" | "actor" | "reader", method: Method<object, object>) =>
    outcome(address, credentialsOf(undefined, roleToken(token, role)), method);
  expect(await as("reader", headService.getCluster)).toBe("OK");
  expect(await as("reader", headService.createActor)).toBe("PERMISSION_DENIED");
  expect(await as("actor", headService.createActor)).toBe("OK");
  expect(await as("actor", headService.shutdown)).toBe("PERMISSION_DENIED");
  expect(await as("driver", headService.shutdown)).toBe("OK");
});

test("CREDENTIALS-4: an actor sees a token of its callers that is good for calls of actors alone", async () => {
  const seen: string[] = [];
  const server = grpcNetwork({
    credentials: new Credentials(credentialsOf().grantFor("actor")),
  }).createServer();
  onTestFinished(() => server.close(0));
  servePart(server, actorHostService, {
    calls: (stream: ServerDuplexStream<object, object>) => {
      seen.push(String(stream.metadata.get("authorization")[0]).replace("Bearer ", ""));
      stream.write({});
      stream.end();
    },
  });
  const actor = await server.listen("127.0.0.1", 0);
  for (const role of ["cluster", "driver", "actor"] as const) {
    const sent = new Credentials({ token: roleToken(token, role), accepted: [] });
    const caller = grpcNetwork({ credentials: sent }).connect(actor, "calls");
    onTestFinished(() => caller.close());
    await once(
      caller.bidi(actorHostService.calls).on("error", () => undefined),
      "data",
    );
  }
  const head = await serve(credentialsOf());
  expect(new Set(seen).size).toBe(3);
  for (const collected of seen) {
    const thief = new Credentials({ token: collected, accepted: [] });
    expect(await outcome(head, thief, headService.getCluster)).toBe("PERMISSION_DENIED");
    expect(await outcome(head, thief, headService.createActor)).toBe("PERMISSION_DENIED");
  }
});

test("AUTHORIZATION-2: under TLS the certificate's role limits whoever holds the cluster's token", async () => {
  const address = await serve(credentialsOf("head"));
  expect(await outcome(address, credentialsOf("driver"), headService.shutdown)).toBe("OK");
  expect(await outcome(address, credentialsOf("reader"), headService.getCluster)).toBe("OK");
  expect(await outcome(address, credentialsOf("reader"), headService.shutdown)).toBe("PERMISSION_DENIED");
  expect(await outcome(address, credentialsOf("node"), headService.shutdown)).toBe("PERMISSION_DENIED");
  expect(await outcome(address, credentialsOf("driver", "another"), headService.getCluster)).toBe(
    "UNAUTHENTICATED",
  );
});

test("under TLS a peer without a certificate, or with one of another CA, is not let in, and a driver cannot pass for the head", async () => {
  const address = await serve(credentialsOf("head"));
  expect(await outcome(address, credentialsOf(), headService.getCluster)).toBe("UNAVAILABLE");
  const other = await makeAuthority("another cluster", 1);
  const pem = await issueCertificate(other, { role: "driver", name: "x", days: 1 });
  const stranger = { ...identityOf(authority, pem, "driver", "x") };
  expect(
    await outcome(address, Credentials.ofCluster(token, { tls: stranger }), headService.getCluster),
  ).toBe("UNAVAILABLE");
  const impostor = await serve(credentialsOf("node"));
  expect(await outcome(impostor, credentialsOf("driver"), headService.getCluster)).toBe("UNAVAILABLE");
});

test("AUTHORIZATION-3: a handler sees who calls, whatever the caller claims", async () => {
  const address = await serve(credentialsOf("head"));
  const peer = peerOf(address, credentialsOf("reader"));
  const { version } = (await peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 })) as {
    version: string;
  };
  expect(JSON.parse(version)).toMatchObject({
    tokenRole: "cluster",
    certificate: { role: "reader", name: "a reader" },
  });
});

test("each refused call and each administrative one makes a record without secrets", async () => {
  const records: CallRecord[] = [];
  const address = await serve(credentialsOf(), records);
  await outcome(address, credentialsOf(), headService.getCluster);
  await outcome(address, credentialsOf(undefined, "wrong"), headService.getCluster);
  await outcome(address, credentialsOf(undefined, roleToken(token, "reader")), headService.shutdown);
  await outcome(address, credentialsOf(), headService.shutdown);
  await outcome(address, credentialsOf(), headService.killActor);
  expect(records.map(({ method, outcome: code, refused }) => [method.split("/")[2], code, refused])).toEqual([
    ["GetCluster", "UNAUTHENTICATED", true],
    ["Shutdown", "PERMISSION_DENIED", true],
    ["Shutdown", "OK", false],
    ["KillActor", "NOT_FOUND", false],
  ]);
  expect(JSON.stringify(records)).not.toContain(token);
});

test("AUDIT-2: no line of the audit log holds a token: callers have a role and a digest's beginning", async () => {
  const folder = testFolder();
  const paths = auditPathsOf(folder);
  const log = new AuditLog(paths, {
    clock: systemClock,
    onError: (reason) => expect.unreachable(String(reason)),
  });
  const server = grpcNetwork({ credentials: credentialsOf(), onCall: log.record }).createServer();
  servePart(server, headService, headHandlers);
  onTestFinished(() => server.close(0));
  const address = await server.listen("127.0.0.1", 0);
  const derived = roleToken(token, "reader");
  for (const sent of [token, derived, "a stranger's guess"])
    await outcome(address, credentialsOf(undefined, sent), headService.shutdown);
  const lines = [paths.calls, paths.refusals].map((path) => readFileSync(path, "utf8")).join("");
  expect(lines.match(/"method"/g)).toHaveLength(3);
  expect(lines).toMatch(/"role":"cluster","tokenId":"[0-9a-f]+"/);
  for (const secret of [token, derived, "a stranger's guess"]) expect(lines).not.toContain(secret);
});

test("a request above the bound of its method is refused before it is decoded", async () => {
  const address = await serve(credentialsOf());
  const peer = peerOf(address, credentialsOf());
  const call = peer.unary(
    headService.resolveActor,
    { actorId: "x".repeat(headService.resolveActor.access.maxRequestBytes) },
    { timeoutMs: 600_000 },
  );
  await expect(call).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", retryable: false });
});

test("a connection that calls too often is told so, as an error that may be tried again", async () => {
  const server = new GrpcServer(credentialsOf(), { rate: { perSecond: 1, burst: 3, maxConnections: 10 } });
  onTestFinished(() => server.close(0));
  servePart(server, headService, headHandlers);
  const peer = peerOf(await server.listen("127.0.0.1", 0), credentialsOf());
  const call = () => peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
  for (let i = 0; i < 3; i++) await call();
  await expect(call()).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", retryable: true });
});

test("more connections than the bound are closed", async () => {
  const server = new GrpcServer(credentialsOf(), { maxConnections: 1 });
  onTestFinished(() => server.close(0));
  servePart(server, headService, headHandlers);
  const address = await server.listen("127.0.0.1", 0);
  expect(await outcome(address, credentialsOf(), headService.getCluster)).toBe("OK");
  expect(await outcome(address, credentialsOf(), headService.getCluster)).toBe("UNAVAILABLE");
});

test("CREDENTIALS-1: after a rotation both tokens are accepted until the grace has passed, then the new one only", async () => {
  let now = 0;
  const clock: Clock = { now: () => now, monotonicMs: () => now, after: () => () => undefined };
  const own = Credentials.ofCluster(token, { clock });
  const address = await serve(own);
  const client = credentialsOf();
  const peer = peerOf(address, client);
  const call = () => peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
  await call();
  own.rotate("the next token", 1_000);
  await call();
  expect(own.identify(`Bearer ${token}`)?.superseded).toBe(true);
  client.rotate("the next token", 1_000);
  await call();
  now = 1_001;
  await call();
  expect(await outcome(address, credentialsOf(), headService.getCluster)).toBe("UNAUTHENTICATED");
});

test("CREDENTIALS-2: an actor's process knows whom to believe and cannot speak for the cluster", () => {
  const member = Credentials.ofCluster(token);
  const grant = member.grantFor("actor");
  const actor = new Credentials(grant);
  expect(member.identify(actor.authorization)?.role).toBe("actor");
  expect(actor.identify(member.authorization)?.role).toBe("cluster");
  expect(actor.identify("Bearer wrong")).toBeUndefined();
  expect(JSON.stringify(grant)).not.toContain(token);
});
