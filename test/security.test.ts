/** Every listening socket of every process of a running cluster, with TLS and without, against strangers and readers. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { hashedEmbedder, MemoryStore, RedisArchive } from "@palimpsest/memory";
import {
  actorHostService,
  type ChannelKind,
  Credentials,
  contextOf,
  fromGrpcError,
  grpcNetwork,
  headService,
  jobsService,
  loadTls,
  type Method,
  nodeLinkService,
  objectsService,
  roleToken,
  type TlsIdentity,
} from "@palimpsest/wire";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listeningPorts } from "./support/sockets.js";
import { TestCluster } from "./support/test-cluster.js";
import { WordCounter } from "./support/word-counter.js";

const host = "127.0.0.1";
/** A server of another protocol may wait for more than a stranger sends. */
const answerTimeoutMs = 2_000;
const services = [headService, jobsService, objectsService, nodeLinkService, actorHostService];
const methods: Method<object, object>[] = services.flatMap((service) => Object.values(service));

describe.each([
  { name: "with TLS", tls: true },
  { name: "without TLS", tls: false },
])("a cluster $name", ({ tls }) => {
  let cluster: TestCluster;
  let ports: number[];

  beforeAll(async () => {
    cluster = await TestCluster.start({ tls });
    const counters = cluster.client.actor(WordCounter, {
      from: new URL("./support/word-counter.ts", import.meta.url),
    });
    await (await counters.spawn()).add("one word");
    ports = cluster.processes().flatMap(listeningPorts);
  });
  afterAll(async () => {
    expect(await cluster?.stop()).toEqual([]);
  });

  const everywhere = (ask: (port: number, secure: boolean) => Promise<void>) =>
    Promise.all(ports.flatMap((port) => [ask(port, false), ask(port, true)]));

  test("head, Redis, node and actor listen", () => {
    // The head's RPCs and page, Redis, the node's objects and page, the actor's calls and page.
    expect(ports.length).toBeGreaterThanOrEqual(7);
  });

  test("no socket tells anything to an HTTP peer without credentials", async () => {
    await everywhere(async (port, secure) => {
      for (const path of ["/metrics", "/healthz", "/targets"]) {
        const status = await httpStatus(port, path, secure);
        expect(status, `${port} ${path}`).toBeOneOf([401, "closed"]);
      }
    });
  });

  test("no socket answers a Redis peer without credentials", async () => {
    await everywhere(async (port, secure) => {
      const answer = await speak(port, "PING\r\nINFO\r\nKEYS *\r\n", secure);
      expect(answer).not.toMatch(/PONG|redis_version|palimpsest:/);
    });
  });

  test("no socket answers an RPC without credentials, or with a wrong token", async () => {
    await everywhere(async (port, secure) => {
      if (secure) return;
      for (const method of [headService.getCluster, objectsService.stat, actorHostService.calls]) {
        const code = await callCode(port, method, Credentials.ofCluster("wrong"));
        // A server without the method, or of another protocol, says so in other words.
        expect(code, `${port} ${method.path}`).not.toBe("OK");
      }
    });
  });

  test("a reader may look and change nothing: every other method of every service is refused", async () => {
    const identity = tls ? loadTls(cluster.certificates("reader")) : undefined;
    // Under TLS with the cluster's own token: the certificate alone must hold it back.
    const token = tls ? cluster.token : roleToken(cluster.token, "reader");
    const own = Credentials.ofCluster(token, { tls: identity });
    const headPort = Number(cluster.address.split(":")[1]);
    expect(await callCode(headPort, headService.listNodes, own)).toBe("OK");
    const denied = new Set<string>();
    await everywhere(async (port, secure) => {
      if (secure) return;
      for (const method of methods) {
        if (method.access.roles.includes("reader")) continue;
        const code = await callCode(port, method, own);
        expect(code, `${port} ${method.path}`).not.toBe("OK");
        if (code === "PERMISSION_DENIED") denied.add(method.path);
      }
    });
    // Somewhere each of them is served, and refused for the role: nowhere is it just absent.
    const wanted = methods.filter(({ access }) => !access.roles.includes("reader")).map(({ path }) => path);
    expect([...denied].sort()).toEqual(wanted.sort());
  });

  test("nobody who looks is told an actor's arguments or environment", async () => {
    const counters = cluster.client.actor(
      WordCounter,
      { from: new URL("./support/word-counter.ts", import.meta.url) },
      { environment: { SECRET: "of-this-actor" } },
    );
    await (await counters.spawn(7_654_321)).count("any");
    const token = tls ? cluster.token : roleToken(cluster.token, "reader");
    const identity = tls ? loadTls(cluster.certificates("reader")) : undefined;
    const credentials = Credentials.ofCluster(token, { tls: identity });
    const peer = grpcNetwork({ credentials }).connect(cluster.address);
    const { actors } = await peer.unary(headService.listActors, {}, { timeoutMs: 10_000 });
    peer.close();
    expect(actors).toHaveLength(2);
    for (const { spec } of actors ?? []) {
      expect(spec?.environment ?? {}).toEqual({});
      expect(spec?.args ?? []).toHaveLength(0);
    }
  });

  test("the Redis user of runs keeps memory archives", async () => {
    const { redisUrl } = await cluster.client.info();
    expect(redisUrl.startsWith("rediss://")).toBe(tls);
    const archive = await RedisArchive.connect({ url: redisUrl });
    await archive.save("alice", await MemoryStore.of([], hashedEmbedder()));
    expect(await archive.names()).toEqual(["alice"]);
    expect(await archive.delete("alice")).toBe(true);
    await archive.close();
  });

  test("the line that the head prints for its metrics works in a shell, and status names the page's scheme", async () => {
    const line = /^metrics +(curl .*)$/m.exec(cluster.head.output)?.[1] ?? "";
    const { stdout } = await promisify(execFile)("sh", ["-c", `${line} --silent --fail`], {
      timeout: 20_000,
    });
    expect(stdout).toContain("palimpsest_");
    const status = await cluster.run(["status", "--tls", cluster.certificates("reader")]);
    expect(status.stdout).toContain(`metrics ${tls ? "https" : "http"}://127.0.0.1:`);
  });

  test("Prometheus reads every page with what readers have", async () => {
    const authorization = `Bearer ${readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim()}`;
    const identity = tls ? loadTls(cluster.certificates("reader")) : undefined;
    const statuses = await Promise.all(
      ports.map((port) => httpStatus(port, "/metrics", tls, tls ? undefined : authorization, identity)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  });
});

function httpStatus(
  port: number,
  path: string,
  secure: boolean,
  authorization?: string,
  identity?: TlsIdentity,
): Promise<number | "closed"> {
  return new Promise((resolve) => {
    const options = {
      host,
      port,
      path,
      timeout: answerTimeoutMs,
      agent: false,
      headers: authorization ? { authorization } : {},
    };
    const peer = secure
      ? secureRequest({ ...options, rejectUnauthorized: false, ...(identity ? contextOf(identity) : {}) })
      : request(options);
    peer.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    peer.on("error", () => resolve("closed"));
    peer.on("timeout", () => peer.destroy());
    peer.end();
  });
}

/** What a socket answers to a line, until it closes or says something that ends in a line. */
function speak(port: number, text: string, secure: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = secure
      ? connectTls({ host, port, rejectUnauthorized: false, timeout: answerTimeoutMs })
      : connectSocket({ host, port, timeout: answerTimeoutMs });
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
      if (answer.split("\r\n").length > 3) socket.destroy();
    });
    for (const event of ["error", "timeout", "close"]) {
      socket.on(event, () => {
        socket.destroy();
        resolve(answer);
      });
    }
    // Servers of HTTP/2 wait for more of a preface that does not come.
    socket.write(text, () => socket.end());
  });
}

/** Code of the answer to a stream of that method with one empty message; the port is asked as the service's own kind. */
async function callCode(port: number, method: Method<object, object>, own: Credentials): Promise<string> {
  const peer = grpcNetwork({ credentials: own }).connect(`${host}:${port}`, kindOf(method));
  try {
    return await new Promise<string>((resolve) => {
      const call = peer.bidi(method, { timeoutMs: answerTimeoutMs });
      call.on("error", (reason) => resolve(fromGrpcError(reason).code));
      call.on("data", () => undefined);
      call.on("end", () => resolve("OK"));
      call.write({});
      call.end();
    });
  } finally {
    peer.close();
  }
}

function kindOf({ path }: Method<object, object>): ChannelKind {
  if (path.includes(".ActorHost/")) return "calls";
  return path.includes(".Objects/") ? "bulk" : "control";
}
