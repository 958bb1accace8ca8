import * as proto from "@palimpsest/wire/protocol";
import { expect, it } from "vitest";
import { anActor, aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { TestPlane } from "../testing/plane.js";
import { listActors, listNodes, summarize } from "./listings.js";

const { ACTOR_STATE_PENDING, ACTOR_STATE_STARTING, ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;
const { NODE_STATE_ALIVE, NODE_STATE_SUSPECT } = proto.NodeState;

/** A head with a node of four cpus and actors of one cpu each; more than four wait. */
async function headWith(actorCount: number, over: proto.ActorSpec.$Properties = {}) {
  const test = await TestPlane.open();
  const { plane, clock } = test;
  const node = await test.join("node-a");
  test.session("session-test");
  for (let at = 0; at < actorCount; at++) await plane.lifecycle.create(aSpec(`actor-${at}`, over));
  await settle();
  const { actors, nodes, pendingQueue, lifecycle, objectQuotas } = plane;
  return { test, node, deps: { actors, nodes, pendingQueue, lifecycle, objectQuotas, clock } };
}

const ids = ({ actors }: proto.ListActorsResponse.$Properties) =>
  (actors ?? []).map(({ spec }) => spec?.actorId);

it("pages of actors follow each other without a gap or a repetition, and the last one says so", async () => {
  const { deps } = await headWith(5);
  const first = listActors(deps, { limit: 2 });
  expect([ids(first), first.nextPageToken]).toEqual([["actor-0", "actor-1"], "actor-1"]);
  const second = listActors(deps, { limit: 2, pageToken: "actor-1" });
  expect([ids(second), second.nextPageToken]).toEqual([["actor-2", "actor-3"], "actor-3"]);
  const third = listActors(deps, { limit: 2, pageToken: "actor-3" });
  expect([ids(third), third.nextPageToken]).toEqual([["actor-4"], ""]);
  // A page that ends with the last row is the last one.
  expect(listActors(deps, { limit: 5 }).nextPageToken).toBe("");
});

it("an actor that ends between two pages is no gap: its row is still the place to go on from", async () => {
  const { test, node, deps } = await headWith(4);
  const { nextPageToken } = listActors(deps, { limit: 2 });
  await test.plane.lifecycle.kill("actor-1", { noRestart: true, reason: "test" });
  node.died("actor-1", 1);
  await settle();
  expect(test.state("actor-1")).toBe("DEAD");
  expect(ids(listActors(deps, { limit: 2, pageToken: nextPageToken ?? "" }))).toEqual(["actor-2", "actor-3"]);
});

it("a page token of a row that is forgotten, and limits that are none, are refused by name", async () => {
  const { deps } = await headWith(1);
  expect(() => listActors(deps, { pageToken: "actor-9" })).toThrow(
    /page_token names actor-9.*list from the start/,
  );
  for (const limit of [-1, 5_001, 1.5]) {
    expect(() => listActors(deps, { limit })).toThrow(`limit is ${limit}: it must be from 1 to 5000`);
    expect(() => listNodes(deps, { limit })).toThrow(`limit is ${limit}`);
  }
});

it("a page ends early where its texts are large, and the next one goes on there", async () => {
  const { node, deps } = await headWith(4, { maxRestarts: -1 });
  const lastStderrLines = Array.from({ length: 3 }, () => "x".repeat(1024 * 1024));
  for (const actorId of ["actor-0", "actor-1", "actor-2"]) {
    node.started(actorId, 1);
    node.died(actorId, 1, { certificate: { reason: "crash", lastStderrLines } });
  }
  await settle();
  const page = listActors(deps, {});
  // Two rows of 3 MiB fit into 8 MiB, and the third one ends the page.
  expect([ids(page), page.nextPageToken]).toEqual([["actor-0", "actor-1", "actor-2"], "actor-2"]);
  expect(ids(listActors(deps, { pageToken: "actor-2" }))).toEqual(["actor-3"]);
});

it("filters by state, node, class and role narrow the list, and pages count what passes", async () => {
  const { test, node, deps } = await headWith(3);
  await test.plane.lifecycle.create(
    aSpec("judge", { code: { module: "m", exportName: "Judge" }, role: "reward" }),
  );
  await test.plane.lifecycle.create(aSpec("waits"));
  await settle();
  node.started("actor-1", 1);
  await settle();
  expect(ids(listActors(deps, { className: "Judge" }))).toEqual(["judge"]);
  expect(ids(listActors(deps, { role: "rollout", limit: 3 }))).toEqual(["actor-0", "actor-1", "actor-2"]);
  expect(ids(listActors(deps, { states: [ACTOR_STATE_ALIVE] }))).toEqual(["actor-1"]);
  expect(ids(listActors(deps, { states: [ACTOR_STATE_PENDING] }))).toEqual(["waits"]);
  expect(ids(listActors(deps, { nodeId: "node-a", states: [ACTOR_STATE_STARTING], limit: 1 }))).toEqual([
    "actor-0",
  ]);
  expect(ids(listActors(deps, { states: [ACTOR_STATE_DEAD] }))).toEqual([]);
});

it("nodes are listed by state and host, page by page", async () => {
  const { test, deps } = await headWith(0);
  await test.join("node-b");
  const c = await test.join("node-c");
  c.disconnect();
  const list = (request: proto.ListNodesRequest.$Properties) => {
    const { nodes, nextPageToken } = listNodes(deps, request);
    return [(nodes ?? []).map(({ nodeId }) => nodeId), nextPageToken];
  };
  expect(list({ limit: 2 })).toEqual([["node-a", "node-b"], "node-b"]);
  expect(list({ limit: 2, pageToken: "node-b" })).toEqual([["node-c"], ""]);
  expect(list({ states: [NODE_STATE_SUSPECT] })).toEqual([["node-c"], ""]);
  expect(list({ states: [NODE_STATE_ALIVE] })).toEqual([["node-a", "node-b"], ""]);
  expect(list({ hostname: "elsewhere" })).toEqual([[], ""]);
});

it("the summary counts every actor and node by state, what is leased, and what waits by its shape", async () => {
  const { test, node, deps } = await headWith(6);
  await test.plane.lifecycle.create(aSpec("gpu", anActor("gpu", { resources: { quantities: { gpu: 1 } } })));
  await settle();
  node.started("actor-0", 1);
  await settle();
  const summary = summarize(deps);
  const count = (state: proto.ActorState) => summary.actors?.find((row) => row.state === state)?.count;
  expect([ACTOR_STATE_ALIVE, ACTOR_STATE_STARTING, ACTOR_STATE_PENDING, ACTOR_STATE_DEAD].map(count)).toEqual(
    [1, 3, 3, 0],
  );
  expect(summary.nodes?.find(({ state }) => state === NODE_STATE_ALIVE)?.count).toBe(1);
  expect([summary.total?.quantities?.["cpu"], summary.used?.quantities?.["cpu"]]).toEqual([4, 4]);
  expect([summary.waitingCount, summary.waitingShapeCount]).toEqual([3, 2]);
  expect(summary.waiting?.map(({ count, feasible }) => [count, feasible])).toEqual([
    [2, true],
    [1, false],
  ]);
  expect(summary.waiting?.[1]?.reason).toContain("gpu");
});
