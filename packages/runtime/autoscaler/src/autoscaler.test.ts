import { createLogger, createMetrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ManualClock } from "../../head/src/testing/manual-clock.js";
import { Autoscaler } from "./autoscaler.js";
import { parseAutoscaleConfig } from "./config.js";
import { SimulatedCloud } from "./testing/simulated-cloud.js";

const small = { resources: { cpu: 4 }, maxNodes: 4 };
const times = { idleMs: 60_000, startTimeoutMs: 120_000, providerTimeoutMs: 10_000, upscalingSpeed: 1_000 };

function start(nodeTypes: Record<string, unknown> = { small }, over: Record<string, unknown> = {}) {
  const clock = new ManualClock();
  const cloud = new SimulatedCloud(clock);
  const config = parseAutoscaleConfig({ provider: { kind: "local" }, nodeTypes, ...times, ...over }, "test");
  const logger = createLogger({ component: "test", level: "fatal" });
  const metrics = () => createMetrics({ component: "test" });
  const another = () =>
    Autoscaler.start(config, { ...{ cluster: cloud, provider: cloud, clock, logger }, metrics: metrics() });
  const waits = (count: number, resources: Record<string, number> = { cpu: 1 }, runMs = 30_000) => {
    for (let at = 0; at < count; at++) cloud.waiting.push({ resources, runMs });
  };
  return { clock, cloud, waits, autoscaler: another(), another };
}

it("nodes come for what waits, and leave when they were idle, down to the minimum (AUTOSCALER-3)", async () => {
  const { clock, cloud, waits, autoscaler } = start({ small: { ...small, minNodes: 1 } });
  await clock.advance(10_000);
  expect(cloud.created).toEqual(["test-small-0"]);
  waits(12);
  await clock.advance(20_000);
  expect([cloud.created.length, cloud.waiting.length]).toEqual([3, 0]);
  expect(autoscaler.report().types).toMatchObject([{ name: "small", running: 3, starting: 0, stopping: 0 }]);
  await clock.advance(60_000);
  expect(cloud.terminated).toEqual([]);
  await clock.advance(60_000);
  expect(cloud.terminated).toHaveLength(2);
  await clock.advance(600_000);
  expect([cloud.terminated.length, cloud.machines.size, cloud.broken]).toEqual([2, 1, []]);
  await autoscaler.close(true);
  expect(cloud.terminated).toHaveLength(3);
});

it("what cannot be met is reported with its reason, and no node comes in vain", async () => {
  const { clock, cloud, waits, autoscaler } = start();
  waits(1, { cpu: 64 });
  waits(5, { cpu: 4 }, 10_000_000);
  await clock.advance(20_000);
  expect(cloud.created).toHaveLength(4);
  expect(autoscaler.report().unmet).toEqual([
    { resources: { cpu: 64 }, count: 1, reason: expect.stringContaining("no node type could hold it") },
    { resources: { cpu: 4 }, count: 1, reason: expect.stringContaining("maxNodes of 4") },
  ]);
});

it("a provider that fails is asked again after a delay that doubles, and the status says so (AUTOSCALER-4)", async () => {
  const { clock, cloud, waits, autoscaler } = start();
  let asked = 0;
  cloud.fail = (operation) => {
    if (operation === "create") asked += 1;
    return operation === "create" ? new PalimpsestError("UNAVAILABLE", "quota exceeded") : undefined;
  };
  waits(1);
  await clock.advance(60_000);
  expect(asked).toBeGreaterThan(2);
  expect(asked).toBeLessThan(6);
  expect(autoscaler.report()).toMatchObject({ error: "small: quota exceeded" });
  expect(autoscaler.report().retryAtMs).toBeGreaterThan(clock.now());
  cloud.fail = () => undefined;
  await clock.advance(120_000);
  expect([cloud.created.length, autoscaler.report().error]).toEqual([1, ""]);
});

it("what fails for one node type is started as another one", async () => {
  const types = { cheap: small, dear: { resources: { cpu: 8 }, maxNodes: 2 } };
  const { clock, cloud, waits } = start(types);
  cloud.fail = (operation, name) =>
    operation === "create" && name.includes("cheap")
      ? new PalimpsestError("UNAVAILABLE", "none left")
      : undefined;
  waits(4);
  await clock.advance(5_000);
  expect(cloud.created).toEqual(["test-dear-0"]);
});

it("a provider that does not answer keeps nothing but itself waiting, and is asked again", async () => {
  const { clock, cloud, waits, autoscaler } = start();
  cloud.hangs = true;
  waits(1);
  await clock.advance(15_000);
  expect(autoscaler.report().error).toContain("list was not answered within 10000 ms");
  cloud.hangs = false;
  await clock.advance(30_000);
  expect([cloud.created.length, autoscaler.report().error]).toEqual([1, ""]);
  cloud.hangs = true;
  await clock.advance(3_000);
  await autoscaler.close(false);
});

