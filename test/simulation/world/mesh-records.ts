/**
 * Responsibility: records calls to meshes, which members ran them and what they returned; checks each against what a
 * mesh promises. Not responsible for: calls to single actors (records.ts).
 */
import type { MeshResult } from "../../../packages/runtime/client/src/mesh/mesh.js";
import type { SimProcess } from "./process.js";
import type { CallValue, SimHosted } from "./sim-actor.js";
import type { World } from "./world.js";

interface MeshCallRecord {
  readonly key: string;
  /** The actors of the mesh's members, in order. */
  readonly actorIds: readonly string[];
  readonly process: SimProcess;
  readonly sentAtMs: number;
}

const allowedFailures: ReadonlySet<string> = new Set([
  "ACTOR_DIED",
  "ACTOR_UNAVAILABLE",
  "GET_TIMEOUT",
  "NOT_FOUND",
  // The driver closes its session.
  "CANCELLED",
]);
/** A paused driver notices late. */
const lateMs = 150_000;

export class MeshRecords {
  readonly #world: World;
  readonly #calls = new Map<string, MeshCallRecord>();
  readonly #open = new Set<MeshCallRecord>();
  /** The incarnation that ran a call, by the call's key and the actor. */
  readonly #visits = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  calling(call: Omit<MeshCallRecord, "sentAtMs">): MeshCallRecord {
    const record = { ...call, sentAtMs: this.#world.scheduler.nowMs };
    this.#calls.set(record.key, record);
    this.#open.add(record);
    return record;
  }

  /** MESH-2: a member runs it at most once. */
  visited(key: string, { actorId, incarnation, name }: SimHosted): void {
    const { records, story } = this.#world;
    story.tell(name, () => `runs ${key}`);
    const visit = `${key} ${actorId}`;
    if (this.#visits.has(visit)) records.violation("MESH-2", `${actorId} ran ${key} twice`);
    if (!this.#calls.get(key)?.actorIds.includes(actorId))
      records.violation("MESH-2", `${actorId} ran ${key}, and is no member that was called`);
    this.#visits.set(visit, incarnation);
  }

  /** MESH-1: each member has exactly one outcome, its own, at its own index. */
  answered(call: MeshCallRecord, results: readonly MeshResult<CallValue>[]): void {
    this.#open.delete(call);
    const { records, scheduler, settings } = this.#world;
    const { key, actorIds, sentAtMs } = call;
    const outcomes = results.map((one) => (one.status === "ok" ? "ok" : one.error.code)).join(" ");
    this.#world.story.tell("mesh", () => `${key}: ${outcomes}`);
    records.counts.meshes++;
    const given = results.map(({ actorId }) => actorId);
    if (given.join() !== actorIds.join())
      records.violation(
        "MESH-1",
        `${key} was for ${actorIds.join(" ")} and gave outcomes of ${given.join(" ")}`,
      );
    if (scheduler.nowMs - sentAtMs > settings.callTimeoutMs + lateMs)
      records.violation(
        "MESH-1",
        `${key} settled ${(scheduler.nowMs - sentAtMs).toFixed(0)} ms after it was made`,
      );
    for (const [index, result] of results.entries()) {
      const actorId = actorIds[index] ?? "";
      if (result.status === "ok") {
        const { value } = result;
        if (value.key !== key || value.actorId !== actorId)
          records.violation("MESH-1", `${actorId} answered ${key} with ${value.key} of ${value.actorId}`);
        if (this.#visits.get(`${key} ${actorId}`) !== value.incarnation)
          records.violation(
            "MESH-1",
            `incarnation ${value.incarnation} of ${actorId} answered ${key} and did not run it`,
          );
      } else {
        const { code, message, details } = result.error;
        if (!allowedFailures.has(code))
          records.violation("ERRORS", `${actorId} failed ${key} with ${message}, which no fault explains`);
        if (code === "GET_TIMEOUT" && details["sent"] === "true") this.#checkSilent(call, results, actorId);
      }
    }
  }

  /** MESH-1: a living member is not skipped if another member of its process has answered. */
  #checkSilent({ key }: MeshCallRecord, results: readonly MeshResult<CallValue>[], actorId: string): void {
    const workers = [...this.#world.workers];
    const silent = workers.find((one) => one.actorId === actorId && one.serving);
    if (silent === undefined || silent.process.paused || this.#visits.has(`${key} ${actorId}`)) return;
    const others = workers.filter(({ process }) => process === silent.process);
    const answered = results.find(
      (one) =>
        one.status === "ok" &&
        others.some((other) => other.name === `${one.actorId}#${one.value.incarnation}`),
    );
    if (answered)
      this.#world.records.violation(
        "MESH-1",
        `${actorId} was left out of ${key}, which ${answered.actorId} of its process answered`,
      );
  }

  checkAtRest(): void {
    for (const { key, process } of this.#open)
      if (!process.ended) this.#world.records.violation("MESH-1", `${key} has no outcome at rest`);
  }
}
