import type { Cluster, NodeInfo } from "@palimpsest/client";
import { expect, test } from "vitest";
import type { Member } from "./upgrade-plan.js";
import { UpgradeRun } from "./upgrade-run.js";

const protocols = { min: 1, max: 2 };
const standby: Member = {
  ...{ kind: "standby", id: "one:7379", host: "one", version: "0.1.0", protocols },
  ...{ step: 1, note: "" },
};
const worker: Member = { ...standby, kind: "node", id: "node-a", host: "pod-a" };

const notes: string[] = [];
const run = (
  cluster: object,
  member: Member,
  options: { restartCommand?: string; newHosts?: boolean; waitMs?: number; signal?: AbortSignal } = {},
) => {
  notes.length = 0;
  return new UpgradeRun(
    cluster as unknown as Cluster,
    { version: "0.2.0", protocols, rowVersion: 2 },
    {
      ...{ restartCommand: options.restartCommand, waitMs: options.waitMs ?? 60_000, deadlineMs: 1_000 },
      newHosts: options.newHosts ?? false,
      signal: options.signal ?? new AbortController().signal,
      onNote: (note) => void notes.push(note),
    },
  ).replace(member);
};
const noHeads = { heads: async () => [] };

test("a command that restarts a process is told when it fails, with what it wrote", async () => {
  const restartCommand = "echo no such unit >&2; exit 5";
  await expect(run(noHeads, standby, { restartCommand })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    rawMessage: expect.stringMatching(/ended with code 5: no such unit$/),
  });
});

test("a command that hangs is ended with its processes after --wait, and at once where the upgrade is stopped", async () => {
  const restartCommand = "sleep 1000 & wait";
  await expect(run(noHeads, standby, { restartCommand, waitMs: 100 })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    rawMessage: expect.stringMatching(/ended with SIGTERM .*\(--wait\)/),
  });
  const stopped = new AbortController();
  const running = run(noHeads, standby, { restartCommand, signal: stopped.signal });
  stopped.abort(new Error("stopped by the test"));
  await expect(running).rejects.toThrow("stopped by the test");
});

const total = { cpu: 4, gpu: 1, memory: 64e9 };
const node = (nodeId: string, hostname: string, changes: Partial<NodeInfo> = {}): Partial<NodeInfo> => ({
  ...{ nodeId, hostname, state: "alive", total, labels: { pool: "gpu", pod: hostname } },
  ...{ version: "0.2.0", protocols, ...changes },
});
const old = node("node-a", "pod-a", { version: "0.1.0" });

const cpuType = (changes: object) => ({
  ...{ name: "cpu", minNodes: 0, maxNodes: 4, running: 1, starting: 0, stopping: 0 },
  ...{ error: "", instances: [], ...changes },
});

/** A cluster whose one node is drained at once; these are there from then on. */
function pods(joined: readonly Partial<NodeInfo>[], more: object = {}) {
  let drained = 0;
  return {
    nodes: async () => (drained > 0 ? joined : [old]),
    drain: async () => ({ done: ++drained > 0 }),
    get drained() {
      return drained;
    },
    ...more,
  };
}

test("UPGRADE-3: more capacity that joins before the successor does not follow: what is elsewhere, or the autoscaler's", async () => {
  const elsewhere = node("node-s", "pod-s");
  await expect(run(pods([elsewhere]), worker, { waitMs: 10 })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    rawMessage: expect.stringMatching(
      /waited for a new node on pod-a; node-s on pod-s joined and follows only with --new-hosts.*goes on where it was/s,
    ),
  });
  const labels = { ...old.labels, "palimpsest.instance": "pod-s" };
  const autoscaled = node("node-s", "pod-s", { labels });
  await expect(run(pods([autoscaled]), worker, { waitMs: 10, newHosts: true })).rejects.toMatchObject({
    rawMessage: expect.stringContaining("pod-s joined from the autoscaler"),
  });
  await run(pods([autoscaled, elsewhere, node("node-b", "pod-a")]), worker);
});

test("UPGRADE-3: a node that comes back under another host name is known by its labels and what it offers", async () => {
  const newHosts = { newHosts: true };
  // Memory that is found out differs a little between machines.
  await run(pods([node("node-b", "pod-b", { total: { ...total, memory: 63e9 } })]), worker, newHosts);
  expect(notes.join("\n")).toContain(
    "waits for a new node on pod-a, or elsewhere with at least 4 cpu, 1 gpu, 64.0 GB memory and the labels pool=gpu",
  );
  await run(pods([node("node-b", "pod-a", { total: { cpu: 1 }, labels: {} })]), worker);
});

