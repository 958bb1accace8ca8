import { noClaim } from "../claim.js";
import { IndexedHeap } from "../indexed-heap.js";
import { TestCluster } from "./cluster.js";

/** A tenant that asks for leases of one CPU. */
export interface Tenant {
  readonly name: string;
  readonly weight: number;
  /** Leases that it asks for at once, and the seconds from one time to the next. */
  readonly burst: number;
  readonly everySeconds: number;
}

export interface TenantFigures {
  readonly name: string;
  readonly weight: number;
  readonly asked: number;
  readonly cpuSeconds: number;
  readonly waitSeconds: { readonly p50: number; readonly p99: number };
}

interface Event {
  readonly id: string;
  readonly atSeconds: number;
  readonly tenant: Tenant;
  /** The lease that ends; undefined when the tenant asks. */
  readonly lease: string | undefined;
  readonly sinceSeconds: number;
}

/**
 * Lets tenants share a cluster in simulated time. Leases last 10 seconds on average, exponentially distributed. The
 * figures are those of the time after the first tenth.
 */
export function shareCluster(
  tenants: readonly Tenant[],
  cpus: number,
  seconds: number,
  random: () => number,
): TenantFigures[] {
  const cluster = new TestCluster();
  for (let node = 0; node < cpus / 10; node++) cluster.join(`n${node}`, { cpu: 10 });
  const events = new IndexedHeap<Event>(
    ({ id }) => id,
    (a, b) => a.atSeconds - b.atSeconds,
  );
  const asked = new Map<string, { readonly tenant: Tenant; readonly atSeconds: number }>();
  const waits = new Map(tenants.map(({ name }) => [name, [] as number[]]));
  const used = new Map(tenants.map(({ name }) => [name, 0]));
  const fromSeconds = seconds / 10;
  for (const tenant of tenants)
    events.set({ id: tenant.name, atSeconds: random() * tenant.everySeconds, tenant, ...asking });
  let [ids, tickedSeconds] = [0, 0];
  for (;;) {
    const event = events.top();
    if (event === undefined || event.atSeconds >= seconds) break;
    const { atSeconds, tenant, lease } = event;
    events.delete(event.id);
    cluster.nowMs = atSeconds * 1000;
    if (atSeconds >= tickedSeconds + 1) {
      tickedSeconds = atSeconds;
      cluster.tick();
    }
    if (lease === undefined) {
      for (let each = 0; each < tenant.burst; each++) {
        const key = `lease-${ids++}`;
        asked.set(key, { tenant, atSeconds });
        const { name: fairnessKey, weight } = tenant;
        cluster.ask({ key, claim: { ...noClaim, fairnessKey, weight }, resources: { cpu: 1 } });
      }
      events.set({ ...event, atSeconds: atSeconds + tenant.everySeconds });
    } else {
      cluster.end(lease);
      const countedSeconds = atSeconds - Math.max(fromSeconds, event.sinceSeconds);
      if (countedSeconds > 0) used.set(tenant.name, (used.get(tenant.name) ?? 0) + countedSeconds);
    }
    for (let placed = cluster.place(); placed !== undefined; placed = cluster.place()) {
      const request = asked.get(placed.key);
      if (request === undefined) continue;
      asked.delete(placed.key);
      if (request.atSeconds >= fromSeconds)
        waits.get(request.tenant.name)?.push(atSeconds - request.atSeconds);
      const endSeconds = atSeconds - 10 * Math.log(1 - random());
      const { key } = placed;
      events.set({
        id: key,
        atSeconds: endSeconds,
        tenant: request.tenant,
        lease: key,
        sinceSeconds: atSeconds,
      });
    }
  }
  return tenants.map(({ name, weight }) => {
    const all = (waits.get(name) ?? []).sort((a, b) => a - b);
    const at = (part: number) => all[Math.floor(part * (all.length - 1))] ?? 0;
    return {
      ...{ name, weight, asked: all.length, cpuSeconds: used.get(name) ?? 0 },
      waitSeconds: { p50: at(0.5), p99: at(0.99) },
    };
  });
}

const asking = { lease: undefined, sinceSeconds: 0 } as const;

/**
 * Nine tenants of different or equal weights that together ask for three times what the cluster has, and a tenth that asks for a
 * hundredth of that, three times the cluster at once.
 */
export function tenTenants(cpus: number, equal = false): Tenant[] {
  const weights = [1, 1, 2, 2, 3, 3, 4, 4, 5].map((weight) => (equal ? 1 : weight));
  const sum = weights.reduce((a, b) => a + b, 0);
  const big = weights.map((weight, index): Tenant => {
    // In leases of 10 seconds the cluster has cpus / 10 of them a second.
    const leasesASecond = (3 * (cpus / 10) * weight) / sum;
    return { name: `tenant-${index}`, weight, burst: 10, everySeconds: 10 / leasesASecond };
  });
  const small: Tenant = { name: "small", weight: equal ? 1 : 3, burst: 3 * cpus, everySeconds: 1000 };
  return [...big, small];
}
