import { type Claim, claimKeyOf, noClaim } from "../claim.js";
import type { Ledger } from "../ledger.js";
import { place } from "../placement.js";
import { addQuantities, fits, type Quantities } from "../resources.js";
import { type Asked, TestCluster } from "./cluster.js";

/** What broke in a schedule: the invariant, and how. */
export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

const quotas: Readonly<Record<string, Quantities>> = {
  "namespace a": { cpu: 6, gpu: 2 },
  "namespace b": { cpu: 3, memory: 40 },
  "job x": { cpu: 4, gpu: 1 },
};

/** Returns numbers of at least 0 and below 1 that follow from the seed. */
export function randomOf(seed: number): () => number {
  let state = (Math.imul(seed, 2654435761) ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs one schedule: requests of tenants with priorities, weights, quotas and scopes come, are placed, wait, are
 * canceled and end in an order that the seed decides, on nodes of two kinds. After each step it compares what was placed
 * with accounts of its own. Time stands still, so that shares are what is leased.
 */
export function runSchedule(
  seed: number,
  steps = 60,
  plant: (cluster: TestCluster) => void = () => undefined,
): Violation | undefined {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const cluster = new TestCluster((name) => quotas[name]);
  plant(cluster);
  const totals: Quantities = { cpu: 10, gpu: 3, memory: 120 };
  cluster.join("n1", { cpu: 6, memory: 60 });
  cluster.join("n2", { cpu: 4, gpu: 3, memory: 60 });
  const weights: Readonly<Record<string, number>> = { "": 1, p: 1, q: 3 };
  const counted = new Map<string, Quantities>();

  const usedBy = (includes: (claim: Claim) => boolean) => {
    let used: Quantities = {};
    for (const { key, claim } of cluster.placed.values())
      if (includes(claim)) used = addQuantities(used, counted.get(key) ?? {});
    return used;
  };
  const limited = ({ claim, resources }: Asked): string | undefined => {
    for (const name of claim.quotas) {
      const used = addQuantities(
        usedBy((other) => other.quotas.includes(name)),
        resources,
      );
      const over = Object.entries(quotas[name] ?? {}).find(
        ([resource, most]) => (resources[resource] ?? 0) > 0 && (used[resource] ?? 0) > most,
      );
      if (over !== undefined) return `quota ${over[0]} of ${name}: ${used[over[0]]} of ${over[1]}`;
    }
    const { scope } = claim;
    if (scope === undefined) return undefined;
    const running = [...cluster.placed.values()].filter((other) => other.claim.scope?.name === scope.name);
    return running.length < scope.max ? undefined : `scope ${scope.name}: ${running.length} of ${scope.max}`;
  };
  const scoreOf = (fairnessKey: string) => {
    const used = usedBy((claim) => claim.fairnessKey === fairnessKey);
    const parts = Object.entries(used).map(([name, amount]) => amount / (totals[name] ?? 1));
    return Math.max(0, ...parts) / (weights[fairnessKey] ?? 1);
  };
  const mayGo = (asked: Asked) =>
    limited(asked) === undefined &&
    place(cluster.nodes.values(), { resources: asked.resources, labels: {} }) !== undefined;

  function placeAll(): Violation | undefined {
    for (;;) {
      const ready = [...cluster.waiting.values()].filter(mayGo);
      const before = new Map([...cluster.waiting.values()].map((asked) => [asked.key, limited(asked)]));
      const scores = new Map(Object.keys(weights).map((key) => [key, scoreOf(key)]));
      const placed = cluster.place();
      if (placed === undefined) {
        const [first] = ready;
        if (first === undefined) return undefined;
        return { invariant: "INDEX-5", message: `${first.key} waits, and nothing keeps it` };
      }
      const { key, claim } = placed;
      const limit = before.get(key);
      if (limit !== undefined) return { invariant: "QUOTA-2", message: `${key} was placed above ${limit}` };
      counted.set(key, placed.resources);
      const score = (fairnessKey: string) => scores.get(fairnessKey) ?? 0;
      for (const other of ready) {
        if (other.claim.priority > claim.priority)
          return { invariant: "INDEX-2", message: `${key} went before ${other.key} of a higher priority` };
        if (other.claim.priority < claim.priority) continue;
        const behind = score(claim.fairnessKey) - score(other.claim.fairnessKey);
        if (behind > 1e-9)
          return { invariant: "INDEX-2", message: `${key} went before ${other.key} with a smaller share` };
        const isOlder = Number(other.key.slice(1)) < Number(key.slice(1));
        const alike = claimKeyOf(other.claim) === claimKeyOf(claim);
        if (
          isOlder &&
          alike &&
          fits(other.resources, placed.resources) &&
          fits(placed.resources, other.resources)
        )
          return { invariant: "INDEX-2", message: `${key} went before ${other.key}, which is older` };
      }
    }
  }

  for (let step = 0; step < steps; step++) {
    const what = random();
    if (what < 0.55) {
      const fairnessKey = pick(Object.keys(weights));
      const claim: Claim = {
        ...{ fairnessKey, weight: weights[fairnessKey] ?? 1, priority: pick([0, 0, 0, 5, -1]) },
        quotas: pick([[], ["namespace a"], ["namespace b"], ["namespace a", "job x"]]),
        scope: pick([undefined, undefined, { name: "s", max: 2 }, { name: "s", max: 3 }]),
      };
      const resources = pick<Quantities>([{ cpu: 1 }, { cpu: 2 }, { gpu: 1 }, { cpu: 1, memory: 30 }, {}]);
      cluster.ask({ key: `r${step}`, claim: random() < 0.2 ? noClaim : claim, resources });
    } else if (what < 0.85 && cluster.placed.size > 0) {
      const { key } = pick([...cluster.placed.values()]);
      cluster.end(key);
      counted.delete(key);
    } else if (what < 0.92 && cluster.waiting.size > 0) {
      const { key } = pick([...cluster.waiting.values()]);
      cluster.cancel(key);
    } else if (cluster.placed.size > 0) {
      const { key, resources } = pick([...cluster.placed.values()]);
      const { cpu = 0, ...others } = resources;
      const lends = cpu > 0 && counted.get(key)?.["cpu"] !== undefined;
      counted.set(key, lends ? others : resources);
      cluster.count(key, lends ? others : resources);
    }
    const violation = placeAll();
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** Bugs that are planted into the queue and its ledger, each of which some schedule must find. */
export const plantedShareBugs: Readonly<Record<string, (cluster: TestCluster) => void>> = {
  "a quota counts CPUs alone": ({ ledger }) => {
    const blocking = ledger.blocking.bind(ledger);
    ledger.blocking = (claim, { cpu = 0 }) => blocking(claim, { cpu });
  },
  "a quota is full only when nothing is left of it": ({ ledger }) => {
    const blocking = ledger.blocking.bind(ledger);
    ledger.blocking = (claim, resources) =>
      blocking(
        claim,
        Object.fromEntries(Object.entries(resources).map(([name, need]) => [name, Math.min(need, 0.5)])),
      );
  },
  "only the first of two quotas counts": ({ ledger }) => {
    const blocking = ledger.blocking.bind(ledger);
    ledger.blocking = (claim, resources) =>
      blocking({ ...claim, quotas: claim.quotas.slice(0, 1) }, resources);
  },
  "quotas are not asked": ({ ledger }) => {
    const blocking = ledger.blocking.bind(ledger);
    ledger.blocking = (claim, resources) => blocking({ ...claim, quotas: [] }, resources);
  },
  "scopes are not asked": ({ ledger }) => {
    const blocking = ledger.blocking.bind(ledger);
    ledger.blocking = (claim, resources) => blocking({ ...claim, scope: undefined }, resources);
  },
  "one more than a scope allows": ({ ledger }) => {
    const ofScope = ledger.ofScope.bind(ledger);
    ledger.ofScope = (name) => Math.max(0, ofScope(name) - 1);
  },
  "a limit is asked before the lease of the same turn counts": ({ ledger }) => {
    const take = ledger.take.bind(ledger);
    let late: () => void = () => undefined;
    ledger.take = (lease, claim, quantities) => {
      late();
      late = () => take(lease, claim, quantities);
    };
  },
  "a lease that has ended still counts": ({ ledger }) => {
    ledger.giveBack = () => undefined;
  },
  "a lease is given back twice": ({ ledger }) => {
    const giveBack = ledger.giveBack.bind(ledger);
    const take = ledger.take.bind(ledger);
    const claims = new Map<string, Parameters<Ledger["take"]>>();
    ledger.take = (...taken) => {
      claims.set(taken[0], taken);
      take(...taken);
    };
    ledger.giveBack = (lease) => {
      giveBack(lease);
      const [, claim, quantities = {}] = claims.get(lease) ?? [];
      if (claim !== undefined)
        ledger.take(
          `again ${lease}`,
          claim,
          Object.fromEntries(Object.entries(quantities).map(([name, amount]) => [name, -amount])),
        );
    };
  },
  "nobody is woken when a limit has room": ({ ledger }) => {
    ledger.park = () => undefined;
  },
  "who was woken is not woken again": ({ ledger }) => {
    const park = ledger.park.bind(ledger);
    const known = new Set<string>();
    ledger.park = (limit, wake) => {
      if (!known.has(limit)) park(limit, wake);
      known.add(limit);
    };
  },
  "what a waiting task lends still counts": ({ ledger }) => {
    const take = ledger.take.bind(ledger);
    const known = new Set<string>();
    ledger.take = (lease, claim, quantities) => {
      if (!known.has(lease)) take(lease, claim, quantities);
      known.add(lease);
    };
  },
  "weights do not matter": ({ ledger: { shares } }) => {
    const change = shares.change.bind(shares);
    shares.weigh = () => undefined;
    shares.change = (key, quantities, sign) => change(key, quantities, sign);
  },
  "what a key has given back still counts": ({ ledger: { shares } }) => {
    const change = shares.change.bind(shares);
    shares.change = (key, quantities, sign) => {
      if (sign === 1) change(key, quantities, sign);
    };
  },
  "a key's share is taken when its first request comes": ({ index }) => {
    index.rescore = () => undefined;
  },
  "the share of CPUs alone decides": ({ ledger: { shares } }) => {
    const change = shares.change.bind(shares);
    shares.change = (key, { cpu = 0 }, sign) => change(key, { cpu }, sign);
  },
  "priorities do not matter": ({ index }) => {
    const add = index.add.bind(index);
    index.add = (key, { claim = noClaim, ...request }, sinceMs) =>
      add(key, { ...request, claim: { ...claim, priority: 0 } }, sinceMs);
  },
  "a low number is a high priority": ({ index }) => {
    const add = index.add.bind(index);
    index.add = (key, { claim = noClaim, ...request }, sinceMs) =>
      add(key, { ...request, claim: { ...claim, priority: -claim.priority } }, sinceMs);
  },
  "fairness keys do not matter": ({ index }) => {
    const add = index.add.bind(index);
    index.add = (key, { claim = noClaim, ...request }, sinceMs) =>
      add(key, { ...request, claim: { ...claim, fairnessKey: "" } }, sinceMs);
  },
  "a request without a claim waits for the limits of another one": ({ index }) => {
    const add = index.add.bind(index);
    let last: Claim | undefined;
    index.add = (key, request, sinceMs) => {
      if (request.claim !== noClaim) last = request.claim;
      add(key, { ...request, claim: last ?? request.claim }, sinceMs);
    };
  },
};
