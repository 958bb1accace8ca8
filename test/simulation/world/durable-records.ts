/**
 * Responsibility: records what durable actors have committed and what their callers were told; checks each commit and
 * each answer against what a durable actor promises. Not responsible for: the store (durable-store.ts).
 */
import { decodeValue, type PalimpsestError } from "@palimpsest/wire";
import type { SimProcess } from "./process.js";
import type { World } from "./world.js";

/** The state of a durable actor of the simulation. */
export interface DurableBody {
  /** Keys of the calls and timers that took effect, in order. */
  readonly done: readonly string[];
}

interface DurableCall {
  /** The key of the call, unique in the whole run. */
  readonly key: string;
  /** The name of the record. */
  readonly name: string;
  readonly fails: boolean;
  readonly process: SimProcess;
  readonly lossesBefore: number;
}

interface Timer {
  readonly dueMs: number;
  /** Whether the wall clock by which it was set is ahead of the others. */
  readonly isAstray: boolean;
}

const allowedFailures: ReadonlySet<string> = new Set([
  "ACTOR_DIED",
  "ACTOR_UNAVAILABLE",
  "GET_TIMEOUT",
  "CANCELLED",
]);
/** During the calm, an actor is back and its timers fire within this time. */
const lateMs = 120_000;

export class DurableRecords {
  readonly #world: World;
  readonly #done = new Map<string, readonly string[]>();
  readonly #timers = new Map<string, Timer>();
  /** Acknowledged timers, by the name of their record. */
  readonly #acknowledged = new Map<string, string[]>();
  readonly #open = new Set<DurableCall>();
  readonly #killed = new Set<string>();
  readonly #crashed = new Set<string>();
  /** Keys of calls that threw. */
  readonly #thrown = new Set<string>();
  /** How often the store lost what it had acknowledged. */
  losses = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** DURABLE-1, DURABLE-2, DURABLEACTOR-1, DURABLEACTOR-3: what has taken effect stays, once each and in order. */
  committed(name: string, fields: ReadonlyMap<string, Buffer>): void {
    const state = fields.get("state");
    if (state === undefined) return;
    const { done } = decodeValue(state) as DurableBody;
    const before = this.#done.get(name) ?? [];
    this.#done.set(name, done);
    if (done.length === before.length && done.every((key, at) => before[at] === key)) return;
    const { records, story } = this.#world;
    const added = done.slice(before.length);
    story.tell("redis", () => `${name} has ${added.join(", ")}`);
    const missing = before.find((key, at) => done[at] !== key);
    if (missing !== undefined)
      records.violation("DURABLE-2", `${name} has lost ${missing}, which was committed`);
    const known = new Set(before);
    for (const key of added) {
      if (known.has(key)) records.violation("DURABLEACTOR-3", `${key} took effect twice in ${name}`);
      known.add(key);
      if (this.#thrown.has(key) || key.includes("/refuse-"))
        records.violation("DURABLEACTOR-2", `${key} threw, and took effect in ${name}`);
    }
  }

  /** Returns whether a call may crash, which is true once for each call, so that its retries can finish. */
  mayCrash(key: string): boolean {
    const isFirst = !this.#crashed.has(key);
    this.#crashed.add(key);
    return isFirst;
  }

  /** Marks an actor whose kill was requested; the caller may not learn that it was done. */
  killing(actorId: string): void {
    this.#killed.add(actorId);
  }

  /** DURABLE-5: the actor restarts without limit, whatever is unavailable, and ends only when somebody ends it. */
  died(actorId: string, reason: string): void {
    if (this.#killed.has(actorId) || this.#world.losses.forGood > 0) return;
    // START-2: too many nodes were lost while they started the actor.
    if (reason.includes("so it is not started on another one")) return;
    this.#world.records.violation("DURABLE-5", `durable ${actorId} is dead: ${reason}`);
  }

  /** DURABLE-5: a process's commit is refused if another process has succeeded it, or if its earlier commit is lost. */
  refused(name: string, error: PalimpsestError): void {
    if (error.code === "ACTOR_DIED" || error.code === "NOT_FOUND") return;
    this.#world.records.violation("DURABLE-5", `${name} ends since it may not commit: ${error.message}`);
  }

  /** Records that the store is back with an older state. */
  lost(states: ReadonlyMap<string, ReadonlyMap<string, Buffer>>): void {
    this.losses++;
    this.#done.clear();
    for (const [name, fields] of states) {
      const state = fields.get("state");
      if (state) this.#done.set(name, (decodeValue(state) as DurableBody).done);
    }
  }

  calling(call: Omit<DurableCall, "lossesBefore">): DurableCall {
    const known = { ...call, lossesBefore: this.losses };
    this.#open.add(known);
    return known;
  }

  /** DURABLE-3: what was answered is in the store. DURABLEACTOR-3: it has the answer of its only run. */
  answered(call: DurableCall, value: number): void {
    this.#open.delete(call);
    const { records } = this.#world;
    records.counts.durables++;
    const { key, name, fails } = call;
    if (fails) records.violation("DURABLEACTOR-2", `${key} threw and was answered`);
    if (this.losses > call.lossesBefore) return;
    const at = this.#done.get(name)?.indexOf(key) ?? -1;
    if (at < 0) records.violation("DURABLE-3", `${key} was answered and is not in the store`);
    else if (at + 1 !== value)
      records.violation(
        "DURABLEACTOR-3",
        `${key} is the effect ${at + 1} of ${name}, and its answer says ${value}`,
      );
    if (this.#timers.has(key)) this.#acknowledged.set(name, [...(this.#acknowledged.get(name) ?? []), key]);
  }

  failed(call: DurableCall, error: PalimpsestError): void {
    this.#open.delete(call);
    const planned = error.message.includes(`planned failure of ${call.key}`);
    if ((planned && call.fails) || allowedFailures.has(error.code)) return;
    this.#world.records.violation(
      "ERRORS",
      `${call.key} failed with ${error.message}, which no fault explains`,
    );
  }

  timerSet(key: string, process: SimProcess, afterMs: number): void {
    const isAstray = process.wallOffsetMs !== 0 || this.#timers.get(key)?.isAstray === true;
    this.#timers.set(key, { dueMs: this.#world.scheduler.nowMs + afterMs, isAstray });
  }

  /** DURABLEACTOR-4: every timer that was set has fired. CALL-1: every call has its outcome. */
  checkAtRest(): void {
    const { records, scheduler, workers, head } = this.#world;
    for (const { key, process } of this.#open)
      if (!process.ended) records.violation("CALL-1", `${key} has no outcome at rest`);
    for (const worker of workers) {
      const { spec, actorId, process } = worker;
      if (!spec.durable || process.wallOffsetMs < 0 || head?.plane?.actors.get(actorId)?.state !== "ALIVE")
        continue;
      const name = spec.name ?? "";
      const done = new Set(this.#done.get(name));
      for (const key of this.#acknowledged.get(name) ?? []) {
        const timer = this.#timers.get(key);
        const isDue = timer && !timer.isAstray && timer.dueMs < scheduler.nowMs - lateMs;
        if (isDue && done.has(key) && !done.has(`${key}/fired`))
          records.violation(
            "DURABLEACTOR-4",
            `the timer of ${key} has not fired, which was due at ${timer.dueMs.toFixed(0)} ms`,
          );
      }
    }
  }
}
