import { afterEach, describe, expect, it } from "vitest";
import { definitionOf } from "./catalog.js";
import { createMetrics } from "./metrics.js";
import { type MetricsGuard, type MetricsServer, serveMetrics } from "./metrics-server.js";

const guard: MetricsGuard = { refuse: () => undefined, tls: undefined };
const open = { guard };

let server: MetricsServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const withoutExemplars = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json, (name, value) => (name === "exemplar" ? undefined : value)));

describe("metrics", () => {
  it("exports values with the labels of the process and of the metric", async () => {
    const metrics = createMetrics({ component: "learner", labels: { run_id: "r1" }, processMetrics: false });
    metrics.counter("palimpsest_queue_groups_failed_total").inc({ reason: "stale" }, 2);
    metrics.gauge("palimpsest_learner_policy_version").set(7);
    const text = await metrics.registry.metrics();
    expect(text).toContain(
      'palimpsest_queue_groups_failed_total{reason="stale",component="learner",run_id="r1"} 2',
    );
    expect(text).toContain('palimpsest_learner_policy_version{component="learner",run_id="r1"} 7');
  });

  it("gives the same instrument for the same name and keeps registries apart", async () => {
    const one = createMetrics({ component: "a", processMetrics: false });
    const two = createMetrics({ component: "b", processMetrics: false });
    expect(one.counter("palimpsest_learner_updates_total")).toBe(
      one.counter("palimpsest_learner_updates_total"),
    );
    one.counter("palimpsest_learner_updates_total").inc();
    two.counter("palimpsest_learner_updates_total");
    expect(await two.registry.metrics()).toContain('palimpsest_learner_updates_total{component="b"} 0');
  });

  it("tells tallies as the library tells its histograms", async () => {
    const metrics = createMetrics({ component: "t", labels: { actor_id: "a" }, processMetrics: false });
    const theirs = createMetrics({ component: "t", labels: { actor_id: "a" }, processMetrics: false });
    const tally = metrics.tallies("palimpsest_actor_call_seconds").tally({ method: "echo" });
    const library = theirs.histogram("palimpsest_actor_call_seconds");
    const bounds = definitionOf("palimpsest_actor_call_seconds").buckets ?? [];
    for (const value of [...bounds, 0, 1e-7, 0.5, 1e9]) {
      tally.observe(value);
      library.observe({ method: "echo" }, value);
    }
    expect(await metrics.registry.metrics()).toBe(await theirs.registry.metrics());
    const [json, expected] = await Promise.all([
      metrics.registry.getMetricsAsJSON(),
      theirs.registry.getMetricsAsJSON(),
    ]);
    expect(withoutExemplars(json)).toEqual(withoutExemplars(expected));
  });

  it("uses the buckets of the catalog", async () => {
    const metrics = createMetrics({ component: "t", processMetrics: false });
    metrics.histogram("palimpsest_training_staleness_versions").observe(3);
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/staleness_versions_bucket\{le="2",.*\} 0/);
    expect(text).toMatch(/staleness_versions_bucket\{le="3",.*\} 1/);
  });

  it("refuses unknown names, wrong types and unknown labels at compile time", () => {
    const metrics = createMetrics({ component: "t", processMetrics: false });
    // @ts-expect-error a name outside the catalog
    expect(() => metrics.counter("palimpsest_unknown_total")).toThrow();
    // @ts-expect-error a gauge is not a counter
    metrics.counter("palimpsest_training_step");
    // @ts-expect-error a label that the metric does not have
    expect(() => metrics.gauge("palimpsest_head_nodes").set({ color: "red" }, 1)).toThrow();
  });

  it("serves /metrics with process metrics, and /healthz by the given check", async () => {
    let healthy = true;
    const { registry } = createMetrics({ component: "head" });
    server = await serveMetrics(registry, { ...open, host: "127.0.0.1", port: 0, healthy: () => healthy });
    const metrics = await fetch(`http://${server.address}/metrics`);
    expect(metrics.headers.get("content-type")).toContain("text/plain");
    expect(await metrics.text()).toContain('process_resident_memory_bytes{component="head"}');
    expect((await fetch(`http://${server.address}/healthz`)).status).toBe(200);
    healthy = false;
    expect((await fetch(`http://${server.address}/healthz`)).status).toBe(503);
    expect((await fetch(`http://${server.address}/other`)).status).toBe(404);
    expect((await fetch(`http://${server.address}/metrics`, { method: "POST" })).status).toBe(405);
  });

  it("closes twice without an error and frees its port", async () => {
    const { registry } = createMetrics({ component: "head", processMetrics: false });
    const first = await serveMetrics(registry, { ...open, host: "127.0.0.1", port: 0 });
    await Promise.all([first.close(), first.close()]);
    const port = Number(first.address.split(":")[1]);
    server = await serveMetrics(registry, { ...open, host: "127.0.0.1", port });
    expect(server.address).toBe(first.address);
  });
});

it("GET /targets lists processes in the form of Prometheus's service discovery, and only where there is a list", async () => {
  const { registry } = createMetrics({ component: "head", processMetrics: false });
  const targets = () => [{ address: "10.0.0.2:9000", labels: { role: "rollout" } }];
  const server = await serveMetrics(registry, { ...open, host: "127.0.0.1", port: 0, targets });
  const without = await serveMetrics(registry, { ...open, host: "127.0.0.1", port: 0 });
  try {
    const answer = await fetch(`http://${server.address}/targets`);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual([{ targets: ["10.0.0.2:9000"], labels: { role: "rollout" } }]);
    expect((await fetch(`http://${without.address}/targets`)).status).toBe(404);
  } finally {
    await Promise.all([server.close(), without.close()]);
  }
});

it("tells a refused request nothing of any page", async () => {
  const { registry } = createMetrics({ component: "test" });
  const refuse = () => ({ status: 401, message: "who are you" });
  const server = await serveMetrics(registry, {
    guard: { refuse, tls: undefined },
    host: "127.0.0.1",
    port: 0,
  });
  try {
    for (const path of ["/metrics", "/healthz", "/targets", "/nothing"]) {
      const answer = await fetch(`http://${server.address}${path}`);
      expect([answer.status, await answer.text()]).toEqual([401, "who are you\n"]);
    }
  } finally {
    await server.close();
  }
});
