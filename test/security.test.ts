/**
 * Tests every listening socket of every process of a running cluster, with and without TLS, against strangers and
 * readers.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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
  nodeLogsService,
  objectsService,
  requestsService,
  roleToken,
  type TlsIdentity,
} from "@palimpsest/wire";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listeningPorts } from "./support/sockets.js";
import { TestCluster } from "./support/test-cluster.js";
import { WordCounter } from "./support/word-counter.js";

const host = "127.0.0.1";
/**
 * A server of another protocol may wait for more bytes than a stranger sends. A busy machine may take longer than these
 * times: what must be answered is asked again.
 */
const answerTimeoutMs = 2_000;
const callTimeoutMs = 10_000;
const services = [
  headService,
  jobsService,
  objectsService,
  nodeLogsService,
  nodeLinkService,
  actorHostService,
  requestsService,
];
const methods: Method<object, object>[] = services.flatMap((service) => Object.values(service));
const protos = fileURLToPath(new URL("../protos/palimpsest/v1/", import.meta.url));

test("the methods that are tried are those of the protos, none left out", () => {
  const written = readdirSync(protos).flatMap((name) =>
    [...readFileSync(join(protos, name), "utf8").matchAll(/^service (\w+) \{(.*?)^\}/gms)].flatMap(
      ([, service, body]) =>
        [...(body ?? "").matchAll(/\brpc (\w+)\(/g)].map(
          ([, method]) => `/palimpsest.v1.${service}/${method}`,
        ),
    ),
  );
  expect(methods.map(({ path }) => path).sort()).toEqual(written.sort());
});

describe.each([
  { name: "with TLS", tls: true },
  { name: "without TLS", tls: false },
])("a cluster $name", ({ tls }) => {
  let cluster: TestCluster;
  let ports: number[];
  let inspectorPort: number;
  const tlsFlags = (role: string) => (tls ? ["--tls", cluster.certificates(role)] : []);

  beforeAll(async () => {
    cluster = await TestCluster.start({ tls });
    const counters = cluster.client.actor(WordCounter, {
      from: new URL("./support/word-counter.ts", import.meta.url),
    });
    const counter = await counters.spawn();
    await counter.add("one word");
    // Reading an actor's stack opens its inspector, which listens from then on.
    const before = cluster.processes().flatMap(listeningPorts);
    const [actor] = await cluster.client.actors();
    const stack = await cluster.run(["stack", actor?.actorId ?? "", ...tlsFlags("driver")]);
    expect(stack.stdout, stack.stderr).toContain("waits for events");
    ports = cluster.processes().flatMap(listeningPorts);
    const opened = ports.filter((port) => !before.includes(port));
    expect(opened).toHaveLength(1);
    inspectorPort = opened[0] ?? 0;
  });
  afterAll(async () => {
    expect(await cluster?.stop()).toEqual([]);
  });

  const everywhere = (ask: (port: number, secure: boolean) => Promise<void>) =>
    Promise.all(ports.flatMap((port) => [ask(port, false), ask(port, true)]));

  test("head, Redis, node and actor listen", () => {
    // The ports are those of the head's RPCs, page and dashboard, Redis, the node's objects and page, and the actor's
    // calls, page and inspector.
    expect(ports).toHaveLength(9);
  });

  test("no socket tells anything to an HTTP peer without credentials", async () => {
    await everywhere(async (port, secure) => {
      const paths = ["/metrics", "/healthz", "/targets", "/json", "/json/list", "/json/version"];
      const statuses = await Promise.all(paths.map((path) => httpStatus(port, path, secure)));
      for (const [at, path] of paths.entries()) {
        const status = statuses[at];
        // An inspector answers nothing to a client that does not know the random path of its session.
        const nothing = port === inspectorPort ? [404, 400] : [401];
        expect(status, `${port} ${path}`).toBeOneOf([...nothing, "closed"]);
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
        // A server without the method, or of another protocol, refuses with other codes.
        expect(code, `${port} ${method.path}`).not.toBe("OK");
      }
    });
  });

  test("each process that refuses writes a line of it: head, node and actor", async () => {
    const stranger = Credentials.ofCluster("wrong", {
      tls: tls ? loadTls(cluster.certificates("reader")) : undefined,
    });
    const asked = [headService.getCluster, objectsService.stat, actorHostService.calls];
    const refusals = new Set<string>();
    await expect
      .poll(async () => {
        const codes = await Promise.all(ports.map((port) => callCodes(port, asked, stranger)));
        for (const [path, code] of codes.flatMap((answers) => [...answers]))
          if (code === "UNAUTHENTICATED") refusals.add(path);
        return refusals.size;
      })
      .toBe(asked.length);
    const logs = join(cluster.dir, "node-1", "logs");
    const ofActor = readdirSync(logs).find((name) => name.endsWith(".refused.log")) ?? "";
    const files = {
      [headService.getCluster.path]: join(cluster.headDir, "refused.log"),
      [objectsService.stat.path]: join(cluster.dir, "node-1", "refused.log"),
      [actorHostService.calls.path]: join(logs, ofActor),
    };
    for (const [method, path] of Object.entries(files)) {
      const lines = readFileSync(path, "utf8").trim().split("\n");
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ method, refused: true, outcome: "UNAUTHENTICATED" }),
      );
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    // Refused calls are not recorded among the administrative calls.
    const audit = readFileSync(join(cluster.headDir, "audit.log"), "utf8").trim().split("\n");
    expect(audit.map((line) => JSON.parse(line).refused)).not.toContain(true);
  });

  test("a reader may look and change nothing: every other method of every service is refused", async () => {
    const identity = tls ? loadTls(cluster.certificates("reader")) : undefined;
    // The attempt uses TLS and the cluster's own token, so that only the certificate can be the reason for the refusal.
    const token = tls ? cluster.token : roleToken(cluster.token, "reader");
    const own = Credentials.ofCluster(token, { tls: identity });
    const headPort = Number(cluster.address.split(":")[1]);
    await expect.poll(() => callCode(headPort, headService.listNodes, own)).toBe("OK");
    const denied = new Set<string>();
    const changing = methods.filter(({ access }) => !access.roles.includes("reader"));
    const carriedOut = new Set<string>();
    const tryAll = async () => {
      const answers = await Promise.all(ports.map((port) => callCodes(port, changing, own)));
      for (const [path, code] of answers.flatMap((codes) => [...codes])) {
        if (code === "OK") carriedOut.add(path);
        // Actors expect a token in a form for calls, and no form of the readers' token is accepted by an actor.
        const isCall = Object.values(actorHostService).some((method) => method.path === path);
        const unknown = isCall && code === "UNAUTHENTICATED";
        if (code === "PERMISSION_DENIED" || unknown) denied.add(path);
      }
      return [...denied].sort();
    };
    // Each of these methods is served somewhere and refused for the role: none is merely absent everywhere.
    await expect.poll(tryAll).toEqual(changing.map(({ path }) => path).sort());
    expect([...carriedOut]).toEqual([]);
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
    const { actors } = await peer.unary(headService.listActors, {}, { timeoutMs: 600_000 });
    peer.close();
    expect(actors).toHaveLength(2);
    for (const { spec } of actors ?? []) {
      expect(spec?.environment ?? {}).toEqual({});
      expect(spec?.args ?? []).toHaveLength(0);
    }
  });

  test("the line that the head prints for its metrics works in a shell, and status names the page's scheme", async () => {
    const line = /^metrics +(curl .*)$/m.exec(cluster.head.output)?.[1] ?? "";
    const { stdout } = await promisify(execFile)("sh", ["-c", `${line} --silent --fail`], {
      timeout: 600_000,
    });
    expect(stdout).toContain("palimpsest_");
    const status = await cluster.run(["status", ...tlsFlags("reader")]);
    expect(status.stdout).toContain(`metrics ${tls ? "https" : "http"}://127.0.0.1:`);
  });

  test("the dashboard wants a token, and under TLS a certificate beside it", async () => {
    const facts: { dashboardAddress: string } = JSON.parse(
      readFileSync(join(cluster.headDir, "head.json"), "utf8"),
    );
    const port = Number(facts.dashboardAddress.split(":").at(-1));
    const authorization = `Bearer ${readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim()}`;
    const identity = tls ? loadTls(cluster.certificates("reader")) : undefined;
    const ask = (given?: string, certificate?: TlsIdentity) =>
      httpStatus(port, "/api/summary", tls, given, certificate);
    await expect.poll(() => ask(authorization, identity)).toBe(200);
    await expect.poll(() => ask(undefined, identity)).toBe(401);
    await expect.poll(() => ask("Bearer another", identity)).toBe(401);
    if (tls) expect(await ask(authorization)).toBe("closed");
  });

  test("Prometheus reads every page with what readers have", async () => {
    const authorization = `Bearer ${readFileSync(join(cluster.headDir, "reader-token"), "utf8").trim()}`;
    const identity = tls ? loadTls(cluster.certificates("reader")) : undefined;
    const readable = async () => {
      const statuses = await Promise.all(
        ports.map((port) => httpStatus(port, "/metrics", tls, tls ? undefined : authorization, identity)),
      );
      return statuses.filter((status) => status === 200).length;
    };
    await expect.poll(readable).toBe(3);
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

/** Sends a line to a socket and returns its answer, up to its close or the end of a line. */
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
    // HTTP/2 servers would wait for the rest of a preface that does not come.
    socket.write(text, () => socket.end());
  });
}

