import type { HeadInfo, NodeInfo } from "@palimpsest/client";
import { expect, test } from "vitest";
import { type Target, upgradePlan } from "./upgrade-plan.js";

const target: Target = { version: "0.2.0", protocols: { min: 2, max: 3 }, rowVersion: 3 };
const before = { version: "0.1.0", protocols: { min: 1, max: 2 } };
const own = { version: "0.2.0", protocols: { min: 2, max: 3 } };

const head = (address: string, given: Partial<HeadInfo> = {}): HeadInfo => ({
  ...{ address, leads: false, isReachable: true, rowVersion: 2, ...before, ...given },
});
const node = (nodeId: string, given: Partial<NodeInfo> = {}) =>
  ({ nodeId, hostname: `host-of-${nodeId}`, ...before, ...given }) as NodeInfo;
const steps = (...given: Parameters<typeof upgradePlan>) =>
  upgradePlan(...given).members.map(({ kind, id, step }) => [kind, id, step]);

test("UPGRADE-2: standbys come first, then the head, then nodes, and what has the version is left alone", () => {
  const heads = [
    head("a:1", { leads: true }),
    head("b:1", own),
    head("c:1"),
    head("gone:1", { isReachable: false }),
  ];
  const drivers = [{ sessionId: "s-1", name: "notebook", pid: 1, jobId: "", ...before }];
  const cluster = { heads, nodes: [node("n-1"), node("n-2", own), node("n-3")], drivers };
  expect(steps(cluster, target, false, false)).toEqual([
    ["standby", "b:1", undefined],
    ["standby", "c:1", 1],
    ["head", "a:1", 2],
    ["node", "n-1", 3],
    ["node", "n-2", undefined],
    ["node", "n-3", 4],
    ["driver", "s-1", undefined],
  ]);
  expect(upgradePlan(cluster, target, false, false).problems).toEqual([]);
});

test("UPGRADE-1: what speaks no protocol in common, newer rows, and a head without a successor are problems", () => {
  const alone = { heads: [head("a:1", { leads: true })], nodes: [], drivers: undefined };
  expect(upgradePlan(alone, target, false, false).problems).toEqual([
    expect.stringContaining("has no standby"),
  ]);
  expect(upgradePlan(alone, target, true, false).problems).toEqual([]);
  const old = { protocols: { min: 1, max: 1 } };
  const mixed = {
    heads: [head("a:1", { leads: true, rowVersion: 4 }), head("b:1", own)],
    nodes: [node("n-1", old)],
    drivers: [{ sessionId: "s-1", name: "", pid: 1, jobId: "", version: "", ...old }],
  };
  expect(upgradePlan(mixed, target, false, false).problems).toEqual([
    expect.stringMatching(
      /node n-1 speaks protocol 1, this installation protocols 2 to 3.*lacks Head\.ListDrivers/,
    ),
    expect.stringContaining("driver s-1 speaks protocol 1"),
    expect.stringContaining("head a:1 writes rows of version 4, and version 0.2.0 reads up to 3"),
  ]);
});

test("UPGRADE-2: a node that was drained and that nothing has followed is a part of the plan, unless it was given up", () => {
  const left = node("n-1", {
    ...{ hostname: "one", state: "dead", isRestarting: true, labels: {}, total: { cpu: 2 } },
    ...{ joinedAtMs: 1_000, lastHeartbeatMs: 5_000 },
  });
  const like = (nodeId: string, given: Partial<NodeInfo>) =>
    node(nodeId, { ...left, nodeId, isRestarting: false, ...given });
  const awaited = (newHosts: boolean, ...nodes: NodeInfo[]) => {
    const { members } = upgradePlan({ heads: [], nodes, drivers: undefined }, target, false, newHosts);
    return members.flatMap(({ id, note }) => (note.startsWith("was drained") ? id : []));
  };
  const other = like("n-2", {
    ...own,
    hostname: "two",
    state: "alive",
    joinedAtMs: 2_000,
    lastHeartbeatMs: 6_000,
  });
  expect(awaited(false, left, other)).toEqual(["n-1"]);
  expect(awaited(false, { ...left, isRestarting: false }, other)).toEqual([]);
  const back = { ...own, state: "alive" as const, joinedAtMs: 7_000, lastHeartbeatMs: 9_000 };
  expect(awaited(false, left, other, like("n-3", back))).toEqual([]);
  // A successor that has left since was there.
  expect(awaited(false, left, other, like("n-3", { ...back, state: "dead" }))).toEqual([]);
  const elsewhere = like("n-3", { ...back, hostname: "three" });
  expect(awaited(false, left, other, elsewhere)).toEqual(["n-1"]);
  expect(awaited(true, left, other, elsewhere)).toEqual([]);
  expect(awaited(false, left, { ...other, lastHeartbeatMs: 4_000_000 })).toEqual([]);
  // The autoscaler may have nothing to start; it matters while another node is to be drained.
  const scaled = { ...left, labels: { "palimpsest.instance": "one" } };
  expect(awaited(false, scaled, other)).toEqual([]);
  expect(awaited(false, scaled, { ...other, ...before })).toEqual(["n-1"]);
});
