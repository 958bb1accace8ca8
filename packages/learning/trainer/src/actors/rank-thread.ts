/** A thread of RankThreads: a lane of the exchange with connections of its own. */
import { parentPort, workerData } from "node:worker_threads";
import { PairSums, type Values } from "@palimpsest/learner/exchange";
import { type LentBulk, lentBulk } from "@palimpsest/wire";
import { RankBulk } from "./rank-bulk.js";

export interface RankThreadData {
  readonly rank: number;
  readonly size: number;
  readonly timeoutMs: number;
  readonly bulk: LentBulk;
}

/** What the thread is told. */
export type RankOrder =
  | { readonly kind: "join"; readonly addresses: readonly string[] }
  /** @param values in memory that threads share */
  | { readonly kind: "sum" | "pass"; readonly call: number; readonly values: Values }
  | { readonly kind: "fail"; readonly why: string };

/** What the thread says. */
export type RankNews =
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "done"; readonly call: number; readonly sentBytes: number }
  | { readonly kind: "failed"; readonly call: number; readonly reason: unknown };

const { rank, size, timeoutMs, bulk } = workerData as RankThreadData;
const say = (news: RankNews) => parentPort?.postMessage(news);
const links = new RankBulk(rank, timeoutMs);
const sums = new PairSums(rank, size, links);

async function exchange({ kind, call, values }: Extract<RankOrder, { readonly call: number }>) {
  try {
    await sums[kind](call, values);
    say({ kind: "done", call, sentBytes: sums.sentBytes });
  } catch (reason) {
    say({ kind: "failed", call, reason });
  }
}

parentPort?.on("message", (order: RankOrder) => {
  if (order.kind === "join") links.join(order.addresses);
  else if (order.kind === "fail") links.fail(new Error(order.why));
  else void exchange(order);
});
say({ kind: "address", address: await links.serve(await lentBulk(bulk)) });
