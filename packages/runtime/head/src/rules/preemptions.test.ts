import type * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { submissionFromProto } from "../tables/job.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { type TestNode, TestPlane } from "../testing/plane.js";

const afterMs = 30_000;

/** A plane with a node of four CPUs, and jobs whose drivers take nothing. */
class Contended {
  readonly test: TestPlane;
  readonly node: TestNode;
  #handled = 0;

  private constructor(test: TestPlane, node: TestNode) {
    this.test = test;
    this.node = node;
  }

  static async open(jobs: Readonly<Record<string, proto.SubmitRequest.$Properties>>): Promise<Contended> {
    const test = await TestPlane.open({
      ...{ nodeTimeoutMs: 86_400_000, sessionLeaseMs: 86_400_000 },
      preemptAfterMs: afterMs,
    });
    test.session("session-test");
    const contended = new Contended(test, await test.join("a", { cpu: 4 }));
    for (const [submissionId, over] of Object.entries(jobs)) {
      const bundle = "0".repeat(64);
      await test.plane.jobLifecycle.submit(submissionFromProto({ submissionId, bundle, ...over }));
      await settle();
    }
    return contended;
  }

  async spawn(actorId: string, over: proto.ActorSpec.$Properties): Promise<void> {
    await this.test.plane.lifecycle.create(aSpec(actorId, over));
    await settle();
    if (this.test.state(actorId) === "STARTING") this.node.started(actorId, 1);
    await settle();
  }

  /** Fills the node with preemptible actors of a job. */
  async fill(jobId: string, over: proto.ActorSpec.$Properties = {}): Promise<void> {
    for (let each = 0; each < 4; each++) {
      await this.spawn(`${jobId}-${each}`, { jobId, maxRestarts: 1, preemptible: true, ...over });
      await this.test.clock.advance(1_000);
    }
  }

