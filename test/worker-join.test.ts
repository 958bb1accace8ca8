import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

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

test("a worker says that it has joined when the head lists it, and not before", async () => {
  const cluster = await TestCluster.start({ workers: 0 });
  try {
    const link = await heldConnection(cluster.address);
    const worker = cluster.start([
      ...["worker", "join", "--address", link.address, "--token", cluster.token, "--cpus", "1"],
      ...["--node-dir", join(cluster.dir, "late-node")],
    ]);
    await until("it talks to its head", link.asked);
    expect(worker.output).toBe("");
    expect(await cluster.client.nodes()).toEqual([]);
    link.release();
    await until("it says that it has joined", () => worker.output.includes("joined"));
    expect(await cluster.client.nodes()).toMatchObject([{ state: "alive" }]);
    link.close();
  } finally {
    expect(await cluster.stop()).toEqual([]);
  }
});
