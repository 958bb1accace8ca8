/**
 * Tests that nodes come and go with the load. A head with --autoscale, its nodes and their workers are processes of the
 * command.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isAlive } from "./support/processes.js";
import * as functions from "./support/task-functions.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

const source = { from: new URL("./support/task-functions.ts", import.meta.url) };
const autoscale = `
provider:
  kind: local
nodeTypes:
  small:
    resources: { cpu: 2, memory: 1000000000 }
    labels: { pool: small }
    maxNodes: 2
idleMs: 2000
intervalMs: 200
`;

let cluster: TestCluster | undefined;
afterEach(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const nodes = async () =>
  (await cluster?.client.nodes())?.filter(({ state }) => state === "alive").map(({ nodeId }) => nodeId) ?? [];
const pids = (headDir: string) =>
  readdirSync(join(headDir, "autoscaled")).map((name) => {
    const path = join(headDir, "autoscaled", name, "instance.json");
    return (JSON.parse(readFileSync(path, "utf8")) as { pid: number }).pid;
  });

test("tasks that wait get nodes, which outlive their head and leave when they are idle", async () => {
  cluster = await TestCluster.start({
    workers: 0,
    headFlags: ["--autoscale", "$DIR/autoscale.yaml"],
    files: { "autoscale.yaml": autoscale },
  });
  const { client, headDir } = cluster;
  expect(await nodes()).toEqual([]);
  const pause = client.task(functions.pause, source, { labels: { pool: "small" } });
  const done = Promise.all(Array.from({ length: 12 }, () => pause(1_500)));
  const never = client.task(functions.pause, source, { resources: { cpu: 64 } });
  never(1).catch(() => undefined);
  await until("two nodes come", async () => (await nodes()).length === 2);
  const before = pids(headDir);
  cluster.head.kill("SIGKILL");
  await cluster.head.ended;
  await cluster.startHead();
  expect(await done).toHaveLength(12);
  // The new head has taken over the nodes of the previous head.
  expect(pids(headDir).sort()).toEqual(before.sort());
  const status = await until("the status says what cannot come", async () => {
    const { stdout } = await (cluster as TestCluster).run(["status"]);
    return stdout.includes("no node will come") && stdout;
  });
  expect(status).toMatch(/autoscaler \(local\): small \d running.* \(0 to 2\)/);
  expect(status).toMatch(/no node will come for 1 of 64 cpu: no node type could hold it/);
  await until("idle nodes leave", async () => (await nodes()).length === 0);
  await until("their processes end", () => !before.some(isAlive));
  await until("their folders are gone", () => readdirSync(join(headDir, "autoscaled")).length === 0);
});

test("what an idle node alone holds is moved before it leaves (SCALING-2)", async () => {
  cluster = await TestCluster.start({
    headFlags: ["--autoscale", "$DIR/autoscale.yaml"],
    files: { "autoscale.yaml": autoscale },
  });
  const { client } = cluster;
  const before = await until("the worker is known", async () => {
    const ids = await nodes();
    return ids.length === 1 && ids;
  });
  const ref = await client.task(functions.large, source, { labels: { pool: "small" } }).ref(200_000);
  expect(await nodes()).toHaveLength(2);
  await until("the idle node leaves", async () => (await nodes()).length === 1);
  expect(await nodes()).toEqual(before);
  expect(await client.get(ref)).toHaveLength(200_000);
  const kinds = (await client.events()).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind.startsWith("drain"))).toEqual(["drain ended", "drain began"]);
});

test("a cluster that is stopped takes its nodes with it; a file that is wrong is refused by field", async () => {
  cluster = await TestCluster.start({
    workers: 0,
    headFlags: ["--autoscale", "$DIR/autoscale.yaml"],
    files: {
      "autoscale.yaml": autoscale.replace("maxNodes: 2", "minNodes: 1\n    maxNodes: 2"),
      "wrong.yaml": autoscale.replace("maxNodes: 2", "maxNodes: 2\n    minNodes: 3"),
    },
  });
  await until("the least node comes", async () => (await nodes()).length === 1);
  const started = await cluster.run([
    "head",
    "start",
    "--data-dir",
    join(cluster.dir, "other"),
    "--autoscale",
    "wrong.yaml",
  ]);
  expect([started.code, started.stderr]).toEqual([2, expect.stringContaining("minNodes is above maxNodes")]);
  // afterEach checks that nothing outlives the stop.
});