/** Returns the status code of a stream of that method with one empty message. */
async function callCode(port: number, method: Method<object, object>, own: Credentials): Promise<string> {
  return (await callCodes(port, [method], own)).get(method.path) ?? "";
}

/** Returns the status codes of many methods by path; the port is called as the kind of server that has the method. */
async function callCodes(
  port: number,
  wanted: readonly Method<object, object>[],
  own: Credentials,
): Promise<ReadonlyMap<string, string>> {
  const network = grpcNetwork({ credentials: own });
  const peers = new Map(
    (["control", "calls", "bulk"] as const).map((kind) => [kind, network.connect(`${host}:${port}`, kind)]),
  );
  const codeOf = (method: Method<object, object>) =>
    new Promise<readonly [string, string]>((resolve) => {
      const call = peers.get(kindOf(method))?.bidi(method, { timeoutMs: callTimeoutMs });
      call?.on("error", (reason) => resolve([method.path, fromGrpcError(reason).code]));
      call?.on("data", () => undefined);
      call?.on("end", () => resolve([method.path, "OK"]));
      call?.write({});
      call?.end();
    });
  try {
    return new Map(await Promise.all(wanted.map(codeOf)));
  } finally {
    for (const peer of peers.values()) peer.close();
  }
}

function kindOf({ path }: Method<object, object>): ChannelKind {
  if (path.includes(".ActorHost/")) return "calls";
  return path.includes(".Objects/") ? "bulk" : "control";
}
