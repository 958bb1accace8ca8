import { type Claim, noClaim } from "../claim.js";
import type { FairShares } from "../fair-shares.js";
import type { PlacementRequest } from "../placement.js";
import { choosePreemption, type Preemption, type Yielding } from "../preemption.js";
import { addQuantities, fits, type Quantities } from "../resources.js";
import { type Placed, TestCluster } from "./cluster.js";
import { randomOf, type Violation } from "./schedule.js";

/** What a planted bug changes of the decision. */
export interface PreemptionPlant {
  readonly mayTake?: (original: FairShares["mayTake"]) => FairShares["mayTake"];
  readonly leases?: (leases: readonly Yielding[]) => readonly Yielding[];
  readonly choice?: (choice: Preemption, leases: readonly Yielding[]) => Preemption;
}

const weights: Readonly<Record<string, number>> = { "": 1, p: 1, q: 3, r: 2 };
const totals: Quantities = { cpu: 10, memory: 120 };

/**
 * Fills two nodes with leases that the seed decides, half of which may end for others, lets some time pass, and asks
 * for one request that has no room. It compares the choice with accounts of its own, and then looks whether what has
 * ended could take its place back.
 */
export function runPreemption(seed: number, plant: PreemptionPlant = {}): Violation | undefined {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const claimOf = (): Claim => {
    const fairnessKey = pick(Object.keys(weights));
    return { ...noClaim, fairnessKey, weight: weights[fairnessKey] ?? 1, priority: pick([0, 0, 0, 5, -1]) };
  };
  const sizes: readonly Quantities[] = [{ cpu: 1 }, { cpu: 2 }, { cpu: 1, memory: 30 }, { memory: 20 }];
  const cluster = new TestCluster();
  cluster.join("n1", { cpu: 6, memory: 60 });
  cluster.join("n2", { cpu: 4, memory: 60 });
  const yields = new Map<string, number>();
  for (let each = 0; each < 30; each++) {
    cluster.ask({ key: `l${each}`, claim: claimOf(), resources: pick(sizes) });
    for (let placed = cluster.place(); placed !== undefined; placed = cluster.place())
      if (random() < 0.6) yields.set(placed.key, cluster.nowMs);
    cluster.nowMs += 1_000;
  }
  for (const { key } of [...cluster.waiting.values()]) cluster.cancel(key);
  cluster.nowMs += random() * 600_000;
  const claim = claimOf();
  const request: PlacementRequest = {
    claim,
    labels: {},
    resources: pick([{ cpu: 1 }, { cpu: 3 }, { cpu: 2, memory: 40 }]),
  };
  const { shares } = cluster.ledger;
  shares.weigh(claim.fairnessKey, claim.weight);
  const roomWithout = (nodeId: string, ended: readonly Quantities[]): boolean =>
    fits(ended.reduce(addQuantities, cluster.nodes.get(nodeId)?.available ?? {}), request.resources);
  if ([...cluster.nodes.keys()].some((nodeId) => roomWithout(nodeId, []))) return undefined;

  const held = (key: string, change: Quantities, sign: 1 | -1): number => {
    const names = Object.keys(totals).map((name) => {
      let sum = sign * (change[name] ?? 0);
      for (const placed of cluster.placed.values())
        if (placed.claim.fairnessKey === key) sum += placed.resources[name] ?? 0;
      return sum / (totals[name] ?? 1);
    });
    return Math.max(0, ...names) / (weights[key] ?? 1);
  };
  const yieldingOf = ({ key, nodeId, claim, resources }: Placed): Yielding => ({
    ...{ name: key, nodeId, claim, quantities: resources, gpuIds: [], sinceMs: yields.get(key) ?? 0 },
  });
  const leases = [...cluster.placed.values()].filter(({ key }) => yields.has(key)).map(yieldingOf);
  const mayTake = shares.mayTake.bind(shares);
  const planted = {
    score: shares.score.bind(shares),
    mayTake: plant.mayTake?.(mayTake) ?? mayTake,
  };
  const found = choosePreemption(cluster.nodes.values(), plant.leases?.(leases) ?? leases, request, planted);
  const choice = found && (plant.choice?.(found, leases) ?? found);
  if (choice === undefined) {
    const lower = leases.filter((lease) => lease.claim.priority < claim.priority);
    for (const nodeId of cluster.nodes.keys()) {
      const there = lower.filter((lease) => lease.nodeId === nodeId).map(({ quantities }) => quantities);
      if (roomWithout(nodeId, there))
        return { invariant: "PREEMPT-2", message: `nothing ends on ${nodeId}, where enough could` };
    }
    return undefined;
  }
  const victims = choice.victims
    .map(({ name }) => cluster.placed.get(name))
    .filter((one) => one !== undefined);
  const taken = new Map<string, Quantities>();
  for (const { key, claim: own, resources, nodeId } of victims) {
    if (!yields.has(key) || nodeId !== choice.nodeId)
      return { invariant: "PREEMPT-3", message: `${key} ends, which did not say so or is elsewhere` };
    if (own.priority > claim.priority)
      return { invariant: "PREEMPT-1", message: `${key} ends for a request of a lower priority` };
    if (own.priority === claim.priority)
      taken.set(own.fairnessKey, addQuantities(taken.get(own.fairnessKey) ?? {}, resources));
  }
  for (const [key, quantities] of taken) {
    const [after, left] = [held(claim.fairnessKey, request.resources, 1), held(key, quantities, -1)];
    if (key === claim.fairnessKey || after > left + 1e-9)
      return { invariant: "PREEMPT-1", message: `${key} gives, and has ${left} then beside ${after}` };
  }
  const sizesOf = (placed: readonly Placed[]) => placed.map(({ resources }) => resources);
  if (!roomWithout(choice.nodeId, sizesOf(victims)))
    return { invariant: "PREEMPT-2", message: `${victims.length} leases end, and there is still no room` };
  for (const spared of victims)
    if (roomWithout(choice.nodeId, sizesOf(victims.filter((other) => other !== spared))))
      return { invariant: "PREEMPT-2", message: `${spared.key} ends and need not` };
  return comesBack(cluster, request, choice, planted.mayTake);
}

