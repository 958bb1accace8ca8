import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { anActor, aSpec } from "../testing/builders.js";
import { TestPlane } from "../testing/plane.js";
import { specOf, specToProto } from "./actor.js";

const { LABEL_OPERATOR_IN, LABEL_OPERATOR_NOT_IN, LABEL_OPERATOR_EXISTS } = proto.LabelOperator;
const { STRATEGY_KIND_SPREAD, STRATEGY_KIND_NODE } = proto.StrategyKind;

describe("what an actor asks of its node", () => {
  it("survives its row in the store", () => {
    const spec = aSpec("x", {
      labels: { zone: "a" },
      labelConditions: [{ name: "disk", operator: LABEL_OPERATOR_NOT_IN, values: ["hdd"] }],
      strategy: { kind: STRATEGY_KIND_NODE, nodeId: "node-1", soft: true },
    });
    const row = proto.ActorSpec.encode(specToProto(spec)).finish();
    expect(specOf(proto.ActorSpec.decode(row))).toMatchObject({
      labels: { zone: "a" },
      labelConditions: [{ name: "disk", operator: "not in", values: ["hdd"] }],
      strategy: { kind: "node", nodeId: "node-1", soft: true },
    });
  });

  it.each<[proto.ActorSpec.$Properties, string]>([
    [{ labelConditions: [{ name: "a" }] }, "operator is undefined: use a value of LabelOperator"],
    [{ labelConditions: [{ name: "a", operator: LABEL_OPERATOR_IN }] }, "no values: give at least one"],
    [{ labelConditions: [{ operator: LABEL_OPERATOR_EXISTS }] }, "empty name"],
    [
      { labelConditions: [{ name: "a", operator: LABEL_OPERATOR_EXISTS, values: ["b"] }] },
      'operator "exists" and values b',
    ],
    [{ strategy: { kind: STRATEGY_KIND_NODE } }, "strategy.node_id is empty: give the id of a node"],
    [{ strategy: { kind: STRATEGY_KIND_SPREAD, nodeId: "n" } }, 'strategy.node_id is "n"'],
    [{ strategy: { kind: 9 as proto.StrategyKind } }, "strategy.kind is 9"],
  ])("is refused with the field, the value and what to do: %j", (over, message) => {
    expect(() => aSpec("x", over)).toThrow(message);
  });

  it("decides where it is placed, and the reason of one that waits names it", async () => {
    const test = await TestPlane.open();
    await test.join("a", { labels: { zone: "x" } });
    await test.join("b", { labels: { zone: "y" } });
    const create = (actorId: string, over: proto.ActorSpec.$Properties) =>
      test.plane.lifecycle.create(aSpec(actorId, anActor(actorId, over)));
    const spread = { kind: STRATEGY_KIND_SPREAD };
    for (const actorId of ["s1", "s2", "s3", "s4"]) await create(actorId, { strategy: spread });
    await create("bound", { strategy: { kind: STRATEGY_KIND_NODE, nodeId: "b" } });
    const conditions = [{ name: "zone", operator: LABEL_OPERATOR_NOT_IN, values: ["y"] }];
    await create("not-y", { labelConditions: conditions });
    const nodeOf = (actorId: string) => test.plane.actors.get(actorId)?.nodeId;
    expect(["s1", "s2", "s3", "s4", "bound", "not-y"].map(nodeOf)).toEqual(["a", "b", "a", "b", "b", "a"]);
    const nowhere = [{ name: "zone", operator: LABEL_OPERATOR_IN, values: ["z", "w"] }];
    const waiting = await create("waiting", { labelConditions: nowhere });
    expect(test.plane.lifecycle.pendingReason(waiting)).toContain("no node has label zone in (z, w)");
  });
});
