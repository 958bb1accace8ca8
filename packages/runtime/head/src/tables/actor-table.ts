/**
 * Responsibility: every actor that the head knows, by id and by name.
 * Not responsible for: deciding what happens to an actor (actor-lifecycle.ts does).
 *
 * Invariants:
 * - ACTORTABLE-1. A name belongs to at most one actor of its namespace that is not DEAD.
 * - ACTORTABLE-2. DEAD is final: no update changes that state.
 * - ACTORTABLE-3. Incarnations never decrease.
 * - ACTORTABLE-4. Each change reaches the journal in the order in which it was made.
 * - ACTORTABLE-5. A change writes a row of some hundred bytes. The specification is written once, again when the actor
 *   gets another owner, and reduced at death.
 * - ACTORTABLE-6. A DEAD actor whose process may still run is not forgotten to make room for those that have
 *   certainly ended: its node would bring it back as an unknown actor. Of those that are, ten times as many ids are kept
 *   in this head's memory: the next head does not know them.
 * - ACTORTABLE-8. Dead workers for tasks, which come and go on their own, do not push dead actors out of memory.
 * - ACTORTABLE-7. At whatever write a head stops, an actor that was acknowledged and is not DEAD in the store has its
 *   whole specification there.
 */
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type { Journal } from "../store/journal.js";
import {
  type Actor,
  type ActorSpec,
  type ActorState,
  fullNameOf,
  hasProcess,
  mayStillRun,
  specOfDead,
} from "./actor.js";
import { decodeActor, encodeDeath, encodeSpec, encodeState } from "./actor-rows.js";
import { IdIndex } from "./id-index.js";

/** An id takes less than a tenth of what an actor takes. */
const forgottenPerDead = 10;

export interface ActorTableDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /**
   * The maximum number of DEAD actors that are remembered. As many again are kept that may still run, and as many
   * workers for tasks; the oldest are forgotten first.
   */
  readonly maxDead: number;
}

/** What changes of an actor besides its state. */
export type ActorPatch = Partial<Omit<Actor, "spec" | "state">>;
export type ActorChange = (actor: Actor, before: Actor | undefined) => void;

export class ActorTable {
  readonly #deps: ActorTableDeps;
  readonly #actors = new Map<string, Actor>();
  /** Ids by full name. */
  readonly #ids = new Map<string, string>();
  /** Ids of DEAD entries, the longest dead first: those that have certainly ended, and the others (ACTORTABLE-6). */
  readonly #deadActors = { ended: new Set<string>(), unconfirmed: new Set<string>() };
  readonly #deadWorkers = { ended: new Set<string>(), unconfirmed: new Set<string>() };
  /** Ids of those that were forgotten although they may still run, the longest forgotten first. */
  readonly #forgotten = new Set<string>();
  /** Ids of actors that are not DEAD, by owner and by job. */
  readonly #owned = new IdIndex();
  readonly #ofJob = new IdIndex();
  /** Ids of actors that are not DEAD, by placement group. */
  readonly #inGroup = new IdIndex();
  /** Ids of actors that are STARTING or ALIVE, by node. */
  readonly #onNode = new IdIndex();
  readonly #counts = new Map<ActorState, number>();
  /** For each new actor, resolves when its specification is in the store (ACTORTABLE-7). */
  readonly #specsToWrite = new Map<string, Promise<void>>();
  readonly #listeners = new Set<ActorChange>();
  readonly #waiters = new Map<string, Set<(actor: Actor) => void>>();

  constructor(deps: ActorTableDeps) {
    this.#deps = deps;
  }

