/**
 * Every actor the head knows, by id and by name.
 *
 * Not its job: deciding what happens to an actor (actor-lifecycle.ts does).
 *
 * Invariants:
 * - A1. A name belongs to at most one actor that is not DEAD.
 * - A2. DEAD is final: no update leaves it.
 * - A3. Incarnations never fall.
 * - A4. Each change reaches the journal in the order in which it was made.
 */
import { type Clock, PalimpsestError } from "@palimpsest/wire";
import { type Actor, type ActorSpec, decodeActor, encodeActor } from "./actor.js";
import type { Journal } from "./journal.js";

export interface ActorTableDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /** DEAD actors that are remembered; older ones are forgotten. */
  readonly maxDead: number;
}

export type ActorChange = (actor: Actor, before: Actor | undefined) => void;

export class ActorTable {
  readonly #deps: ActorTableDeps;
  readonly #actors = new Map<string, Actor>();
  readonly #ids = new Map<string, string>();
  /** Ids of DEAD actors, the longest dead first. */
  readonly #dead = new Set<string>();
  readonly #owned = new Map<string, Set<string>>();
  readonly #listeners = new Set<ActorChange>();
  readonly #waiters = new Map<string, Set<(actor: Actor) => void>>();

  constructor(deps: ActorTableDeps) {
    this.#deps = deps;
  }

  load(rows: ReadonlyMap<string, Uint8Array>): void {
    for (const bytes of rows.values()) this.#hold(decodeActor(bytes));
  }

  /** Every actor as its row in the store. */
  *rows(): Generator<readonly [string, Uint8Array]> {
    for (const [actorId, actor] of this.#actors) yield [actorId, encodeActor(actor)];
  }

  /** Adds an actor in state PENDING. @throws {PalimpsestError} ALREADY_EXISTS when its name is taken */
  create(spec: ActorSpec): { readonly actor: Actor; readonly durable: Promise<void> } {
    const holder = spec.name === "" ? undefined : this.#ids.get(spec.name);
    if (holder !== undefined) {
      throw new PalimpsestError(
        "ALREADY_EXISTS",
        `name ${spec.name} belongs to ${holder}: take another one or kill that actor first`,
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
      startFailingSinceMs: 0,
      lostStartNodeIds: [],
      pendingReason: "",
      createdAtMs: this.#deps.clock.now(),
    };
    return { actor, durable: this.#change(actor, undefined) };
  }

  /** Changes the actor and returns the promise of its being durable. A DEAD one keeps its state (A2). */
  update(actorId: string, patch: Partial<Omit<Actor, "spec">>): Promise<void> {
    const before = this.#actors.get(actorId);
    if (before === undefined) return Promise.resolve();
    const state = before.state === "DEAD" ? "DEAD" : (patch.state ?? before.state);
    const incarnation = Math.max(before.incarnation, patch.incarnation ?? 0);
    return this.#change({ ...before, ...patch, state, incarnation }, before);
  }

  /** Resolves when the store holds the actor as it is now. */
  durable(actorId: string): Promise<void> {
    const actor = this.#actors.get(actorId);
    if (actor === undefined) return Promise.resolve();
    return this.#deps.journal.put("actors", actorId, encodeActor(actor));
  }

  get(actorId: string): Actor | undefined {
    return this.#actors.get(actorId);
  }

  byName(name: string): Actor | undefined {
    const id = this.#ids.get(name);
    return id === undefined ? undefined : this.#actors.get(id);
  }

  all(): Iterable<Actor> {
    return this.#actors.values();
  }

  /** Actors that this session or actor owns, DEAD ones not. */
  ownedBy(ownerId: string): Actor[] {
    return [...(this.#owned.get(ownerId) ?? [])].flatMap((actorId) => this.#actors.get(actorId) ?? []);
  }

  get size(): number {
    return this.#actors.size;
  }

  /** Calls back after each change. */
  onChange(listener: ActorChange): void {
    this.#listeners.add(listener);
  }

  /** Waits until `done` holds of the actor, at most until the signal. Returns what is known then. */
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

  #change(actor: Actor, before: Actor | undefined): Promise<void> {
    this.#hold(actor);
    const durable = this.#deps.journal.put("actors", actor.spec.actorId, encodeActor(actor));
    for (const listener of this.#listeners) listener(actor, before);
    for (const look of [...(this.#waiters.get(actor.spec.actorId) ?? [])]) look(actor);
    this.#forgetOldest();
    return durable;
  }

  #hold(actor: Actor): void {
    const { actorId, name, ownerId } = actor.spec;
    this.#actors.set(actorId, actor);
    const owned = this.#owned.get(ownerId) ?? new Set();
    if (actor.state !== "DEAD") {
      if (name !== "") this.#ids.set(name, actorId);
      this.#owned.set(ownerId, owned.add(actorId));
      return;
    }
    owned.delete(actorId);
    if (owned.size === 0) this.#owned.delete(ownerId);
    this.#dead.add(actorId);
    if (this.#ids.get(name) === actorId) this.#ids.delete(name);
  }

  #forgetOldest(): void {
    for (const actorId of this.#dead) {
      if (this.#dead.size <= this.#deps.maxDead) return;
      this.#dead.delete(actorId);
      this.#actors.delete(actorId);
      void this.#deps.journal.put("actors", actorId, undefined);
    }
  }
}