/** Lets the leases end and the request begin; then none of what ended may end the request's lease. */
function comesBack(
  cluster: TestCluster,
  { claim = noClaim, resources }: PlacementRequest,
  { nodeId, victims }: Preemption,
  mayTake: FairShares["mayTake"],
): Violation | undefined {
  for (const { name } of victims) cluster.end(name);
  cluster.ask({ key: "new", claim, resources });
  const placed = cluster.place();
  const lease = { name: "new", nodeId: placed?.nodeId ?? nodeId, claim, quantities: resources };
  const yielding: Yielding = { ...lease, gpuIds: [], sinceMs: cluster.nowMs };
  const { shares } = cluster.ledger;
  for (const victim of victims) {
    const back = { claim: victim.claim, labels: {}, resources: victim.quantities };
    const nodes = [...cluster.nodes.values()].map((node) => ({ ...node, available: {} }));
    const again = choosePreemption(nodes, [yielding], back, { score: shares.score.bind(shares), mayTake });
    if (again !== undefined)
      return { invariant: "PREEMPT-1", message: `${victim.name} ended and takes its place back` };
  }
  return undefined;
}

/** Bugs that are planted into the decision, each of which some seed must find. */
export const plantedPreemptionBugs: Readonly<Record<string, PreemptionPlant>> = {
  "who has as much yields, too": { mayTake: () => () => true },
  "a key yields to itself": {
    mayTake: (original) => (taker, taken, giver, given) =>
      taker === giver || original(taker, taken, giver, given),
  },
  "what the request takes does not count": {
    mayTake: (original) => (taker, _taken, giver, given) => original(taker, {}, giver, given),
  },
  "what a key gives does not count": {
    mayTake: (original) => (taker, taken, giver) => original(taker, taken, giver, {}),
  },
  "of a key's leases each counts alone": {
    mayTake:
      (original) =>
      (taker, taken, giver, { cpu = 0, memory = 0 }) =>
        original(taker, taken, giver, { cpu: Math.min(1, cpu), memory: Math.min(20, memory) }),
  },
  "a low number is a high priority": {
    leases: (leases) =>
      leases.map((lease) => ({ ...lease, claim: { ...lease.claim, priority: -lease.claim.priority } })),
  },
  "one lease more ends": {
    choice: ({ nodeId, victims }, leases) => {
      const more = leases.find((lease) => lease.nodeId === nodeId && !victims.includes(lease));
      return { nodeId, victims: more ? [...victims, more] : victims };
    },
  },
  "one lease fewer ends": { choice: ({ nodeId, victims }) => ({ nodeId, victims: victims.slice(1) }) },
  "the leases of another node end": {
    choice: ({ nodeId, victims }) => ({ nodeId: nodeId === "n1" ? "n2" : "n1", victims }),
  },
};
