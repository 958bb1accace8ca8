/**
 * Responsibility: starts nodes for pending demand and ends idle ones, periodically, for as long as its head leads.
 * Not responsible for: which nodes are lacking (planNodes), where they come from (NodeProvider), or which are idle (the
 * head).
 *
 * Invariants:
 * - AUTOSCALER-1. Instances are named from a set of `maxNodes` names per node type, so that several heads together
 *   start no more than that, whatever they know of each other.
 * - AUTOSCALER-2. Nothing is started or ended before the store has confirmed that this head still leads.
 * - AUTOSCALER-3. A node is ended only if it is idle, above minNodes, and not one that the plan would start again.
 * - AUTOSCALER-4. A failed operation is retried after a delay that doubles. A failure of one node type delays no other.
 * - AUTOSCALER-5. The state is read from the provider and the head each time, so that a restarted autoscaler continues
 *   where the previous one stopped.
 */

import { type AutoscalerReport, planNodes, type ScalableCluster } from "@palimpsest/scheduler";
import { type Clock, withDeadline } from "@palimpsest/std";
import type { Logger, Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { Backoff } from "./backoff.js";
import type { AutoscaleConfig, NodeTypeConfig } from "./config.js";
import { countsOf, type Member, membersOf, viewsOf } from "./fleet.js";
import { limitLaunches } from "./launches.js";
import type { Instance, NodeProvider } from "./provider.js";
import { endTimeoutMs, Requests } from "./requests.js";

export interface AutoscalerDeps {
  readonly cluster: ScalableCluster;
  readonly provider: NodeProvider;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Adds nodes for requests that wait, and removes idle ones. */
export class Autoscaler {
  readonly #config: AutoscaleConfig;
  readonly #deps: AutoscalerDeps;
  readonly #types: readonly NodeTypeConfig[];
  readonly #requests: Requests;
  readonly #abort = new AbortController();
  readonly #listing: Backoff;
  readonly #backoffs: ReadonlyMap<string, Backoff>;
  readonly #errors = new Map<string, string>();
  /** Instances that this autoscaler has ended: their names, and when each was created. */
  readonly #terminated = new Map<string, number>();
  readonly #joined = new Map<string, number>();
  #members: readonly Member[] = [];
  #unmet: AutoscalerReport["unmet"] = [];
  #cancelNext: (() => void) | undefined;
  #turn: Promise<void> = Promise.resolve();
  #closed = false;

  private constructor(config: AutoscaleConfig, deps: AutoscalerDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#types = Object.entries(config.nodeTypes).map(([name, type]) => ({ ...type, name }));
    this.#requests = new Requests(config.providerTimeoutMs, this.#abort.signal, deps);
    this.#listing = new Backoff(deps.clock, config.backoffMs);
    this.#backoffs = new Map(
      this.#types.map(({ name }) => [name, new Backoff(deps.clock, config.backoffMs)]),
    );
  }

  static start(config: AutoscaleConfig, deps: AutoscalerDeps): Autoscaler {
    const autoscaler = new Autoscaler(config, deps);
    autoscaler.#schedule(0);
    return autoscaler;
  }

  report(): AutoscalerReport {
    const waits = [this.#listing, ...this.#backoffs.values()].flatMap(({ retryAtMs }) => retryAtMs || []);
    return {
      provider: this.#deps.provider.kind,
      types: this.#types.map(({ name, minNodes, maxNodes }) => ({
        ...{ name, minNodes, maxNodes },
        running: this.#number(name, "running"),
        starting: this.#number(name, "starting"),
        stopping: this.#number(name, "ending") + this.#number(name, "gone"),
        error: this.#errors.get(name) ?? "",
        instances: this.#members.flatMap(({ instance }) => (instance.nodeType === name ? instance.name : [])),
      })),
      unmet: this.#unmet,
      error: [...this.#errors.values()].join("; "),
      retryAtMs: waits.length > 0 ? Math.min(...waits) : 0,
    };
  }

  /** Waits for operations in progress, for at most endTimeoutMs. */
  async close(endNodes: boolean): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelNext?.();
    this.#abort.abort();
    await this.#turn;
    if (!endNodes) return;
    const { provider, logger } = this.#deps;
    try {
      await withDeadline({ timeoutMs: endTimeoutMs }, async (signal) => {
        const instances = await provider.list(signal);
        await provider.terminate(
          instances.map(({ name }) => name),
          signal,
        );
      });
    } catch (reason) {
      logger.error({ err: reason }, "the autoscaler's nodes are left running: the provider did not end them");
    }
  }

  #schedule(delayMs: number): void {
    this.#cancelNext = this.#deps.clock.after(delayMs, () => {
      this.#turn = this.#look()
        .catch((reason: unknown) => {
          if (this.#closed) return;
          this.#errors.set("", PalimpsestError.from(reason).rawMessage);
          this.#deps.logger.error({ err: reason }, "a round of the autoscaler failed");
        })
        .then(() => {
          if (!this.#closed) this.#schedule(this.#config.intervalMs);
        });
    });
  }

  async #look(): Promise<void> {
    if (this.#listing.waiting) return;
    const { provider, cluster, clock } = this.#deps;
    const instances = await this.#try("list", this.#listing, "", (signal) => provider.list(signal));
    if (instances === undefined || this.#closed) return;
    this.#errors.delete("");
    const known = instances.filter(({ nodeType }) => this.#types.some(({ name }) => name === nodeType));
    this.#forget(known);
    const { startTimeoutMs } = this.#config;
    const facts = { startTimeoutMs, terminated: this.#terminated, joined: this.#joined };
    this.#members = membersOf(known, cluster.nodes(), { ...facts, nowMs: clock.now() });
    for (const { instance, state } of this.#members)
      if (state === "running") this.#joined.set(instance.name, instance.createdAtMs);
    await this.#endGone();
    await this.#grow(instances);
    await this.#shrink();
    this.#measure();
  }

  /** Forgets names that now belong to another instance, or to none. */
  #forget(instances: readonly Instance[]): void {
    const created = new Map(instances.map(({ name, createdAtMs }) => [name, createdAtMs]));
    for (const known of [this.#terminated, this.#joined])
      for (const [name, createdAtMs] of known) if (created.get(name) !== createdAtMs) known.delete(name);
  }

  async #endGone(): Promise<void> {
    for (const member of this.#members) {
      const { instance, late, state } = member;
      if (state !== "gone") continue;
      if (late) {
        const seconds = Math.round(this.#config.startTimeoutMs / 1_000);
        const why = instance.problem === "" ? "" : `: ${instance.problem}`;
        this.#fail(instance.nodeType, `${instance.name} has not joined within ${seconds} s${why}`);
      }
      await this.#terminate(member, late ? "late" : "gone");
    }
  }

  async #grow(instances: readonly Instance[]): Promise<void> {
    const { cluster } = this.#deps;
    const counts = countsOf(this.#members);
    const views = viewsOf(this.#members, cluster.nodes(), this.#types);
    const demand = cluster.demand();
    this.#unmet = planNodes({ types: this.#types, counts, views, demand }).unmet;
    // A type that cannot be started now is left out of the plan, which uses other types instead (AUTOSCALER-4).
    const types = this.#types.map((type) => {
      if (!this.#backoffs.get(type.name)?.waiting) return type;
      const maxNodes = Math.min(type.maxNodes, counts.get(type.name) ?? 0);
      return { ...type, maxNodes, minNodes: Math.min(type.minNodes, maxNodes) };
    });
    const { launch } = planNodes({ types, counts, views, demand });
    const launches = limitLaunches(launch, this.#types, this.#members, this.#config.upscalingSpeed);
    const taken = new Set(instances.map(({ name }) => name));
    for (const [typeName, count] of launches) await this.#launch(typeName, count, taken);
  }

  async #launch(typeName: string, count: number, taken: ReadonlySet<string>): Promise<void> {
    const { provider, cluster, logger, metrics } = this.#deps;
    const type = this.#types.find(({ name }) => name === typeName);
    const backoff = this.#backoffs.get(typeName);
    if (type === undefined || backoff === undefined || this.#closed) return;
    const names = freeSlots(cluster.clusterName, type, taken, count);
    if (names.length === 0) return;
    const created = await this.#try("create", backoff, typeName, async (signal) => {
      await this.#requests.confirmLead(signal);
      await provider.create(
        names.map((name) => ({ name, type })),
        signal,
      );
      return true;
    });
    if (!created) return;
    metrics.counter("palimpsest_head_autoscaler_started_total").inc({ type: typeName }, names.length);
    logger.info({ type: typeName, names }, "nodes started for pending demand");
    const createdAtMs = this.#deps.clock.now();
    const starting = names.map((name): Member => {
      const instance: Instance = { name, nodeType: typeName, state: "starting", createdAtMs, problem: "" };
      return { instance, state: "starting", node: undefined, late: false };
    });
    this.#members = [...this.#members, ...starting];
  }

  /** AUTOSCALER-3 */
  async #shrink(): Promise<void> {
    const { cluster, logger } = this.#deps;
    const idle = this.#members
      .filter(({ state, node }) => state === "running" && (node?.idleMs ?? 0) >= this.#config.idleMs)
      .sort((a, b) => (b.node?.idleMs ?? 0) - (a.node?.idleMs ?? 0));
    for (const member of idle) {
      const { instance, node } = member;
      if (node === undefined || this.#closed || !this.#isSpare(member)) continue;
      try {
        await this.#requests.confirmLead();
      } catch (reason) {
        logger.warn({ err: reason }, "idle nodes are kept: the store does not confirm that this head leads");
        return;
      }
      if (!cluster.retire(node.nodeId, `idle for ${Math.round(node.idleMs / 1_000)} s`)) continue;
      logger.info({ type: instance.nodeType, name: instance.name, nodeId: node.nodeId }, "idle node ended");
      await this.#terminate(member, "idle");
    }
  }

  #isSpare({ instance, node }: Member): boolean {
    const { cluster } = this.#deps;
    const type = this.#types.find(({ name }) => name === instance.nodeType);
    const staying = this.#number(instance.nodeType, "running") + this.#number(instance.nodeType, "starting");
    if (type === undefined || staying <= type.minNodes) return false;
    const counts = countsOf(this.#members);
    counts.set(type.name, (counts.get(type.name) ?? 0) - 1);
    const views = viewsOf(this.#members, cluster.nodes(), this.#types, node?.nodeId);
    return planNodes({ types: this.#types, counts, views, demand: cluster.demand() }).launch.size === 0;
  }

  async #terminate(member: Member, cause: "idle" | "gone" | "late"): Promise<void> {
    const { provider, metrics } = this.#deps;
    const { name, nodeType, createdAtMs } = member.instance;
    const backoff = this.#backoffs.get(nodeType);
    if (backoff === undefined || this.#closed) return;
    const ended = await this.#try("terminate", undefined, nodeType, async (signal) => {
      await this.#requests.confirmLead(signal);
      await provider.terminate([name], signal);
      return true;
    });
    if (!ended) return;
    this.#terminated.set(name, createdAtMs);
    this.#members = this.#members.map((one) => (one === member ? { ...one, state: "ending" } : one));
    metrics.counter("palimpsest_head_autoscaler_ended_total").inc({ type: nodeType, cause });
  }

  /** Resolves to undefined after a failure, which is reported and, with a back-off, delays the next attempt. */
  async #try<T>(
    operation: "list" | "create" | "terminate",
    backoff: Backoff | undefined,
    about: string,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const answer = await this.#requests.within(operation, ask);
      backoff?.succeeded();
      if (operation === "create") this.#errors.delete(about);
      return answer;
    } catch (reason) {
      if (this.#closed) return undefined;
      const error = PalimpsestError.from(reason);
      this.#deps.metrics.counter("palimpsest_head_autoscaler_failures_total").inc({ operation });
      this.#deps.logger.warn(
        { err: reason, operation, type: about },
        "a request to the node provider failed",
      );
      backoff?.failed(Number(error.details["retryAfterMs"] ?? 0));
      this.#errors.set(about, `${about ? `${about}: ` : ""}${error.rawMessage}`);
      return undefined;
    }
  }

  #fail(nodeType: string, message: string): void {
    this.#backoffs.get(nodeType)?.failed();
    this.#errors.set(nodeType, message);
    this.#deps.logger.warn({ type: nodeType }, message);
  }

  #number(nodeType: string, state: Member["state"]): number {
    return this.#members.filter((one) => one.instance.nodeType === nodeType && one.state === state).length;
  }

  #measure(): void {
    const gauge = this.#deps.metrics.gauge("palimpsest_head_autoscaler_nodes");
    for (const { name, running, starting, stopping } of this.report().types)
      for (const [state, count] of Object.entries({ running, starting, ending: stopping }))
        gauge.set({ type: name, state }, count);
  }
}

/** Names of instances. Each node type has as many names as it may have nodes. */

/** Returns "CLUSTER-TYPE-3" in lower case, as Kubernetes requires of names. */
function slotName(clusterName: string, nodeType: string, slot: number): string {
  const cluster = clusterName
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .slice(0, 24)
    .replace(/^-+|-+$/g, "");
  return `${cluster || "cluster"}-${nodeType}-${slot}`;
}

/** Returns the first `count` names of the type that are not taken. */
function freeSlots(
  clusterName: string,
  type: { readonly name: string; readonly maxNodes: number },
  taken: ReadonlySet<string>,
  count: number,
): string[] {
  const free: string[] = [];
  for (let slot = 0; slot < type.maxNodes && free.length < count; slot++) {
    const name = slotName(clusterName, type.name, slot);
    if (!taken.has(name)) free.push(name);
  }
  return free;
}