  /** @param deaths the last death of each actor that has died */
  load(
    specs: ReadonlyMap<string, Uint8Array>,
    states: ReadonlyMap<string, Uint8Array>,
    deaths: ReadonlyMap<string, Uint8Array>,
  ): void {
    const { journal } = this.#deps;
    const loaded: Actor[] = [];
    for (const [actorId, state] of states) {
      const spec = specs.get(actorId);
      if (spec !== undefined) loaded.push(decodeActor(spec, state, deaths.get(actorId)));
    }
    // An actor without its specification cannot be started, and one without its state was never confirmed to anybody.
    // The store lost part of its last writes, or a head died while it was forgetting the actor. The remaining rows
    // are removed.
    for (const [table, rows] of [
      ["specs", specs],
      ["actors", states],
      ["deaths", deaths],
    ] as const) {
      for (const actorId of rows.keys()) {
        if (!specs.has(actorId) || !states.has(actorId)) void journal.put(table, actorId, undefined);
      }
    }
    loaded.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.spec.actorId < b.spec.actorId ? -1 : 1));
    for (const actor of loaded) this.#hold(actor, undefined);
  }

  /** Yields every actor's row in this table of the store. */
  *rows(table: "specs" | "actors" | "deaths"): Generator<readonly [string, Uint8Array]> {
    const encode = {
      specs: ({ spec }: Actor) => encodeSpec(spec),
      actors: encodeState,
      deaths: encodeDeath,
    }[table];
    for (const [actorId, actor] of this.#actors) {
      const row = encode(actor);
      if (row !== undefined) yield [actorId, row];
    }
  }

  /** Adds an actor in state PENDING. @throws {PalimpsestError} ALREADY_EXISTS when its name is taken */
  create(spec: ActorSpec): { readonly actor: Actor; readonly durable: Promise<void> } {
    const name = fullNameOf(spec);
    const holder = name === "" ? undefined : this.#ids.get(name);
    if (holder !== undefined) {
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `name ${name} belongs to ${holder}: take another one or kill that actor first`,
        { details: { actorId: holder } },
      );
    }
    const actor: Actor = {
      spec,
      state: "PENDING",
      nodeId: "",
      address: "",
      metricsAddress: "",
      pid: 0,
      incarnation: 0,
      restarts: 0,
      certificate: undefined,
      constructorError: undefined,
      startFailures: 0,
      startFailingMs: 0,
      lostStartNodeIds: [],
      gpuIds: [],
      bundle: undefined,
      createdAtMs: this.#deps.clock.now(),
    };
    return { actor, durable: this.#change(actor, undefined) };
  }

  /** Changes the actor, but not its state. Resolves when the change is durable. */
  update(actorId: string, patch: ActorPatch): Promise<void> {
    return this.#update(actorId, undefined, patch);
  }

  /**
   * Changes the actor and its state, which only actor-transitions.ts decides. Resolves when the change is durable. A
   * DEAD actor keeps its state (ACTORTABLE-2).
   */
  enter(actorId: string, state: ActorState, patch: ActorPatch = {}): Promise<void> {
    return this.#update(actorId, state, patch);
  }

  #update(actorId: string, next: ActorState | undefined, patch: ActorPatch): Promise<void> {
    const before = this.#actors.get(actorId);
    if (before === undefined) return Promise.resolve();
    const state = before.state === "DEAD" ? "DEAD" : (next ?? before.state);
    const incarnation = Math.max(before.incarnation, patch.incarnation ?? 0);
    return this.#change({ ...before, ...patch, state, incarnation }, before);
  }

  /** Makes another session or actor the owner. */
  give(actorId: string, owner: Pick<ActorSpec, "ownerId" | "ownerIncarnation">): Promise<void> {
    const before = this.#actors.get(actorId);
    if (before === undefined || before.state === "DEAD") return Promise.resolve();
    this.#owned.delete(before.spec.ownerId, actorId);
    const spec = { ...before.spec, ...owner };
    void this.#deps.journal.put("specs", actorId, encodeSpec(spec));
    return this.#change({ ...before, spec }, before);
  }

  /** Resolves when the store holds the actor's present state. */
  durable(actorId: string): Promise<void> {
    const actor = this.#actors.get(actorId);
    if (actor === undefined) return Promise.resolve();
    return this.#withSpec(actorId, this.#deps.journal.put("actors", actorId, encodeState(actor)));
  }

  get(actorId: string): Actor | undefined {
    return this.#actors.get(actorId);
  }

  /** Whether it was DEAD and is forgotten, although its process may still run (ACTORTABLE-6). */
  wasForgotten(actorId: string): boolean {
    return this.#forgotten.has(actorId);
  }

  /**
   * Finds an actor by its full name.
   * @param fullName name with namespace, as fullNameOf() returns it
   */
  byName(fullName: string): Actor | undefined {
    const id = this.#ids.get(fullName);
    return id === undefined ? undefined : this.#actors.get(id);
  }

  all(): Iterable<Actor> {
    return this.#actors.values();
  }

  /** Returns the actors that this session or actor owns, without DEAD ones. */
  ownedBy(ownerId: string): Actor[] {
    return this.#actorsOf(this.#owned, ownerId);
  }

  /** Returns the actors of the job, without DEAD ones. */
  ofJob(jobId: string): Actor[] {
    return this.#actorsOf(this.#ofJob, jobId);
  }

  /** Returns the actors of the placement group, without DEAD ones. */
  inGroup(groupId: string): Actor[] {
    return this.#actorsOf(this.#inGroup, groupId);
  }

  /** Returns the actors that are STARTING or ALIVE on the node. */
  onNode(nodeId: string): Actor[] {
    return this.#actorsOf(this.#onNode, nodeId);
  }

  /** Returns the number of actors in this state. */
  count(state: ActorState): number {
    return this.#counts.get(state) ?? 0;
  }

  get size(): number {
    return this.#actors.size;
  }

  /** Calls back after each change. */
  onChange(listener: ActorChange): void {
    this.#listeners.add(listener);
  }

  /** Waits until `done` holds for the actor or the signal is aborted. Resolves with the actor as it is then. */
  waitFor(actorId: string, done: (actor: Actor) => boolean, signal: AbortSignal): Promise<Actor | undefined> {
    const now = this.#actors.get(actorId);
    if (now === undefined || done(now) || signal.aborted) return Promise.resolve(now);
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(actorId) ?? new Set();
      this.#waiters.set(actorId, waiters);
      const finish = () => {
        signal.removeEventListener("abort", finish);
        waiters.delete(look);
        if (waiters.size === 0) this.#waiters.delete(actorId);
        resolve(this.#actors.get(actorId));
      };
      const look = (actor: Actor) => {
        if (done(actor)) finish();
      };
      waiters.add(look);
      signal.addEventListener("abort", finish, { once: true });
    });
  }

  #change(changed: Actor, before: Actor | undefined): Promise<void> {
    const { journal } = this.#deps;
    const { actorId } = changed.spec;
    const dies = changed.state === "DEAD" && before?.state !== "DEAD";
    const actor = dies ? { ...changed, spec: specOfDead(changed.spec) } : changed;
    this.#hold(actor, before);
    const writeSpec = () => journal.put("specs", actorId, encodeSpec(actor.spec));
    if (before === undefined) {
      const written = writeSpec().then(() => void this.#specsToWrite.delete(actorId));
      this.#specsToWrite.set(actorId, written);
    }
    if (before?.certificate !== actor.certificate || before?.constructorError !== actor.constructorError) {
      void journal.put("deaths", actorId, encodeDeath(actor));
    }
    // Rows of one turn are one transaction, but rows that failed are written in any order.
    const stored = journal.put("actors", actorId, encodeState(actor));
    // At death the specification is reduced only once the death is stored: a head that stops between two batches must
    // not leave a living actor without its arguments.
    if (before !== undefined && dies)
      void stored.then(() => (this.#actors.has(actorId) ? writeSpec() : undefined));
    for (const listener of this.#listeners) listener(actor, before);
    for (const look of [...(this.#waiters.get(actorId) ?? [])]) look(actor);
    for (const { ended, unconfirmed } of [this.#deadActors, this.#deadWorkers]) {
      this.#forgetOldest(ended, false);
      this.#forgetOldest(unconfirmed, true);
    }
    for (const actorId of this.#forgotten) {
      if (this.#forgotten.size <= forgottenPerDead * this.#deps.maxDead) break;
      this.#forgotten.delete(actorId);
    }
    return this.#withSpec(actorId, stored);
  }

  /** Resolves when the state is in the store and the specification is, too (ACTORTABLE-7). */
  async #withSpec(actorId: string, stored: Promise<void>): Promise<void> {
    await stored;
    await this.#specsToWrite.get(actorId);
  }

  #actorsOf(index: IdIndex, key: string): Actor[] {
    return index.of(key).flatMap((actorId) => this.#actors.get(actorId) ?? []);
  }

  #hold(actor: Actor, before: Actor | undefined): void {
    const { actorId, ownerId, jobId, placement } = actor.spec;
    const name = fullNameOf(actor.spec);
    this.#actors.set(actorId, actor);
    if (before) this.#counts.set(before.state, this.count(before.state) - 1);
    this.#counts.set(actor.state, this.count(actor.state) + 1);
    if (before && hasProcess(before)) this.#onNode.delete(before.nodeId, actorId);
    if (hasProcess(actor)) this.#onNode.add(actor.nodeId, actorId);
    if (actor.state !== "DEAD") {
      if (name !== "") this.#ids.set(name, actorId);
      this.#owned.add(ownerId, actorId);
      if (jobId !== "") this.#ofJob.add(jobId, actorId);
      if (placement !== undefined) this.#inGroup.add(placement.groupId, actorId);
      return;
    }
    this.#owned.delete(ownerId, actorId);
    this.#ofJob.delete(jobId, actorId);
    this.#inGroup.delete(placement?.groupId ?? "", actorId);
    const { ended, unconfirmed } = actor.spec.taskWorker ? this.#deadWorkers : this.#deadActors;
    const [into, from] = mayStillRun(actor) ? [unconfirmed, ended] : [ended, unconfirmed];
    from.delete(actorId);
    into.add(actorId);
    if (this.#ids.get(name) === actorId) this.#ids.delete(name);
  }

  #forgetOldest(dead: Set<string>, mayRun: boolean): void {
    for (const actorId of dead) {
      if (dead.size <= this.#deps.maxDead) return;
      if (mayRun) this.#forgotten.add(actorId);
      dead.delete(actorId);
      this.#actors.delete(actorId);
      this.#counts.set("DEAD", this.count("DEAD") - 1);
      for (const table of ["actors", "specs", "deaths"] as const) {
        void this.#deps.journal.put(table, actorId, undefined);
      }
    }
  }
}