test("UPGRADE-3: a node that joined and is not the successor is named, with what it lacks and what to do", async () => {
  const other = node("node-b", "pod-b", { total: { cpu: 2, memory: 64e9 }, labels: { pool: "cpu" } });
  const options = { waitMs: 10, newHosts: true };
  await expect(run(pods([other]), worker, options)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    rawMessage: expect.stringMatching(
      /node node-a on pod-a is not back after 0 s.*node-b on pod-b joined with 2 cpu instead of 4, 0 gpu instead of 1, label pool=cpu instead of gpu.*start it.*--restart-command.*goes on where it was/s,
    ),
  });
  const stale = node("node-b", "pod-b", { version: "0.1.0" });
  await expect(run(pods([stale]), worker, options)).rejects.toMatchObject({
    rawMessage: expect.stringMatching(/still has version 0\.1\.0/),
  });
});

test("UPGRADE-3: a node that joins while the one that is drained still runs is no successor, unless it has its host", async () => {
  const dead = { ...old, state: "dead" as const, lastHeartbeatMs: 5_000 };
  const early = node("node-s", "pod-s", { joinedAtMs: 4_000 });
  const joined = (...others: readonly Partial<NodeInfo>[]) =>
    pods([], {
      nodes: async ({ states = ["alive", "dead"] }: { states?: readonly string[] } = {}) =>
        (cluster.drained === 0 ? [old] : [dead, early, ...others]).filter(({ state = "" }) =>
          states.includes(state),
        ),
    });
  let cluster = joined();
  await expect(run(cluster, worker, { waitMs: 10, newHosts: true })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    rawMessage: expect.stringMatching(
      /is not back.*node-s on pod-s joined while node node-a still ran.*start it/s,
    ),
  });
  cluster = joined(node("node-b", "pod-b", { joinedAtMs: 6_000 }));
  await run(cluster, worker, { newHosts: true });
  cluster = joined(node("node-b", "pod-a", { joinedAtMs: 5_000 }));
  await run(cluster, worker);
});

test("UPGRADE-3: another worker of the host that starts again meanwhile is not taken for the successor", async () => {
  const [other, otherAgain] = [node("node-o", "pod-a"), node("node-p", "pod-a")];
  const during = (...there: readonly Partial<NodeInfo>[]) =>
    pods([], { nodes: async () => (cluster.drained === 0 ? [old, other] : there) });
  let cluster = during(otherAgain);
  await expect(run(cluster, worker, { waitMs: 10 })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    rawMessage: expect.stringMatching(
      /is not back.*waited for a new node on pod-a; there are 1 instead of 2/s,
    ),
  });
  cluster = during(otherAgain, node("node-b", "pod-a"));
  await run(cluster, worker);
  cluster = during(other, node("node-b", "pod-a"));
  await run(cluster, worker);
});

test("UPGRADE-3: the successor of a node that an earlier run has drained is waited for", async () => {
  const times = { joinedAtMs: 1_000, lastHeartbeatMs: 5_000 };
  const left = { ...old, ...times, state: "dead" as const, isRestarting: true };
  const other = node("node-o", "pod-a", { joinedAtMs: 2_000, lastHeartbeatMs: 6_000 });
  const later = { lastHeartbeatMs: 9_000 };
  const cluster = (...there: readonly Partial<NodeInfo>[]) =>
    pods([], {
      nodes: async ({ states = ["alive", "dead"] }: { states?: readonly string[] } = {}) =>
        [left, ...there].filter(({ state = "" }) => states.includes(state)),
    });
  await expect(run(cluster(other), worker, { waitMs: 10 })).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const back = node("node-b", "pod-a", { joinedAtMs: 7_000, ...later });
  const done = cluster(other, back);
  await run(done, worker);
  expect(done.drained).toBe(0);
  expect(notes[0]).toBe("node node-a on pod-a has been drained");
  // The other one has started again as well, or nothing but that.
  const otherEnd = { ...other, state: "dead" as const };
  await expect(run(cluster(otherEnd, back), worker, { waitMs: 10 })).rejects.toMatchObject({
    rawMessage: expect.stringContaining("there are 1 instead of 2"),
  });
  await run(cluster(otherEnd, back, node("node-p", "pod-a", { joinedAtMs: 8_000, ...later })), worker);
});

test("a node that has left by itself is not waited for", async () => {
  const cluster = pods([], { nodes: async () => [{ ...old, state: "dead" }] });
  await run(cluster, worker);
  expect(cluster.drained).toBe(0);
  expect(notes).toEqual(["node node-a on pod-a has left by itself"]);
});

