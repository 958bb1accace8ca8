import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromGrpcError, grpcNetwork, nodeLinkService, ownProtocols, softwareVersion } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { wordCounters } from "./support/counted-words.js";
import { testFolder } from "./support/temporary-folder.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

/** Returns a range of ports above one that is free, of which other programs may have some. */
async function somePorts() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const first = Math.min(typeof address === "object" && address ? address.port : 0, 65_000);
  server.close();
  return { first, last: first + 100 };
}

/** A proxy between a worker and the head that lets nothing through until the test allows it. */
async function heldConnection(to: string) {
  const [host, port] = to.split(":");
  const held: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    held.push(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    address: `127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    /** Whether the worker has begun to send to its head. */
    asked: () => held.some(({ readableLength }) => readableLength > 0),
    release(): void {
      server.removeAllListeners("connection");
      const pass = (socket: Socket) => {
        const head = connect(Number(port), host);
        head.on("error", () => socket.destroy());
        socket.on("error", () => head.destroy());
        socket.pipe(head).pipe(socket);
      };
      server.on("connection", pass);
      for (const socket of held) pass(socket);
    },
    close: () => server.close(),
  };
}

test("a worker says that it waits, and that it has joined when the head lists it; its folder takes no second one", async () => {
  const cluster = await TestCluster.start({ workers: 0 });
  try {
    const link = await heldConnection(cluster.address);
    const { first, last } = await somePorts();
    const worker = cluster.start([
      ...["worker", "join", "--address", link.address, "--token", cluster.token, "--cpus", "1"],
      ...["--node-dir", join(cluster.dir, "late-node")],
      ...["--actor-ports", `${first}-${last}`],
    ]);
    await until("it talks to its head", link.asked);
    await until("it says that it waits", () =>
      worker.output.includes(`waiting for the head at ${link.address}`),
    );
    expect(worker.output).not.toMatch(/joined|process 1/);
    expect(await cluster.client.nodes()).toEqual([]);
    link.release();
    await until("it says that it has joined", () => worker.output.includes("joined"));
    expect(await cluster.client.nodes()).toMatchObject([{ state: "alive" }]);
    const counter = await cluster.client.actor(wordCounters).spawn();
    expect(await counter.add("word")).toBe(1);
    const { address, metricsAddress } = await counter.info();
    for (const port of [address, metricsAddress].map((one) => Number(one.split(":")[1]))) {
      expect(port).toBeGreaterThanOrEqual(first);
      expect(port).toBeLessThanOrEqual(last);
    }
    const second = await cluster.run([
      ...["worker", "join", "--address", cluster.address, "--token", cluster.token],
      ...["--node-dir", join(cluster.dir, "late-node")],
    ]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`belongs to a worker that runs, pid ${worker.pid}`);
    link.close();
    const network = grpcNetwork({ token: cluster.token });
    const peer = network.connect(cluster.address);
    const other = peer.bidi(nodeLinkService.link);
    other.write({ register: { nodeId: "node-other", version: "9.1.4" } });
    // What names no protocols speaks the first one, whatever its software's version is.
    const [{ registered }] = await once(other, "data");
    expect(registered).toMatchObject({ version: softwareVersion(), protocols: ownProtocols() });
    other.write({ goodbye: {} });
    other.end();
    await once(other, "end");
    const late = peer.bidi(nodeLinkService.link, { metadata: { "palimpsest-protocols": "7-8" } });
    late.write({ register: { nodeId: "node-late" } });
    const [refusal] = await once(late, "error");
    expect(fromGrpcError(refusal)).toMatchObject({
      code: "PROTOCOL_MISMATCH",
      message: expect.stringMatching(
        /the caller of NodeLink\.Link speaks protocols 7 to 8, the head protocols .*upgrade the head/,
      ),
    });
    peer.close();
    const status = await cluster.run([
      "status",
      "--address",
      cluster.address,
      "--token",
      cluster.token,
      "--json",
    ]);
    expect(JSON.parse(status.stdout)).toMatchObject({
      head: { version: softwareVersion() },
      nodes: expect.arrayContaining([
        expect.objectContaining({ version: softwareVersion(), state: "alive" }),
      ]),
    });
  } finally {
    expect(await cluster.stop()).toEqual([]);
  }
});

const cliEntry = fileURLToPath(new URL("../packages/apps/cli/bin/palimpsest.js", import.meta.url));
/** Makes a program the first process of a namespace of its own, as a container does. */
const alone = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", process.execPath];
const mayMakeNamespaces = spawnSync("unshare", [...alone, "--version"]).status === 0;

test.skipIf(!mayMakeNamespaces)("a worker that is process 1 warns that it collects no orphans", async () => {
  const folder = testFolder();
  const args = ["worker", "join", "--address", "127.0.0.1:1", "--token", "none", "--node-dir", folder];
  const worker = spawn("unshare", [...alone, cliEntry, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(worker, "close");
  let output = "";
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  try {
    await until("it waits", () => output.includes("waiting for the head"), { explain: () => output });
    expect(
      output.match(/this worker is process 1 of its container and collects no orphans.*--init/g),
    ).toHaveLength(1);
  } finally {
    worker.kill("SIGKILL");
    await ended;
  }
});
