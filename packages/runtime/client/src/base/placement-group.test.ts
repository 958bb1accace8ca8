import * as proto from "@palimpsest/wire/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Cluster } from "../cluster/cluster.js";
import { connect } from "../cluster/connect.js";
import { FakeHead } from "../testing/fake-head.js";
import type { PlacementGroupOptions } from "./config.js";

const { PLACEMENT_GROUP_STATE_CREATED } = proto.PlacementGroupState;
let head: FakeHead;
let cluster: Cluster;

class Idle {}

beforeEach(async () => {
  head = await FakeHead.start();
  cluster = await connect({ address: head.address, token: head.token, jobId: "job-9" });
});

afterEach(async () => {
  await cluster.close();
  head.kill();
});

test("a group says all that it was asked for, is found by its name, listed, and put actors into", async () => {
  const group = await cluster.placementGroup({
    bundles: [{ cpu: 2 }, { cpu: 1, gpu: 0.5 }],
    strategy: "STRICT_SPREAD",
    name: "pair",
    lifetime: "detached",
    labels: { zone: "a", spot: { exists: false } },
  });
  expect(head.groups.get(group.groupId)?.spec).toMatchObject({
    name: "pair",
    bundles: [{ quantities: { cpu: 2 } }, { quantities: { cpu: 1, gpu: 0.5 } }],
    strategy: proto.GroupStrategy.GROUP_STRATEGY_STRICT_SPREAD,
    detached: true,
    ownerId: cluster.sessionId,
    jobId: "job-9",
    labels: { zone: "a" },
    labelConditions: [{ name: "spot", operator: proto.LabelOperator.LABEL_OPERATOR_NOT_EXISTS }],
  });
  expect((await cluster.getPlacementGroup("pair")).groupId).toBe(group.groupId);
  expect(await cluster.placementGroups()).toMatchObject([
    { name: "pair", state: "pending", reason: "no room" },
  ]);
  const kind = cluster.actor(Idle, { module: "@palimpsest/trainer/actors" });
  const inSecond = await kind.options({ placement: { group, bundle: 1 } }).spawn();
  const inAny = await kind.options({ placement: { group: { groupId: group.groupId } } }).spawn();
  expect(head.actors.get(inSecond.actorId)?.spec?.placement).toMatchObject({
    groupId: group.groupId,
    bundle: 1,
  });
  const any = head.actors.get(inAny.actorId)?.spec?.placement;
  expect([any?.groupId, any?.bundle ?? undefined]).toEqual([group.groupId, undefined]);
});

test("ready() waits for all bundles; in time it says what is missing, and after a removal why", async () => {
  const group = await cluster.placementGroup({ bundles: [{ cpu: 2 }] });
  await expect(group.ready({ timeoutMs: 20 })).rejects.toMatchObject({
    code: "UNSCHEDULABLE",
    message: expect.stringContaining("does not have all of its nodes after 20 ms: no room"),
    details: { groupId: group.groupId, pendingReason: "no room" },
  });
  const ready = group.ready();
  Object.assign(head.groups.get(group.groupId) ?? {}, {
    state: PLACEMENT_GROUP_STATE_CREATED,
    places: [{ nodeId: "node-1", gpuIds: [] }],
  });
  expect((await ready).groupId).toBe(group.groupId);
  expect(await group.info()).toMatchObject({
    state: "created",
    strategy: "PACK",
    bundles: [{ resources: { cpu: 2 }, nodeId: "node-1", gpuIds: [] }],
  });
  await group.remove();
  await expect(group.ready()).rejects.toThrow("was removed: a client requested it");
});

test.each<[PlacementGroupOptions, string]>([
  [{ bundles: [{ cpu: 1 }, { num_gpus: 1 }] }, "bundles[1].num_gpus: did you mean gpu?"],
  [{ bundles: [] }, "is []: give at least one bundle, such as { cpu: 1 }"],
  [{ bundles: [{ cpu: -1 }] }, "bundles[0].cpu: must be at least 0; it is -1"],
  [{ bundles: [{ cpu: 1 }], strategy: "pack" as "PACK" }, "strategy: "],
])("options that cannot be are refused by field: %j", async (options, message) => {
  await expect(cluster.placementGroup(options)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(message),
  });
});
