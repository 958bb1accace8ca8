import { parseHeadConfig } from "../../../packages/runtime/head/src/rules/config.js";
import type { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import type { ActorSpec } from "../../../packages/runtime/head/src/tables/actor.js";
import { noClaim } from "../../../packages/runtime/scheduler/src/claim.js";
import type { Quantities } from "../../../packages/runtime/scheduler/src/resources.js";
import { simulatedQuotas } from "../world/settings.js";
import type { World } from "../world/world.js";

/** What leases count against, by the name of the limit, from the tables and not from the ledger. */
interface Use {
  readonly cpus: Map<string, number>;
  readonly scopes: Map<string, number>;
  /** Whether somebody leases whose rows were lost or forgotten: for whom nobody knows. */
  unknown: boolean;
}

function limitOf(name: string): number | undefined {
  const [kind, whose = ""] = name.split(" ");
  const all: Readonly<Record<string, Quantities>> =
    kind === "job" ? simulatedQuotas.jobs : simulatedQuotas.namespaces;
  return (all[whose] ?? all["*"])?.["cpu"];
}

const scopeName = ({ namespace, scope }: Pick<ActorSpec, "namespace" | "scope">) =>
  scope && (namespace === "" ? scope.name : `${namespace}/${scope.name}`);

/** Counts every lease on every node. A lease in a bundle counts for its scope alone. */
function useOf(plane: ControlPlane): Use {
  const use: Use = { cpus: new Map(), scopes: new Map(), unknown: false };
  const count = (name: string, cpu: number) => use.cpus.set(name, (use.cpus.get(name) ?? 0) + cpu);
  for (const { nodeId } of plane.nodes.all())
    for (const [lease, { quantities, within }] of plane.nodes.leasesOn(nodeId)) {
      const cpu = quantities["cpu"] ?? 0;
      const actorId = /^actor\/(.*)#\d+$/.exec(lease)?.[1];
      const spec = actorId === undefined ? undefined : plane.actors.get(actorId)?.spec;
      const groupId = /^bundle\/([^/#]*)/.exec(lease)?.[1] ?? "";
      const whose = spec ?? plane.groupTable.get(groupId)?.spec;
      const jobId = /^driver\/(.*)$/.exec(lease)?.[1] ?? whose?.jobId ?? "";
      if (actorId !== undefined && spec === undefined) use.unknown = true;
      if (actorId !== undefined && spec === undefined) continue;
      const scope = spec && scopeName(spec);
      if (scope) use.scopes.set(scope, (use.scopes.get(scope) ?? 0) + 1);
      if (within !== "") continue;
      count(`namespace ${whose?.namespace || "default"}`, cpu);
      if (jobId !== "") count(`job ${jobId}`, cpu);
    }
  return use;
}

/** Checks whenever something is placed that it brought no quota and no scope above its limit (QUOTA-2). */
export function watchGrants(world: World, plane: ControlPlane): void {
  const enqueue = plane.pendingQueue.enqueue.bind(plane.pendingQueue);
  plane.pendingQueue.enqueue = (key, pending) =>
    enqueue(key, {
      ...pending,
      onPlaced: (nodeId) => {
        const use = useOf(plane);
        const actor = plane.actors.get(/^actor\/(.*)$/.exec(key)?.[1] ?? "");
        const jobId = actor?.spec.jobId ?? /^job\/(.*)$/.exec(key)?.[1] ?? "";
        const cpu = pending.request.resources["cpu"] ?? 0;
        for (const name of [`namespace ${actor?.spec.namespace || "default"}`, `job ${jobId}`]) {
          const [used, most] = [use.cpus.get(name) ?? 0, limitOf(name)];
          if (cpu > 0 && most !== undefined && used > most + 1e-9)
            world.records.violation("QUOTA-2", `${key} was placed, and ${name} uses ${used} of ${most} cpu`);
        }
        const scope = actor && scopeName(actor.spec);
        const running = use.scopes.get(scope ?? "") ?? 0;
        if (scope && running > (actor.spec.scope?.max ?? 0))
          world.records.violation("QUOTA-2", `${key} was placed as number ${running} of scope ${scope}`);
        pending.onPlaced(nodeId);
      },
    });
  const reserveBundle = plane.nodes.reserveBundle.bind(plane.nodes);
  plane.nodes.reserveBundle = (nodeId, lease, quantities, gpuIds) => {
    reserveBundle(nodeId, lease, quantities, gpuIds);
    const { cpus } = useOf(plane);
    const spec = plane.groupTable.get(/^bundle\/([^/#]*)/.exec(lease)?.[1] ?? "")?.spec;
    for (const name of [`namespace ${spec?.namespace || "default"}`, `job ${spec?.jobId ?? ""}`]) {
      const [used, most] = [cpus.get(name) ?? 0, limitOf(name)];
      if (most !== undefined && used > most + 1e-9)
        world.records.violation("QUOTA-2", `${lease} was placed, and ${name} uses ${used} of ${most} cpu`);
    }
  };
}

/** The milliseconds that a check's own account of a wait may be behind the head's. */
const behindMs = 1_000;

/** Gives actors of one namespace a higher priority, as those of an urgent job have. */
export function prioritize(plane: ControlPlane): void {
  const of = plane.claims.of.bind(plane.claims);
  plane.claims.of = (claimant) => ({ ...of(claimant), priority: claimant.namespace === "side" ? 1 : 0 });
}

/** Checks whenever an actor is stopped for others that this was allowed, by accounts of its own. */
export function watchPreemptions(world: World, plane: ControlPlane): void {
  const waiting = new Map<string, { readonly priority: number; readonly sinceMs: number }>();
  const { pendingQueue, lifecycle, actors } = plane;
  const enqueue = pendingQueue.enqueue.bind(pendingQueue);
  pendingQueue.enqueue = (key, pending) => {
    const { claim = noClaim } = pending.request;
    waiting.set(key, waiting.get(key) ?? { priority: claim.priority, sinceMs: world.scheduler.nowMs });
    const onPlaced = (nodeId: string) => {
      waiting.delete(key);
      pending.onPlaced(nodeId);
    };
    enqueue(key, { ...pending, onPlaced });
  };
  const remove = pendingQueue.remove.bind(pendingQueue);
  pendingQueue.remove = (key) => {
    waiting.delete(key);
    remove(key);
  };
  const aliveSinceMs = new Map<string, number>();
  actors.onChange(({ spec: { actorId }, state, incarnation }) => {
    const process = `${actorId}#${incarnation}`;
    if (state === "ALIVE" && !aliveSinceMs.has(process)) aliveSinceMs.set(process, world.scheduler.nowMs);
  });
  const { preemptAfterMs } = parseHeadConfig({ dataDir: "/nowhere" });
  const preempt = lifecycle.preempt.bind(lifecycle);
  lifecycle.preempt = (actorId, reason) => {
    const actor = actors.get(actorId);
    const beforeMs = world.scheduler.nowMs - preemptAfterMs + behindMs;
    const isStopped = preempt(actorId, reason);
    if (!isStopped || actor === undefined) return isStopped;
    const { spec, incarnation } = actor;
    world.records.preempted(actorId, incarnation);
    if (!spec.preemptible || spec.placement !== undefined)
      world.records.violation("PREEMPT-3", `${actorId} is stopped for others, and did not say so`);
    if ((aliveSinceMs.get(`${actorId}#${incarnation}`) ?? 0) > beforeMs)
      world.records.violation("PREEMPT-3", `${actorId} is stopped for others, and has just begun`);
    const priority = spec.namespace === "side" ? 1 : 0;
    if (![...waiting.values()].some((other) => other.priority > priority && other.sinceMs <= beforeMs))
      world.records.violation("PREEMPT-4", `${actorId} is stopped for others, and none goes before it`);
    return isStopped;
  };
}

/** Checks that the ledger has counted what the nodes' leases are (QUOTA-1). */
export function checkLedger(world: World, plane: ControlPlane): void {
  if (!world.settings.shares) return;
  const { cpus, scopes, unknown } = useOf(plane);
  if (unknown) return;
  for (const name of ["namespace default", "namespace side"]) {
    const [used, counted] = [cpus.get(name) ?? 0, plane.ledger.ofQuota(name)["cpu"] ?? 0];
    if (Math.abs(used - counted) > 1e-9)
      world.records.violation("QUOTA-1", `${name} leases ${used} cpu, and ${counted} are counted`);
  }
  for (const name of ["s", "side/s"]) {
    const [running, counted] = [scopes.get(name) ?? 0, plane.ledger.ofScope(name)];
    if (running !== counted)
      world.records.violation("QUOTA-1", `${running} of scope ${name} run, and ${counted} are counted`);
  }
}

/** What waits: an actor, a driver or a group. */
interface Asker {
  readonly cpu: number;
  readonly jobId: string;
  readonly namespace?: string;
  readonly scope?: ActorSpec["scope"];
}

/** Returns whether a quota or scope keeps it from being placed, by accounts of its own. */
export function isLimited(plane: ControlPlane, { cpu, jobId, namespace = "", scope }: Asker): boolean {
  const { cpus, scopes } = useOf(plane);
  const running = scope && scopes.get(scopeName({ namespace, scope }) ?? "");
  if (scope && (running ?? 0) >= scope.max) return true;
  if (plane.claims.quota("namespace default") === undefined || cpu === 0) return false;
  const names = [`namespace ${namespace || "default"}`, ...(jobId === "" ? [] : [`job ${jobId}`])];
  return names.some((name) => {
    const most = limitOf(name);
    return most !== undefined && (cpus.get(name) ?? 0) + cpu > most + 1e-9;
  });
}