  /** Lets time pass, and the node end what it was told to stop. @returns the ids of what was stopped */
  async pass(ms: number): Promise<string[]> {
    const stopped: string[] = [];
    for (let passed = 0; passed < ms; passed += 1_000) {
      await this.test.clock.advance(1_000);
      await settle();
      const orders = this.node.sent.slice(this.#handled);
      this.#handled += orders.length;
      for (const { stopActor } of orders) {
        const actorId = stopActor?.actorId ?? "";
        if (actorId === "") continue;
        if (stopActor?.reason?.startsWith("preempted")) stopped.push(actorId);
        const { incarnation = 1 } = this.test.plane.actors.get(actorId) ?? {};
        this.node.died(actorId, incarnation);
      }
      await settle();
      for (const { spec, incarnation, state } of this.test.plane.actors.all())
        if (state === "STARTING") this.node.started(spec.actorId, incarnation);
      await settle();
    }
    return stopped;
  }

  reason(actorId: string): string | undefined {
    const actor = this.test.plane.actors.get(actorId);
    return actor && this.test.plane.lifecycle.pendingReason(actor);
  }
}

const urgentAndLow = { urgent: { priority: 5 }, low: { priority: -1 } };

describe("preemptions", () => {
  it("PREEMPT-4, ACTOR-10: a request of a higher priority that has waited stops one actor, which comes back", async () => {
    const contended = await Contended.open(urgentAndLow);
    await contended.fill("low");
    await contended.pass(afterMs);
    await contended.spawn("now", { jobId: "urgent" });
    expect(await contended.pass(afterMs - 2_000)).toEqual([]);
    expect(contended.test.state("now")).toBe("PENDING");
    const stopped = await contended.pass(4_000);
    expect(stopped).toEqual(["low-3"]);
    expect(contended.test.state("now")).toBe("ALIVE");
    const victim = contended.test.plane.actors.get("low-3");
    expect(victim).toMatchObject({ state: "RESTARTING", restarts: 0, certificate: { preempted: true } });
    expect(contended.reason("low-3")).toContain("it was");
    const kinds = contended.test.plane.history.cluster.list(({ kind }) => kind === "actor preempted");
    expect(kinds).toMatchObject([{ subjectId: "low-3", jobId: "low" }]);
    expect(kinds[0]?.message).toContain("preempted for actor/now of priority 5, which waited more than 30 s");
    // It comes back when the other one ends, and nothing is stopped for it.
    expect(await contended.pass(4 * afterMs)).toEqual([]);
    await contended.test.plane.lifecycle.kill("now", { noRestart: true, reason: "test" });
    await contended.pass(2_000);
    expect(contended.test.plane.actors.get("low-3")).toMatchObject({ state: "ALIVE", restarts: 0 });
  });

  it("PREEMPT-1, PREEMPT-3: never what did not say so, is as important, or has just begun", async () => {
    const contended = await Contended.open({ ...urgentAndLow, equal: { priority: 5 } });
    await contended.spawn("kept", { jobId: "low", maxRestarts: -1 });
    await contended.spawn("equal-1", { jobId: "equal", maxRestarts: 1, preemptible: true });
    await contended.spawn("kept-2", { jobId: "low", resources: { quantities: { cpu: 2 } } });
    await contended.spawn("now", { jobId: "urgent" });
    expect(await contended.pass(3 * afterMs)).toEqual([]);
    await contended.test.plane.lifecycle.kill("kept", { noRestart: true, reason: "test" });
    await contended.pass(1_000);
    // Now runs, and of two preemptible ones neither has run for long when the next request comes.
    expect(contended.test.state("now")).toBe("ALIVE");
    await contended.test.plane.lifecycle.kill("kept-2", { noRestart: true, reason: "test" });
    await contended.pass(1_000);
    await contended.spawn("low-1", { jobId: "low", maxRestarts: 1, preemptible: true });
    await contended.spawn("low-2", { jobId: "low", maxRestarts: 1, preemptible: true });
    await contended.spawn("next", { jobId: "urgent" });
    expect(await contended.pass(afterMs - 2_000)).toEqual([]);
    expect(await contended.pass(4_000)).toHaveLength(1);
  });

  it("PREEMPT-2, PREEMPT-5: several are stopped for a large request, which gets their room before small ones", async () => {
    const contended = await Contended.open(urgentAndLow);
    await contended.fill("low");
    await contended.spawn("small", { jobId: "low" });
    await contended.pass(afterMs);
    await contended.spawn("large", { jobId: "urgent", resources: { quantities: { cpu: 3 } } });
    const stopped = await contended.pass(afterMs + 2_000);
    expect(stopped.sort()).toEqual(["low-1", "low-2", "low-3"]);
    expect(contended.test.state("large")).toBe("ALIVE");
    expect(contended.test.state("small")).toBe("PENDING");
  });

  it("PREEMPT-1: a key below its share takes from one above it, until they are even, and it does not turn back", async () => {
    const contended = await Contended.open({ big: { weight: 1 }, small: { weight: 1 } });
    await contended.fill("big");
    await contended.pass(10 * afterMs);
    for (const each of [1, 2, 3])
      await contended.spawn(`small-${each}`, { jobId: "small", maxRestarts: 1, preemptible: true });
    const stopped = await contended.pass(40 * afterMs);
    expect(stopped).toHaveLength(2);
    const alive = (jobId: string) =>
      [...contended.test.plane.actors.all()].filter(
        ({ spec, state }) => spec.jobId === jobId && state === "ALIVE",
      ).length;
    expect([alive("big"), alive("small")]).toEqual([2, 2]);
  });

  it("PREEMPT-1: what a key is worth counts also when nothing of it waits", async () => {
    const contended = await Contended.open({ big: { weight: 7 }, small: { weight: 1 } });
    await contended.fill("big");
    await contended.pass(10 * afterMs);
    // One CPU of four would be more than an eighth.
    await contended.spawn("small-1", { jobId: "small" });
    expect(await contended.pass(20 * afterMs)).toEqual([]);
  });

  it("a worker for tasks ends and says so, and its restarts are not asked for", async () => {
    const contended = await Contended.open(urgentAndLow);
    await contended.fill("low", { taskWorker: true, maxRestarts: 0 });
    await contended.pass(afterMs);
    await contended.spawn("now", { jobId: "urgent" });
    expect(await contended.pass(afterMs + 2_000)).toHaveLength(1);
    expect(contended.test.state("now")).toBe("ALIVE");
    const dead = [...contended.test.plane.actors.all()].filter(({ state }) => state === "DEAD");
    expect(dead).toMatchObject([{ certificate: { preempted: true, requested: true } }]);
    expect(() => aSpec("x", { preemptible: true })).toThrow(
      "preemptible is true and max_restarts is 0: it would not come back",
    );
  });
});