it("a node that does not join in time is ended, with what the provider says of it", async () => {
  const { clock, cloud, waits, autoscaler } = start();
  cloud.bootMs = Number.POSITIVE_INFINITY;
  waits(1);
  await clock.advance(125_000);
  expect(cloud.terminated).toEqual(["test-small-0"]);
  expect(autoscaler.report().error).toContain("has not joined within 120 s: Unschedulable: no machine");
});

it("a node that was killed is replaced while something waits", async () => {
  const { clock, cloud, waits } = start({ small: { ...small, minNodes: 1 } });
  await clock.advance(10_000);
  waits(1, { cpu: 1 }, 1_000);
  cloud.kill("test-small-0");
  await clock.advance(20_000);
  expect(cloud.terminated).toEqual(["test-small-0"]);
  expect([cloud.created.length, cloud.waiting.length]).toEqual([2, 0]);
});

it("a head that leads no more starts and ends nothing (AUTOSCALER-2), and two that both believe it double nothing (AUTOSCALER-1)", async () => {
  const { clock, cloud, waits, another } = start();
  another();
  waits(16);
  await clock.advance(20_000);
  expect([cloud.created.length, new Set(cloud.created).size]).toEqual([4, 4]);
  cloud.leads = false;
  await clock.advance(600_000);
  waits(4, { cpu: 4 });
  expect(cloud.terminated).toEqual([]);
});

it("one that is started anew goes on where the last one ended (AUTOSCALER-5)", async () => {
  const { clock, cloud, waits, autoscaler, another } = start();
  waits(8, { cpu: 1 }, 50_000);
  await clock.advance(2_000);
  await autoscaler.close(false);
  another();
  await clock.advance(20_000);
  expect(cloud.created).toHaveLength(2);
  await clock.advance(300_000);
  expect([cloud.terminated.length, cloud.machines.size]).toEqual([2, 0]);
});

it("no more nodes start at a time than the speed allows", async () => {
  const { clock, cloud, waits } = start({ small: { ...small, maxNodes: 100 } }, { upscalingSpeed: 1 });
  waits(200, { cpu: 4 }, 10_000_000);
  await clock.advance(3_000);
  expect(cloud.created).toHaveLength(5);
  await clock.advance(5_000);
  expect(cloud.created.length).toBeLessThanOrEqual(10);
  await clock.advance(60_000);
  expect(cloud.created.length).toBeGreaterThan(60);
});

const load = fc.array(
  fc.record({
    atMs: fc.nat(120_000),
    cpu: fc.constantFrom(0.5, 1, 2, 3, 4, 8),
    runMs: fc.constantFrom(100, 5_000, 40_000),
  }),
  { minLength: 1, maxLength: 25 },
);
const faults = fc.array(fc.record({ atMs: fc.nat(120_000), forMs: fc.nat(20_000) }), { maxLength: 3 });

it("for any load and any failures: bounds hold, everything runs, nothing busy is ended, and then all is quiet", async () => {
  await fc.assert(
    fc.asyncProperty(load, faults, fc.nat(2), async (events, outages, minNodes) => {
      const types = {
        small: { resources: { cpu: 4 }, minNodes, maxNodes: 3 },
        large: { resources: { cpu: 8 }, maxNodes: 2 },
      };
      const { clock, cloud, waits, autoscaler } = start(types, { intervalMs: 2_000, idleMs: 20_000 });
      const begunMs = clock.now();
      cloud.fail = () => {
        const atMs = clock.now() - begunMs;
        const down = outages.some((one) => atMs >= one.atMs && atMs < one.atMs + one.forMs);
        return down ? new PalimpsestError("UNAVAILABLE", "an outage") : undefined;
      };
      const left = [...events].sort((a, b) => a.atMs - b.atMs);
      for (let atMs = 0; atMs < 160_000; atMs += 2_000) {
        while ((left[0]?.atMs ?? Infinity) <= atMs) {
          const event = left.shift();
          if (event) waits(1, { cpu: event.cpu }, event.runMs);
        }
        await clock.advance(2_000);
        const of = (name: string) =>
          [...cloud.machines.values()].filter(({ instance }) => instance.type.name === name).length;
        expect(of("small")).toBeLessThanOrEqual(3);
        expect(of("large")).toBeLessThanOrEqual(2);
      }
      await clock.advance(1_200_000);
      expect([cloud.waiting, cloud.broken, cloud.machines.size]).toEqual([[], [], minNodes]);
      // No node may be started only to be ended again.
      const before = cloud.created.length;
      await clock.advance(600_000);
      expect(cloud.created.length).toBe(before);
      await autoscaler.close(false);
    }),
    { numRuns: 12 },
  );
});

it("a node type offers no resource under the name that another system has for it", () => {
  const resources = { cpu: 4, gpus: 1 };
  expect(() => start({ small: { ...small, resources } })).toThrow(
    "test: nodeTypes.small.resources.gpus: did you mean gpu? A resource of your own needs another name",
  );
});
