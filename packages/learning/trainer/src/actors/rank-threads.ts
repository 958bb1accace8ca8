/**
 * Responsibility: the threads of a rank, each of which sums and passes a part of every exchange over connections of its own.
 * Not responsible for: the parts (PairExchange), sums (PairSums), how bytes travel (RankBulk).
 *
 * Invariants:
 * - RANKTHREADS-1. When a thread ends or a rank fails, every exchange that waits and every later one rejects with the reason.
 */
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ExchangeLane, Values } from "@palimpsest/learner/exchange";
import { type ActorBulk, PalimpsestError } from "@palimpsest/wire";
import type { RankNews, RankOrder, RankThreadData } from "./rank-thread.js";

/** Where the threads of a rank serve, by thread. */
export type RankAddress = readonly string[];

// Threads run built code, even when tests run this module from its source.
const program = fileURLToPath(new URL("../../dist/actors/rank-thread.js", import.meta.url));

export class RankThreads {
  readonly #lanes: readonly ThreadLane[];
  readonly #data: Omit<RankThreadData, "bulk">;

  /**
   * @param timeoutMs how long a rank waits for another
   * @param count as many on every rank
   */
  constructor(rank: number, size: number, timeoutMs: number, count: number) {
    this.#data = { rank, size, timeoutMs };
    this.#lanes = Array.from({ length: count }, () => new ThreadLane());
  }

  get lanes(): readonly ExchangeLane[] {
    return this.#lanes;
  }

  /** Starts the threads. @returns the address for the other ranks' `join` */
  async serve(bulk: Pick<ActorBulk, "lend">): Promise<RankAddress> {
    return await Promise.all(this.#lanes.map((lane) => lane.serve({ ...this.#data, bulk: bulk.lend() })));
  }

  /** @param addresses by rank */
  join(addresses: readonly RankAddress[]): void {
    for (const [thread, lane] of this.#lanes.entries())
      lane.order({ kind: "join", addresses: addresses.map((ofRank) => ofRank[thread] ?? "") });
  }

  /** RANKTHREADS-1 */
  fail(reason: unknown): void {
    for (const lane of this.#lanes) lane.fail(reason);
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

class ThreadLane implements ExchangeLane {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #failure: { readonly reason: unknown } | undefined;
  #sentBytes = 0;

  get sentBytes(): number {
    return this.#sentBytes;
  }

  async serve(data: RankThreadData): Promise<string> {
    const transferList = [data.bulk.changes];
    const worker = new Worker(program, {
      workerData: data,
      transferList,
      execArgv: [],
      name: "palimpsest exchange",
    });
    this.#worker = worker;
    return await new Promise<string>((resolve, reject) => {
      worker.on("message", (news: RankNews) => {
        if (news.kind === "address") {
          worker.unref();
          resolve(news.address);
          return;
        }
        const waiting = this.#waiting.get(news.call);
        this.#end(news.call);
        if (news.kind === "failed") waiting?.reject(this.#failure?.reason ?? news.reason);
        else {
          this.#sentBytes = news.sentBytes;
          waiting?.resolve();
        }
      });
      const ended = (why: unknown) => {
        const text = `a thread that exchanges gradients ended: ${String(why)}`;
        const reason = new PalimpsestError("INTERNAL", text, { cause: why });
        this.fail(reason);
        reject(reason);
      };
      worker.once("error", ended);
      worker.once("exit", (code) => ended(`exit code ${code}`));
    });
  }

  order(order: RankOrder): void {
    this.#worker?.postMessage(order);
  }

  async sum(call: number, values: Values): Promise<void> {
    await this.#exchange("sum", call, values);
  }

  async pass(call: number, values: Values): Promise<void> {
    await this.#exchange("pass", call, values);
  }

  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.order({ kind: "fail", why: reason instanceof Error ? reason.message : String(reason) });
    for (const [call, { reject }] of this.#waiting) {
      this.#end(call);
      reject(this.#failure.reason);
    }
  }

  #end(call: number): void {
    this.#waiting.delete(call);
    if (this.#waiting.size === 0) this.#worker?.unref();
  }

  async close(): Promise<void> {
    this.fail(new PalimpsestError("CANCELLED", "the exchange was closed"));
    await this.#worker?.terminate();
  }

  /** Values that the thread cannot see travel as a copy. */
  async #exchange(kind: "sum" | "pass", call: number, values: Values): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.reason;
    const isShared = values.buffer instanceof SharedArrayBuffer;
    const shared = isShared ? values : sharedCopy(values);
    await new Promise<void>((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      // An exchange keeps the process running, a thread does not.
      this.#worker?.ref();
      this.order({ kind, call, values: shared });
    });
    if (!isShared) values.set(shared);
  }
}

function sharedCopy(values: Values): Values {
  const buffer = new SharedArrayBuffer(values.byteLength);
  const copy = values instanceof Float32Array ? new Float32Array(buffer) : new Uint16Array(buffer);
  copy.set(values);
  return copy;
}
