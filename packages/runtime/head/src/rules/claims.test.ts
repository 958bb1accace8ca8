import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { submissionFromProto } from "../tables/job.js";
import { groupSpecFromProto } from "../tables/placement-group.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import type { TestNode } from "../testing/plane.js";
import { TestPlane } from "../testing/plane.js";
import type { HeadConfigInput } from "./config.js";

type Over = proto.ActorSpec.$Properties;

/** A plane with a node of some CPUs, and jobs without resources whose drivers run there. */
class Shared {
  readonly test: TestPlane;
  node!: TestNode;

  constructor(test: TestPlane) {
    this.test = test;
    test.session("session-test");
  }

  static async open(config: Partial<HeadConfigInput> = {}, cpu = 4): Promise<Shared> {
    const shared = new Shared(await TestPlane.open({ nodeTimeoutMs: 86_400_000, ...config }));
    shared.node = await shared.test.join("a", { cpu });
    return shared;
  }

  async job(submissionId: string, over: proto.SubmitRequest.$Properties = {}): Promise<void> {
    const { jobLifecycle } = this.test.plane;
    await jobLifecycle.submit(submissionFromProto({ submissionId, bundle: "0".repeat(64), ...over }));
    await settle();
  }

  async spawn(actorId: string, over: Over = {}): Promise<string | undefined> {
    await this.test.plane.lifecycle.create(aSpec(actorId, over));
    await settle();
    return this.test.state(actorId);
  }

  async end(actorId: string, incarnation = 1): Promise<void> {
    this.node.started(actorId, incarnation);
    await this.test.plane.lifecycle.kill(actorId, { noRestart: true, reason: "test" });
    this.node.died(actorId, incarnation);
    await settle();
  }

  reason(actorId: string): string | undefined {
    const actor = this.test.plane.actors.get(actorId);
    return actor && this.test.plane.lifecycle.pendingReason(actor);
  }

  states(...actorIds: string[]): (string | undefined)[] {
    return actorIds.map((actorId) => this.test.state(actorId));
  }
}

