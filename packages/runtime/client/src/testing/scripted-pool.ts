import { encodeValue } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorHandle } from "../actors/actor-handle.js";
import type { Cluster } from "../cluster/cluster.js";
import { connect } from "../cluster/connect.js";
import { FakeHead } from "./fake-head.js";
import { ScriptedActor } from "./scripted-actor.js";

export class Doubler {
  async double(value: number): Promise<number> {
    return value * 2;
  }
}

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;

/** A connected driver with actors whose every answer the test determines. */
export class ScriptedPool {
  readonly head: FakeHead;
  readonly cluster: Cluster;
  readonly handles: ActorHandle<Doubler>[] = [];
  readonly actors: ScriptedActor[] = [];
  /** The number of answered calls of each actor. */
  readonly #answered: number[] = [];

  private constructor(head: FakeHead, cluster: Cluster) {
    this.head = head;
    this.cluster = cluster;
  }

  static async start(actors: number): Promise<ScriptedPool> {
    const head = await FakeHead.start();
    const cluster = await connect({ address: head.address, token: head.token });
    const pool = new ScriptedPool(head, cluster);
    for (let index = 0; index < actors; index++) await pool.#spawn();
    return pool;
  }

  async #spawn(): Promise<void> {
    const actor = await ScriptedActor.start(this.head.token);
    actor.silent.add("double");
    this.actors.push(actor);
    this.#answered.push(0);
    this.head.place = (info) =>
      Object.assign(info, { state: ACTOR_STATE_ALIVE, address: actor.address, incarnation: 1 });
    this.handles.push(await this.cluster.actor(Doubler, { module: "@palimpsest/trainer/actors" }).spawn());
  }

  /** The number of calls that each actor was sent. */
  get calls(): number[] {
    return this.actors.map((actor) => actor.methods.length);
  }

  /** Waits for the actor's next call and answers it. */
  async answer(index: number, reply: number | proto.Error.$Properties): Promise<void> {
    const number = this.#answered[index] ?? 0;
    this.#answered[index] = number + 1;
    const actor = this.actors[index];
    if (!actor) throw new Error(`there is no actor ${index}`);
    const { callId = 0 } = await actor.call(number);
    actor.reply(typeof reply === "number" ? { callId, value: encodeValue(reply) } : { callId, error: reply });
  }

  /** Makes the head report that the actor has permanently died. */
  kill(index: number): void {
    const info = this.head.actors.get(this.handles[index]?.actorId ?? "");
    if (!info) throw new Error(`there is no actor ${index}`);
    Object.assign(info, { state: ACTOR_STATE_DEAD, certificate: { reason: "the test killed it" } });
    this.actors[index]?.kill();
    this.head.tell({ actorDied: info });
  }

  async end(): Promise<void> {
    await this.cluster.close();
    this.head.kill();
    for (const actor of this.actors) actor.kill();
  }
}
