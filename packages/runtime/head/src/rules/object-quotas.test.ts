import { describe, expect, it } from "vitest";
import { submissionFromProto } from "../tables/job.js";
import { aSpec } from "../testing/builders.js";
import { settle } from "../testing/manual-clock.js";
import { type TestNode, TestPlane } from "../testing/plane.js";

const name = "namespace default";
const quotas = { namespaces: { default: { objectBytes: 1_000 } } };
const config = { quotas, nodeTimeoutMs: 5_000, heartbeatIntervalMs: 1_000, recoveryGraceMs: 2_000 };

/** Returns the bytes that the head granted to the node since the last call. */
function granted(node: TestNode): number {
  const all = node.allowances().flatMap(({ quotas }) => quotas ?? []);
  return all.reduce((sum, { grantedBytes }) => sum + (grantedBytes ?? 0), 0);
}

const wants = (wantedBytes: number, usedBytes = 0, over = {}) => ({
  quotas: [{ name, wantedBytes, usedBytes, ...over }],
});

async function begin(test: TestPlane): Promise<[TestNode, TestNode]> {
  const [a, b] = [await test.join("a"), await test.join("b")];
  for (const node of [a, b]) node.use({ reset: true });
  return [a, b];
}

describe("quotas of objects", () => {
  it("grants slices, never more than the quota to all nodes together, and the rest when it is returned (OBJECTQUOTA-1, OBJECTQUOTA-3)", async () => {
    const test = await TestPlane.open(config);
    const [a, b] = await begin(test);
    a.use(wants(100));
    expect(granted(a)).toBe(250);
    b.use(wants(700));
    expect(granted(b)).toBe(700);
    a.use(wants(100, 250));
    expect(granted(a)).toBe(0);
    const [reclaim] = b.allowances();
    expect(reclaim?.quotas).toEqual([
      { name, maxBytes: 1_000, usedBytes: 250, grantedBytes: 0, reclaimed: true },
    ]);
    b.use(wants(0, 500, { returnedBytes: 200 }));
    expect(granted(a)).toBe(100);
    expect(test.plane.objectQuotas.uses()).toEqual([
      { name, maxBytes: 1_000, usedBytes: 750, grantedBytes: 850, waitingNodes: 0 },
    ]);
  });

  it("serves nodes in the order in which they began to wait, and what a dead node had (OBJECTQUOTA-3)", async () => {
    const test = await TestPlane.open(config);
    const [a, b] = await begin(test);
    const c = await test.join("c");
    c.use({ reset: true, quotas: [{ name, usedBytes: 900, grantedBytes: 1_000 }] });
    a.use(wants(600));
    b.use(wants(10));
    expect([granted(a), granted(b)]).toEqual([0, 0]);
    await test.clock.advance(1_000);
    a.use(wants(600));
    expect(c.allowances().at(-1)?.quotas?.[0]?.reclaimed).toBe(true);
    test.plane.nodes.disconnected("c", c, true);
    test.plane.objectQuotas.serve();
    expect([granted(a), granted(b)]).toEqual([600, 100]);
  });

  it("a lowered quota, and leases that exist already, count and grant nothing (OBJECTQUOTA-1)", async () => {
    const test = await TestPlane.open(config);
    const [a, b] = await begin(test);
    a.use({ reset: true, quotas: [{ name, usedBytes: 1_500, grantedBytes: 1_200 }] });
    b.use(wants(1));
    expect(granted(b)).toBe(0);
    a.use({ quotas: [{ name, usedBytes: 900, returnedBytes: 300 }] });
    expect(granted(b)).toBe(25);
  });

  it("a new head grants nothing before each node has said what it has; nodes that know no quotas have nothing (OBJECTQUOTA-2)", async () => {
    const before = await TestPlane.open(config);
    await before.join("old", { protocols: { min: 1, max: 2 } });
    await begin(before);
    const test = await before.reopened(config);
    const a = await test.join("a");
    a.use({ reset: true, ...wants(400) });
    await test.clock.advance(2_500);
    test.plane.objectQuotas.serve();
    expect(granted(a)).toBe(0);
    const b = await test.join("b");
    await test.join("old", { protocols: { min: 1, max: 2 } });
    expect(granted(a)).toBe(0);
    b.use({ reset: true, quotas: [{ name, usedBytes: 700, grantedBytes: 700 }] });
    expect(granted(a)).toBe(0);
    b.use(wants(0, 500, { returnedBytes: 200 }));
    expect(granted(a)).toBe(400);
  });

  it("says of each owner what its objects count against, and nothing of one that it does not know", async () => {
    const both = {
      namespaces: { red: { objectBytes: 9 }, "*": { cpu: 1 } },
      jobs: { "*": { objectBytes: 5 } },
    };
    const test = await TestPlane.open({ ...config, quotas: both });
    const [a] = await begin(test);
    const job = submissionFromProto({ submissionId: "j", bundle: "0".repeat(64) });
    await test.plane.jobLifecycle.submit(job);
    test.session("session-test");
    await test.plane.lifecycle.create(aSpec("actor", { namespace: "red", jobId: "j" }));
    test.session("driver", "j");
    await settle();
    a.allowances();
    a.use({ holders: ["actor.1", "driver", "j", "session-test", "stranger"] });
    expect(a.allowances()).toEqual([
      {
        quotas: [
          { name: "namespace red", maxBytes: 9, usedBytes: 0, grantedBytes: 0 },
          { name: "job j", maxBytes: 5, usedBytes: 0, grantedBytes: 0 },
        ],
        holders: [
          { holder: "actor.1", quotas: ["namespace red", "job j"] },
          { holder: "driver", quotas: ["job j"] },
          { holder: "j", quotas: ["job j"] },
          { holder: "session-test", quotas: [] },
        ],
      },
    ]);
  });
});