describe("claims", () => {
  it("quotas: a namespace and a job get no more than theirs, say so, and go on when something ends", async () => {
    const quotas = { namespaces: { red: { cpu: 2 } }, jobs: { "*": { cpu: 1 } } };
    const shared = await Shared.open({ quotas }, 8);
    await shared.job("j1");
    const red = { namespace: "red" };
    expect(await shared.spawn("r1", red)).toBe("STARTING");
    expect(await shared.spawn("r2", { ...red, jobId: "j1" })).toBe("STARTING");
    expect(await shared.spawn("r3", red)).toBe("PENDING");
    expect(await shared.spawn("j", { jobId: "j1" })).toBe("PENDING");
    expect(await shared.spawn("free")).toBe("STARTING");
    expect(shared.reason("r3")).toBe("quota cpu of namespace red: 2 of 2 used");
    expect(shared.reason("j")).toBe("quota cpu of job j1: 1 of 1 used");
    expect(shared.test.plane.pendingQueue.waitingShapes()[0]).toMatchObject({ count: 2, limited: 2 });
    await shared.end("r2");
    expect(shared.states("r3", "j")).toEqual(["STARTING", "STARTING"]);
    expect(await shared.spawn("big", { ...red, resources: { quantities: { cpu: 3 } } })).toBe("PENDING");
    expect(shared.reason("big")).toBe("quota cpu of namespace red: 2 of 2 used, of which it asks for 3");
  });

  it("quotas: the bundles of a placement group count in its namespace, also for the next head, and wait", async () => {
    const quotas = { namespaces: { red: { cpu: 2 } } };
    const shared = await Shared.open({ quotas }, 8);
    const group = (groupId: string, namespace: string) =>
      shared.test.plane.groups.create(
        groupSpecFromProto({
          ...{ groupId, namespace, ownerId: "session-test" },
          bundles: [{ quantities: { cpu: 1 } }, { quantities: { cpu: 1 } }],
          strategy: proto.GroupStrategy.GROUP_STRATEGY_PACK,
        }),
      );
    expect((await group("free", "")).state).toBe("CREATED");
    expect((await group("first", "red")).state).toBe("CREATED");
    const second = await group("second", "red");
    expect(second.state).toBe("PENDING");
    expect(shared.test.plane.groups.reason(second)).toBe("quota cpu of namespace red: 2 of 2 used");
    expect(await shared.spawn("r", { namespace: "red" })).toBe("PENDING");
    await shared.test.plane.lifecycle.kill("r", { noRestart: true, reason: "test" });
    await shared.test.plane.groups.remove("first", "test");
    await settle();
    expect(shared.test.plane.groups.known("second").state).toBe("CREATED");
    const again = await shared.test.reopened({ quotas, nodeTimeoutMs: 86_400_000 });
    await again.join("a", { cpu: 8 });
    expect(again.plane.ledger.ofQuota("namespace red")).toEqual({ cpu: 2 });
  });

  it("CLAIMS-1: the next head counts what runs, and has the jobs' turns, from the rows in the store", async () => {
    const quotas = { namespaces: { "*": { cpu: 2 } } };
    const shared = await Shared.open({ quotas }, 4);
    await shared.job("low", { priority: -1 });
    await shared.job("high", { priority: 9, weight: 2, fairnessKey: "team" });
    const place = (name: string, jobId: string) => shared.spawn(name, { jobId, namespace: name.slice(0, 1) });
    expect([await place("a1", "low"), await place("a2", "low"), await place("b1", "low")]).toEqual([
      "STARTING",
      "STARTING",
      "STARTING",
    ]);
    const again = new Shared(await shared.test.reopened({ quotas, nodeTimeoutMs: 86_400_000 }));
    const actors = ["a1", "a2", "b1"].map((actorId) => ({ actorId, incarnation: 1, address: "h:1" }));
    again.node = await again.test.join("a", { cpu: 4, actors, jobIds: ["low", "high"] });
    expect(await again.spawn("a3", { jobId: "high", namespace: "a" })).toBe("PENDING");
    expect(again.reason("a3")).toBe("quota cpu of namespace a: 2 of 2 used");
    const { ledger, claims } = again.test.plane;
    expect(ledger.ofQuota("namespace a")).toEqual({ cpu: 2 });
    expect(claims.of({ jobId: "high", namespace: "" })).toMatchObject({
      priority: 9,
      weight: 2,
      fairnessKey: "team",
    });
    // A node that dies gives everything back.
    again.node.disconnect(true);
    await settle();
    expect(ledger.ofQuota("namespace a")).toEqual({});
  });

  it("scopes: at most so many of a kind run in the cluster, in their namespace", async () => {
    const shared = await Shared.open({}, 16);
    const scope = { name: "crawler", max: 2 };
    expect(await shared.spawn("c1", { scope })).toBe("STARTING");
    expect(await shared.spawn("c2", { scope, taskWorker: true })).toBe("STARTING");
    expect(await shared.spawn("c3", { scope })).toBe("PENDING");
    expect(await shared.spawn("c4", { scope: { ...scope, max: 3 } })).toBe("STARTING");
    expect(await shared.spawn("other", { scope, namespace: "blue" })).toBe("STARTING");
    expect(shared.reason("c3")).toBe("scope crawler: 3 of 2 at a time");
    await shared.end("c1");
    expect(shared.test.state("c3")).toBe("PENDING");
    await shared.end("c4");
    expect(shared.test.state("c3")).toBe("STARTING");
    expect(() => aSpec("x", { scope: { name: "crawler", max: 0 } })).toThrow("scope.max is 0");
    expect(() => aSpec("x", { scope: { name: "", max: 1 } })).toThrow("scope.name is");
  });

  it("CLAIMS-3, INDEX-2: jobs that set nothing are served by age; priority goes first, then the smallest share", async () => {
    const shared = await Shared.open({}, 1);
    for (const job of ["plain", "other"]) await shared.job(job);
    await shared.job("urgent", { priority: 5 });
    await shared.job("heavy", { weight: 4 });
    await shared.job("light", { weight: 1 });
    expect(shared.test.plane.claims.of({ jobId: "plain", namespace: "" }).fairnessKey).toBe("");
    expect(shared.test.plane.claims.of({ jobId: "heavy", namespace: "" }).fairnessKey).toBe("heavy");
    await shared.spawn("first", { jobId: "light" });
    const jobs = ["light", "plain", "other", "heavy", "urgent"];
    for (const jobId of jobs) await shared.spawn(`by-${jobId}`, { jobId });
    const order: string[] = [];
    let running = "first";
    for (const _ of jobs) {
      await shared.test.clock.advance(10_000);
      await shared.end(running);
      const next = jobs.find((jobId) => shared.test.state(`by-${jobId}`) === "STARTING");
      running = `by-${next}`;
      order.push(next ?? "");
    }
    expect(order).toEqual(["urgent", "heavy", "light", "plain", "other"]);
  });

  it("CLAIMS-2, PGROUP-5: a group waits for its quota with all bundles, what is in it counts once", async () => {
    const shared = await Shared.open({ quotas: { namespaces: { default: { cpu: 3 } } } }, 8);
    const { plane } = shared.test;
    const group = groupSpecFromProto({
      ...{ groupId: "g", ownerId: "session-test", strategy: proto.GroupStrategy.GROUP_STRATEGY_PACK },
      bundles: [{ quantities: { cpu: 1 } }, { quantities: { cpu: 1 } }],
    });
    await shared.spawn("x", { resources: { quantities: { cpu: 2 } } });
    const waiting = await plane.groups.create(group);
    expect(waiting.state).toBe("PENDING");
    expect(plane.groups.reason(waiting)).toBe("quota cpu of namespace default: 2 of 3 used");
    expect(plane.groups.waitingRequests()).toEqual([]);
    await shared.end("x");
    expect(plane.groups.known("g").state).toBe("CREATED");
    const placement = { groupId: "g" };
    const scope = { name: "s", max: 1 };
    expect(await shared.spawn("in1", { placement, scope })).toBe("STARTING");
    expect(plane.ledger.ofQuota("namespace default")).toEqual({ cpu: 2 });
    expect(await shared.spawn("in2", { placement, scope })).toBe("PENDING");
    expect(shared.reason("in2")).toContain("scope s: 1 of 1 at a time");
    expect(await shared.spawn("outside", { scope })).toBe("PENDING");
    await shared.end("in1");
    expect(shared.states("in2", "outside").sort()).toEqual(["PENDING", "STARTING"]);
    // LEASES-2: what has not ended keeps what it takes when its bundle is gone.
    await plane.groups.remove("g", "test");
    await settle();
    const kept = shared.test.state("in2") === "DEAD" ? { cpu: 1 } : {};
    expect(plane.ledger.ofQuota("namespace default")).toEqual(kept);
  });

  it("DEMAND-3: workers are returned for whose turn it is, or for the limit that they keep others from", async () => {
    const shared = await Shared.open({ quotas: { jobs: { capped: { cpu: 0 } } } }, 2);
    const { plane, clock } = shared.test;
    for (const job of ["capped", "plain"]) await shared.job(job);
    await shared.job("low", { priority: -1 });
    const kept = (jobId: string, scope?: { readonly name: string; readonly max: number }) => ({
      ...{ resources: { cpu: 1 }, labels: {} },
      claim: plane.claims.of({ jobId, namespace: "", scope }),
    });
    const waits = (claim: ReturnType<typeof kept>) => plane.pendingQueue.demand.isFor("session-other", claim);
    const scope = { name: "s", max: 1 };
    await shared.spawn("s1", { scope });
    await shared.spawn("s2", { scope });
    await shared.spawn("c", { jobId: "capped" });
    await clock.advance(2_000);
    expect([waits(kept("plain")), waits(kept("plain", scope)), waits(kept("capped"))]).toEqual([
      false,
      true,
      true,
    ]);
    await shared.spawn("full");
    await shared.spawn("l", { jobId: "low" });
    await clock.advance(2_000);
    expect([waits(kept("plain")), waits(kept("low"))]).toEqual([false, true]);
    await shared.spawn("p", { jobId: "plain" });
    expect([waits(kept("plain")), waits(kept("low"))]).toEqual([true, true]);
  });
});