test("a node of the autoscaler that no request needs is not waited for", async () => {
  const labels = { "palimpsest.instance": "pod-a" };
  const kept = node("node-c", "pod-c", { labels: { "palimpsest.instance": "pod-c" } });
  const states = [
    { running: 2, starting: 0, stopping: 0 },
    { running: 1, starting: 0, stopping: 1 },
    { running: 1, starting: 0, stopping: 0 },
  ];
  const looks: unknown[] = [];
  const cluster = pods([kept], {
    nodes: async () =>
      [{ ...old, labels }, kept].filter(({ nodeId }) => cluster.drained === 0 || nodeId === "node-c"),
    summary: async () => {
      const state = states[Math.min(looks.length, states.length - 1)];
      looks.push(state);
      return {
        autoscaler: { types: [cpuType({ minNodes: 1, instances: ["pod-a", "pod-c"], ...state })], error: "" },
      };
    },
  });
  await run(cluster, worker);
  expect(looks).toEqual(states);
  expect(notes.at(-1)).toContain("no request needs");
});

test("UPGRADE-3: after a node of the autoscaler the next one waits until the autoscaler rests, whatever joined before", async () => {
  const labels = { "palimpsest.instance": "pod-a" };
  const joined = (name: string) => node(`node-${name}`, name, { labels: { "palimpsest.instance": name } });
  const steps = [
    { nodes: [], running: 0, starting: 2, stopping: 0 },
    { nodes: [joined("pod-s")], running: 1, starting: 1, stopping: 0 },
    { nodes: [joined("pod-s"), joined("pod-a")], running: 2, starting: 0, stopping: 0 },
  ];
  let looks = 0;
  const step = () => steps[Math.min(looks, steps.length - 1)];
  const cluster = pods([], {
    nodes: async () => (cluster.drained === 0 ? [{ ...old, labels }] : step()?.nodes),
    summary: async () => {
      const { nodes: _, ...state } = step() ?? {};
      looks++;
      return { autoscaler: { types: [cpuType({ instances: ["pod-a", "pod-s"], ...state })], error: "" } };
    },
  });
  await run(cluster, worker);
  expect(looks).toBe(steps.length);
});

test("UPGRADE-3: after a node of the autoscaler other types than its own may start nodes and fail", async () => {
  const labels = { "palimpsest.instance": "pod-a" };
  const back = node("node-b", "pod-a", { labels });
  const upgraded = (own: object, error = "") => {
    const cluster = pods([], {
      nodes: async () => (cluster.drained === 0 ? [{ ...old, labels }] : [back]),
      summary: async () => ({
        autoscaler: {
          types: [
            cpuType({ instances: ["pod-a"], ...own }),
            cpuType({ name: "gpu", instances: ["gpu-1"], running: 0, starting: 1, error: "no quota" }),
          ],
          error: `gpu: no quota${error}`,
        },
      }),
    });
    return run(cluster, worker, { waitMs: 10 });
  };
  await upgraded({});
  for (const own of [
    { error: "no image" },
    { starting: 1 },
    { stopping: 1 },
    { running: 2 },
    { minNodes: 2 },
  ])
    await expect(upgraded(own)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  // Of a node that the autoscaler does not know nobody can say which type is its own.
  await expect(upgraded({ instances: [] })).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

test("UPGRADE-3: a node of the autoscaler that comes back with the old version is no successor, whatever its instance is called", async () => {
  const labels = { "palimpsest.instance": "cpu-7" };
  const back = (version: string) =>
    node("node-b", "pod-b", { version, labels: { "palimpsest.instance": "cpu-8" } });
  const upgraded = (version: string) => {
    const cluster = pods([], {
      nodes: async () => (cluster.drained === 0 ? [{ ...old, labels }] : [back(version)]),
      summary: async () => ({
        autoscaler: {
          types: [cpuType({ instances: ["cpu-7", "cpu-8"] })],
          error: "",
        },
      }),
    });
    return run(cluster, worker, { waitMs: 10 });
  };
  await expect(upgraded("0.1.0")).rejects.toMatchObject({
    rawMessage: expect.stringMatching(/still has version 0\.1\.0/),
  });
  await upgraded("0.2.0");
});

test("UPGRADE-4: a standby that comes back under another address is known, and a head that does not is told where to look", async () => {
  const at = (address: string, version: string) => ({
    ...{ address, leads: false, isReachable: true, version, protocols, rowVersion: 2 },
  });
  let looks = 0;
  const heads = async () => (looks++ === 0 ? [at("one:7379", "0.1.0")] : [at("two:7379", "0.2.0")]);
  await run({ heads }, standby, { restartCommand: "true" });
  const alone = { heads: async () => [], info: async () => ({ epoch: 4 }) };
  const head: Member = { ...standby, kind: "head" };
  await expect(run(alone, head, { restartCommand: "true", waitMs: 10 })).rejects.toMatchObject({
    rawMessage: expect.stringMatching(/head one:7379 on one is not back.*--address/s),
  });
});
