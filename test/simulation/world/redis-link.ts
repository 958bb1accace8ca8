/**
 * Responsibility: one process's connection to the simulated Redis: commands arrive in order, possibly late, never
 * twice, and perhaps after their sender has given up. Not responsible for: what a command does (store.ts,
 * ledger-redis.ts).
 *
 * Invariants:
 * - REDISLINK-1. Commands of one process are carried out in the order in which they were sent.
 * - REDISLINK-2. A command whose answer does not come within the time limit fails; it may still be carried out later.
 */
import type { SimProcess } from "./process.js";
import type { Random } from "./random.js";
import type { Scheduler } from "./scheduler.js";

export const redisMachine = "m-redis";

/** The same limit as in connectRedis() of the product. */
const commandTimeoutMs = 5_000;

export interface RedisServer {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly away: boolean;
  partitionedFrom(machine: string): boolean;
  /** Runs the callback when partitions heal. */
  whenHealed(go: () => void): void;
  latencyMs(): number;
}

export class RedisLink {
  readonly #redis: RedisServer;
  readonly #process: SimProcess;
  #lastAtMs = 0;

  constructor(redis: RedisServer, process: SimProcess) {
    this.#redis = redis;
    this.#process = process;
  }

  /** Sends the command to Redis and its answer back. */
  send<Result>(command: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error("Command timed out"));
      this.#there(giveUp, () => this.#arrived(command, giveUp, resolve, reject));
    });
  }

  #there(giveUp: () => void, arrived: () => void): void {
    const { scheduler } = this.#redis;
    if (this.#hold(giveUp, () => this.#there(() => undefined, arrived))) return;
    this.#lastAtMs = Math.max(scheduler.nowMs + this.#redis.latencyMs(), this.#lastAtMs);
    scheduler.at(this.#lastAtMs, undefined, arrived);
  }

  #arrived<Result>(
    command: () => Promise<Result>,
    giveUp: () => void,
    resolve: (result: Result) => void,
    reject: (reason: Error) => void,
  ): void {
    const { random, scheduler } = this.#redis;
    const process = this.#process;
    if (process.ended) {
      // Redis may have received the command before its sender died.
      if (!this.#redis.away && random.chance(0.5)) void command();
      return;
    }
    const back = (answer: () => void) => scheduler.after(this.#redis.latencyMs(), process, answer);
    if (this.#redis.away) {
      back(() => reject(new Error("redis is away")));
      return;
    }
    void command().then((result) => {
      const answer = () => void back(() => resolve(result));
      if (!this.#hold(giveUp, answer)) answer();
    });
  }

  /** Holds back what cannot pass now: half of it passes later, the rest is lost with the connection. */
  #hold(giveUp: () => void, go: () => void): boolean {
    const { random, scheduler } = this.#redis;
    if (!this.#redis.partitionedFrom(this.#process.machine)) return false;
    scheduler.after(commandTimeoutMs, this.#process, giveUp);
    if (random.chance(0.5)) this.#redis.whenHealed(go);
    return true;
  }
}
