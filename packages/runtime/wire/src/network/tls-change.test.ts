/** Tests certificates that are renewed or revoked while channels and servers are open. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerDuplexStream } from "@grpc/grpc-js";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import type { Role } from "../protocol/access.js";
import { headService } from "../protocol/services.js";
import { issueCertificate, makeAuthority, type Pem } from "../security/certificates.js";
import { Credentials } from "../security/credentials.js";
import { loadTls, revokedFile, type TlsIdentity, tlsFiles } from "../security/tls.js";
import { watchTls } from "../security/watch-tls.js";
import { grpcNetwork } from "./grpc-network.js";
import { servePart } from "./handlers.js";
import type { RpcServer } from "./network.js";
import { unary } from "./server.js";

let authority: Pem;
let folder: string;
let server: RpcServer;
let endings: (() => void)[];

beforeAll(async () => {
  authority = await makeAuthority("test", 1);
});
beforeEach(() => {
  folder = testFolder();
  endings = [];
});
afterEach(() => {
  for (const end of endings) end();
  server.kill();
});

/** Writes a new certificate of the role and returns its contents. */
async function issue(role: Role) {
  const pem = await issueCertificate(authority, { role, name: role, days: 1 });
  for (const [file, text] of [
    [tlsFiles.ca, authority.cert],
    [tlsFiles.key, pem.key],
    [tlsFiles.cert, pem.cert],
  ] as const)
    writeFileSync(join(folder, file), text);
  return loadTls(folder);
}

function serialOf({ cert }: TlsIdentity): string {
  return new X509Certificate(cert).serialNumber;
}

function headWith(credentials: Credentials): Promise<string> {
  server = grpcNetwork({ credentials }).createServer();
  servePart(server, headService, {
    // Answers with the certificate of its caller.
    getCluster: unary((_request, call) => ({
      clusterId: call.getAuthContext().sslPeerCertificate?.serialNumber ?? "",
    })),
    session: (stream: ServerDuplexStream<unknown, unknown>) => {
      stream.on("data", () => stream.write({ opened: {} }));
      stream.on("error", () => undefined);
    },
  });
  return server.listen("127.0.0.1", 0);
}

it("CONNECTIONS-1: a revoked certificate loses its open streams, and is let in no more; others stay", async () => {
  const head = Credentials.ofCluster("token", { tls: await issue("head") });
  const address = await headWith(head);
  const connect = async () => {
    const tls = await issue("driver");
    const peer = grpcNetwork({ credentials: Credentials.ofCluster("token", { tls }) }).connect(address);
    endings.push(() => peer.close());
    await peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
    const stream = peer.bidi(headService.session);
    const ended = new Promise<string>((resolve) => {
      stream.on("error", (error) => resolve(error.message));
    });
    stream.on("data", () => undefined);
    stream.write({});
    return { tls, peer, ended };
  };
  const stolen = await connect();
  const other = await connect();
  const serial = serialOf(stolen.tls);
  await issue("head");
  writeFileSync(join(folder, revokedFile), `# alice's laptop\n${serial.toLowerCase()}\n`);
  head.replaceTls(loadTls(folder));
  await stolen.ended;
  await expect(stolen.peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 })).rejects.toMatchObject({
    code: "UNAUTHENTICATED",
    message: expect.stringContaining("revoked"),
  });
  await other.peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 });
  expect(await Promise.race([other.ended, "open"])).toBe("open");
});

it("RENEWAL-1: a channel shows a renewed certificate with its next call, and keeps the streams that are open", async () => {
  const address = await headWith(Credentials.ofCluster("token", { tls: await issue("head") }));
  const before = await issue("driver");
  const own = Credentials.ofCluster("token", { tls: before });
  const peer = grpcNetwork({ credentials: own }).connect(address);
  endings.push(() => peer.close());
  const serialShown = async () =>
    (await peer.unary(headService.getCluster, {}, { timeoutMs: 600_000 })).clusterId;
  const stream = peer.bidi(headService.session);
  const events: unknown[] = [];
  stream.on("data", (event) => events.push(event));
  stream.on("error", (reason) => events.push(reason));
  stream.write({});
  await expect.poll(() => events.length).toBe(1);
  expect(await serialShown()).toBe(serialOf(before));
  const renewed = await issue("driver");
  own.replaceTls(renewed);
  expect(await serialShown()).toBe(serialOf(renewed));
  stream.write({});
  await expect.poll(() => events.length).toBe(2);
  expect(events).toMatchObject([{ opened: {} }, { opened: {} }]);
});

it("renewed files are read while a process runs, and its next connections show the new certificate", async () => {
  const credentials = Credentials.ofCluster("token", { tls: await issue("head") });
  const problems: unknown[] = [];
  const changed = new Promise<void>((resolve) => {
    const stop = watchTls({
      folder,
      pollMs: 10,
      onError: (reason) => problems.push(reason),
      onChange: (tls) => {
        credentials.replaceTls(tls);
        resolve();
      },
    });
    endings.push(stop);
  });
  const address = await headWith(credentials);
  const before = credentials.tls?.cert;
  // A key that does not belong to its certificate is refused.
  const { key } = await issueCertificate(authority, { role: "head", name: "head", days: 1 });
  writeFileSync(join(folder, tlsFiles.key), key);
  await expect.poll(() => problems.length).toBe(1);
  expect(credentials.tls?.cert).toBe(before);
  const renewed = await issue("head");
  await changed;
  const { connect } = await import("node:tls");
  const socket = connect({
    port: Number(address.split(":")[1]),
    ca: renewed.ca,
    cert: renewed.cert,
    key: renewed.key,
    ALPNProtocols: ["h2"],
    checkServerIdentity: () => undefined,
  });
  await once(socket, "secureConnect");
  expect(socket.getPeerCertificate().serialNumber).toBe(serialOf(renewed));
  socket.destroy();
});
