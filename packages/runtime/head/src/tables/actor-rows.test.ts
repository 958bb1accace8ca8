import * as proto from "@palimpsest/wire/protocol";
import { describe, expect, it } from "vitest";
import { ControlPlane } from "../start/control-plane.js";
import { Leadership } from "../store/leadership.js";
import type { StoreWrite } from "../store/store.js";
import { aConfig, aSpec, quietLogger, testMetrics } from "../testing/builders.js";
import { ManualClock, settle } from "../testing/manual-clock.js";
import { MemorySharedStore } from "../testing/memory-shared-store.js";
import { MemoryStore } from "../testing/memory-store.js";
import { TestPlane } from "../testing/plane.js";
import { maxInlineArgsBytes } from "./actor.js";

/** Counts what is written. */
class CountingStore extends MemoryStore {
  readonly written: { readonly row: string; readonly bytes: number }[] = [];

  override async write(writes: readonly StoreWrite[]): Promise<void> {
    await super.write(writes);
    for (const { table, key, bytes } of writes) {
      this.written.push({ row: `${table}/${key}`, bytes: bytes?.byteLength ?? 0 });
    }
  }
}

describe("rows of an actor", () => {
  it("a time in the row of an earlier head is not taken for a duration", () => {
    // Field 14 as a varint: 1_700_000_000_000.
    const time = Uint8Array.of(0x70, 0x80, 0xd0, 0x95, 0xff, 0xbc, 0x31);
    expect(proto.ActorInfo.decode(time).startFailingMs ?? 0).toBe(0);
  });

  it("ACTORTABLE-5: the specification is written once, a transition takes some hundred bytes, and death drops the arguments", async () => {
    const store = new CountingStore();
    const test = await TestPlane.open({}, store);
    const node = await test.join("a");
    test.session("session-test");
    const args = new Uint8Array(90_000).fill(7);
    await test.plane.lifecycle.create(aSpec("x", { args, maxRestarts: 1, environment: { KEY: "value" } }));
    await settle();
    node.started("x", 1);
    await settle();
    const ofActor = store.written.filter(({ row }) => row.endsWith("/x"));
    expect(ofActor.filter(({ row }) => row === "specs/x")).toHaveLength(1);
    expect(ofActor.filter(({ row }) => row === "deaths/x")).toHaveLength(0);
    for (const { row, bytes } of ofActor) if (row === "actors/x") expect(bytes).toBeLessThan(300);
    const order = node.sent.find(({ startActor }) => startActor)?.startActor;
    expect(Buffer.compare(args, order?.spec?.args ?? Buffer.of())).toBe(0);

    const next = await test.reopened();
    expect(next.plane.actors.get("x")).toMatchObject({
      state: "ALIVE",
      spec: { environment: { KEY: "value" } },
    });
    expect(next.plane.actors.get("x")?.spec.args.byteLength).toBe(args.byteLength);
    await next.plane.lifecycle.kill("x", { noRestart: true, reason: "it was killed by a client" });
    await settle();
    expect((await store.readTable("specs")).get("x")?.byteLength).toBeLessThan(300);
    const last = await next.reopened();
    expect(last.plane.actors.get("x")).toMatchObject({
      state: "DEAD",
      spec: { role: "rollout", environment: {} },
      certificate: { reason: "it was killed by a client" },
    });
    expect(last.plane.actors.get("x")?.spec.args).toHaveLength(0);
  });

  it("ACTORTABLE-7: wherever a head stops writing, an actor that is not DEAD in the store has its arguments there", async () => {
    const args = new Uint8Array(100).fill(7);
    for (let written = 0; written < 3; written++) {
      const store = new CountingStore();
      const test = await TestPlane.open({}, store);
      await test.join("a");
      test.session("session-test");
      await test.plane.lifecycle.create(aSpec("x", { args }));
      await settle();
      // As where batches are halved because the store rejects them: row by row, until the head is killed.
      let left = written;
      store.write = async (writes) => {
        for (const write of writes) if (left-- > 0) await MemoryStore.prototype.write.call(store, [write]);
        throw new Error("the head is killed here");
      };
      void test.plane.lifecycle.kill("x", { noRestart: true, reason: "it was killed by a client" });
      await settle();
      const rows = async (table: StoreWrite["table"]) => (await store.readTable(table)).get("x");
      const spec = proto.ActorSpec.decode((await rows("specs")) ?? new Uint8Array());
      const { state } = proto.ActorInfo.decode((await rows("actors")) ?? new Uint8Array());
      if (state !== proto.ActorState.ACTOR_STATE_DEAD) expect(spec.args).toHaveLength(args.byteLength);
    }
  });

  it("ACTORTABLE-7, LEASE-4: wherever a head stops writing rows again that a store has lost, a living actor has its arguments", async () => {
    const args = new Uint8Array(100).fill(7);
    for (let written = 0; written < 8; written++) {
      const clock = new ManualClock();
      const shared = new MemorySharedStore(clock);
      const common = { clock, logger: quietLogger() };
      const leadership = await Leadership.take({
        ...common,
        shared,
        headId: "first",
        leaseMs: 3_000,
        address: "",
        epochFloor: 0,
        predecessorId: "",
        exclusive: true,
        signal: new AbortController().signal,
        onStandby: () => undefined,
      });
      const deps = { ...common, store: leadership.store, metrics: testMetrics() };
      const plane = await ControlPlane.open(aConfig(), deps);
      leadership.remember({ rowsOf: (table) => plane.rowsOf(table), causeWrite: () => plane.causeWrite() });
      const connection = { send: () => undefined, close: () => undefined };
      plane.sessions.open({ sessionId: "session-test", jobId: "", name: "test", pid: 1 }, connection);
      await plane.lifecycle.create(aSpec("x", { args }));
      await plane.lifecycle.create(aSpec("y", { args }));
      const restore = shared.snapshot();
      await plane.lifecycle.kill("x", { noRestart: true, reason: "it was killed by a client" });
      restore();
      const write = shared.write.bind(shared);
      let left = written;
      shared.write = (guard, writes) =>
        writes.length === 0 || left-- > 0 ? write(guard, writes) : Promise.reject(new Error("killed here"));
      leadership.check();
      await settle();
      await settle();
      for (const [actorId, state] of shared.rows("actors")) {
        if (proto.ActorInfo.decode(state).state === proto.ActorState.ACTOR_STATE_DEAD) continue;
        const spec = proto.ActorSpec.decode(shared.rows("specs").get(actorId) ?? new Uint8Array());
        expect(spec.args, `${actorId} after ${written} writes`).toHaveLength(args.byteLength);
      }
      // The journal tries again, and with the whole rewrite the death is in the store.
      left = Number.POSITIVE_INFINITY;
      await clock.advance(10_000);
      const { state } = proto.ActorInfo.decode(shared.rows("actors").get("x") ?? new Uint8Array());
      expect(state).toBe(proto.ActorState.ACTOR_STATE_DEAD);
      await plane.close();
      await leadership.release();
    }
  });

  it("an actor that waits writes nothing however often the cluster changes", async () => {
    const store = new CountingStore();
    const test = await TestPlane.open({ nodeTimeoutMs: 86_400_000 }, store);
    test.session("session-test");
    const node = await test.join("a", { cpu: 1 });
    for (let number = 0; number < 50; number++) {
      await test.plane.lifecycle.create(
        aSpec(`waits-${number}`, { resources: { quantities: { cpu: 100 + number } } }),
      );
    }
    await test.plane.lifecycle.create(aSpec("x"));
    await settle();
    store.written.length = 0;
    node.died("x", 1);
    await test.join("b", { cpu: 2 });
    await test.clock.advance(20_000);
    expect(store.written.filter(({ row }) => row.includes("waits-"))).toEqual([]);
  });

  it("refuses arguments and environments that would not stay small, naming the fix", () => {
    expect(() => aSpec("x", { args: new Uint8Array(maxInlineArgsBytes + 1) })).toThrow("args_object");
    expect(() => aSpec("x", { environment: { LARGE: "x".repeat(100_000) } })).toThrow(
      "environment and labels",
    );
  });

  it("a row without its specification, or the other way round, is removed when the tables are loaded", async () => {
    const store = new MemoryStore();
    const test = await TestPlane.open({}, store);
    test.session("session-test");
    for (const actorId of ["x", "y", "z"]) await test.plane.lifecycle.create(aSpec(actorId));
    await store.write([
      { table: "specs", key: "x", bytes: undefined },
      { table: "deaths", key: "x", bytes: new Uint8Array() },
      { table: "actors", key: "y", bytes: undefined },
      { table: "deaths", key: "y", bytes: new Uint8Array() },
    ]);
    const next = await test.reopened();
    await settle();
    expect([...next.plane.actors.all()].map(({ spec }) => spec.actorId)).toEqual(["z"]);
    expect([...(await store.readTable("specs")).keys()]).toEqual(["z"]);
    expect([...(await store.readTable("actors")).keys()]).toEqual(["z"]);
    expect([...(await store.readTable("deaths")).keys()]).toEqual([]);
  });
});
