import { describe, expect, it } from "vitest";
import { processorMs } from "../../../../test/support/processor-time.js";
import { type Claim, noClaim } from "./claim.js";
import { TestCluster } from "./testing/cluster.js";
import { plantedShareBugs, randomOf, runSchedule } from "./testing/schedule.js";
import { shareCluster, tenTenants } from "./testing/tenants.js";

const claimOf = (over: Partial<Claim>): Claim => ({ ...noClaim, ...over });

/** Asks for leases of one CPU each, named after the claim's key. */
function ask(cluster: TestCluster, count: number, over: Partial<Claim>, cpu = 1): void {
  const from = cluster.waiting.size + cluster.placed.size;
  for (let each = 0; each < count; each++)
    cluster.ask({
      key: `${over.fairnessKey ?? ""}#${from + each}`,
      claim: claimOf(over),
      resources: { cpu },
    });
}

function placeAll(cluster: TestCluster): string[] {
  const keys: string[] = [];
  for (let placed = cluster.place(); placed !== undefined; placed = cluster.place())
    keys.push(placed.claim.fairnessKey);
  return keys;
}

const countOf = (keys: readonly string[], key: string) => keys.filter((other) => other === key).length;

describe("fair shares", () => {
  it("SHARES-1: ten tenants get what their weights are worth, and one that asks for little waits little", () => {
    const tenants = tenTenants(50);
    const together = shareCluster(tenants, 50, 4000, randomOf(1));
    const [alone] = shareCluster(tenants.slice(-1), 50, 4000, randomOf(2));
    const small = together.pop();
    const cpuSeconds = together.reduce((sum, tenant) => sum + tenant.cpuSeconds, 0);
    const weights = together.reduce((sum, tenant) => sum + tenant.weight, 0);
    for (const tenant of together) {
      const part = tenant.cpuSeconds / cpuSeconds / (tenant.weight / weights);
      expect(part, tenant.name).toBeGreaterThan(0.9);
      expect(part, tenant.name).toBeLessThan(1.1);
    }
    expect(small?.asked).toBeGreaterThan(300);
    expect(small?.waitSeconds.p99).toBeLessThan(2 * (alone?.waitSeconds.p99 ?? 0));
  });

  it("SHARES-1: one pass over free nodes spreads over the keys by weight", () => {
    const cluster = new TestCluster();
    cluster.join("n", { cpu: 12 });
    ask(cluster, 20, { fairnessKey: "a" });
    ask(cluster, 20, { fairnessKey: "b", weight: 2 });
    const keys = placeAll(cluster);
    expect([countOf(keys, "a"), countOf(keys, "b")]).toEqual([4, 8]);
  });

  it("SHARES-2: what a key used while nobody else waited decides whose turn it is, and is forgotten", () => {
    const turnAfter = (idleMs: number) => {
      const cluster = new TestCluster();
      cluster.join("n", { cpu: 10 });
      ask(cluster, 10, { fairnessKey: "busy" });
      placeAll(cluster);
      cluster.nowMs += 600_000;
      for (const key of [...cluster.placed.keys()]) cluster.end(key);
      cluster.nowMs += idleMs;
      cluster.tick();
      ask(cluster, 5, { fairnessKey: "busy" });
      ask(cluster, 10, { fairnessKey: "new" });
      return countOf(placeAll(cluster), "new");
    };
    expect(turnAfter(0)).toBe(10);
    expect(turnAfter(100 * 60_000)).toBe(5);
  });

  it("SHARES-2: the weight of a key is forgotten with what it used, and not before", () => {
    const cluster = new TestCluster();
    cluster.join("n", { cpu: 1 });
    const { shares } = cluster.ledger;
    ask(cluster, 1, { fairnessKey: "job", weight: 3 });
    placeAll(cluster);
    expect(shares.of("job").weight).toBe(3);
    cluster.nowMs += 600_000;
    for (const key of [...cluster.placed.keys()]) cluster.end(key);
    cluster.tick();
    expect(shares.of("job").weight).toBe(3);
    cluster.nowMs += 100 * 60_000;
    cluster.tick();
    expect(shares.of("job").weight).toBe(1);
  });

  it("TURNS-1, INDEX-2: priority goes first, then the share, then age", () => {
    const cluster = new TestCluster();
    cluster.join("n", { cpu: 3 });
    ask(cluster, 2, { fairnessKey: "a" });
    ask(cluster, 1, { fairnessKey: "b" });
    ask(cluster, 1, { fairnessKey: "c", priority: 1 });
    expect(placeAll(cluster)).toEqual(["c", "a", "b"]);
  });

  it("QUOTA-1, QUOTA-2, QUOTA-3, INDEX-5: no schedule exceeds a limit or leaves what may run", () => {
    for (let seed = 1; seed <= 150; seed++) expect(runSchedule(seed), `seed ${seed}`).toBeUndefined();
  });

  for (const [name, plant] of Object.entries(plantedShareBugs))
    it(`schedules find a planted bug: ${name}`, () => {
      let found = false;
      for (let seed = 1; seed <= 200 && !found; seed++) found = runSchedule(seed, 60, plant) !== undefined;
      expect(found).toBe(true);
    });

  it("a decision costs the same however many requests wait, of one key or of many", () => {
    const costOf = (waiting: number, keys: number) => {
      const cluster = new TestCluster((name) => (name === "namespace full" ? { cpu: 1 } : undefined));
      cluster.join("n", { cpu: 100 });
      ask(cluster, 100, {});
      placeAll(cluster);
      for (let each = 0; each < waiting; each++)
        cluster.ask({
          key: `w${each}`,
          claim: claimOf({ fairnessKey: `key-${each % keys}`, weight: 1 + (each % 3) }),
          resources: { cpu: 1 },
        });
      // As many again wait for a full quota.
      for (let each = 0; each < waiting; each++)
        cluster.ask({
          key: `q${each}`,
          claim: claimOf({ fairnessKey: "full", quotas: ["namespace full"] }),
          resources: { cpu: 2 },
        });
      const decide = (decisions: number) => {
        for (let each = 0; each < decisions; each++) {
          const [ended] = cluster.placed.keys();
          cluster.end(ended ?? "");
          if (cluster.place() === undefined) throw new Error("nothing was placed");
        }
      };
      decide(200);
      const before = processorMs();
      decide(1000);
      return processorMs() - before;
    };
    const few = costOf(2_000, 50);
    expect(costOf(100_000, 20_000)).toBeLessThan(4 * few + 100);
  });

  it("says which limit keeps a request waiting, with use and limit, and what its share is", () => {
    const cluster = new TestCluster((name) => (name === "namespace x" ? { cpu: 8 } : undefined));
    cluster.join("n", { cpu: 12 });
    const quotas = ["namespace x"];
    const scope = { name: "crawler", max: 4 };
    ask(cluster, 8, { quotas });
    ask(cluster, 4, { scope });
    placeAll(cluster);
    const reason = (over: Partial<Claim>, cpu = 1) =>
      cluster.index.explain({ resources: { cpu }, labels: {}, claim: claimOf(over) });
    expect(reason({ quotas })).toBe("quota cpu of namespace x: 8 of 8 used");
    expect(reason({ quotas }, 9)).toBe("quota cpu of namespace x: 8 of 8 used, of which it asks for 9");
    expect(reason({ scope })).toBe("scope crawler: 4 of 4 at a time");
    ask(cluster, 1, { fairnessKey: "a", weight: 2 });
    ask(cluster, 1, { fairnessKey: "b" });
    expect(reason({ fairnessKey: "a", weight: 2 })).toBe(
      "needs 1 cpu: n has 0 of 12 cpu; share a: leases 0 % of the cluster at weight 2",
    );
  });
});
