import { PairExchange } from "@palimpsest/learner/exchange";
import { grpcNetwork, OwnBulk } from "@palimpsest/wire";
import { expect, onTestFinished, test } from "vitest";
import { exchangeThreads } from "../parts/learner-settings.js";
import { RankThreads } from "./rank-threads.js";

/** As many bytes as several threads share. */
const count = 2 ** 21 + 3;

async function twoRanks(threads: number) {
  const ranks = [0, 1].map((rank) => {
    const own = new RankThreads(rank, 2, 300_000, threads);
    const bulk = new OwnBulk(grpcNetwork({ token: "secret" }), { host: "127.0.0.1", ports: undefined });
    onTestFinished(async () => {
      await own.close();
      await bulk.close();
    });
    const swap = () => Promise.reject(new Error("no small values here"));
    return { own, bulk, peers: new PairExchange(rank, 2, { swap, lanes: own.lanes }) };
  });
  const addresses = await Promise.all(ranks.map(({ own, bulk }) => own.serve(bulk)));
  for (const { own } of ranks) own.join(addresses);
  return ranks;
}

const values = (rank: number) => Float32Array.from({ length: count }, (_, at) => Math.sin(at + rank * 0.1));
const shared = (from: Float32Array) => {
  const into = new Float32Array(new SharedArrayBuffer(from.byteLength));
  into.set(from);
  return into;
};

test("threads of two ranks sum and pass values that they share and values that they do not, to the bit", async () => {
  const ranks = await twoRanks(2);
  const given = [shared(values(0)), values(1)];
  const halves = [0x3f80, 0x4000].map((bits) => new Uint16Array(count).fill(bits));
  await Promise.all(
    ranks.flatMap(({ peers }, rank) => [
      peers.allReduce(given[rank] as Float32Array),
      peers.allReduce(halves[rank] as Uint16Array),
    ]),
  );
  const second = values(1);
  const expected = values(0).map((value, at) => value + (second[at] as number));
  for (const sums of given) expect(Buffer.compare(bytesOf(sums), bytesOf(expected))).toBe(0);
  for (const sums of halves) expect(sums.every((bits) => bits === 0x4040)).toBe(true);
  const passed = [values(5), new Float32Array(count)];
  await Promise.all(ranks.map(({ peers }, rank) => peers.broadcast(passed[rank] as Float32Array)));
  expect(Buffer.compare(bytesOf(passed[1] as Float32Array), bytesOf(values(5)))).toBe(0);
  // Half of the sums' values as parts, and half as sums; rank 0 passes all.
  expect(ranks.map(({ peers }) => peers.stats.sentBytes)).toEqual([
    expect.closeTo(10 * count, -2),
    expect.closeTo(6 * count, -2),
  ]);
});

test("a rank that fails, and one of whose threads ends, ends its exchanges and later ones with the reason (RANKTHREADS-1)", async () => {
  const [first, second] = await twoRanks(1);
  if (first === undefined || second === undefined) throw new Error("there are not two ranks");
  const waiting = first.peers.allReduce(values(0));
  first.own.fail(new Error("the step failed"));
  await expect(waiting).rejects.toThrow("the step failed");
  await expect(first.peers.allReduce(values(0))).rejects.toThrow("the step failed");
  // Where the other rank comes for what it shall sum, it is told.
  await expect(second.peers.allReduce(values(1))).rejects.toThrow("[CANCELLED] the step failed");

  const broken = new RankThreads(0, 2, 300_000, 1);
  onTestFinished(() => broken.close());
  const lend = () => ({ ...first.bulk.lend(), credentials: new Uint8Array([255]) });
  await expect(broken.serve({ lend })).rejects.toThrow("a thread that exchanges gradients ended");
  const [lane] = broken.lanes;
  await expect(lane?.sum(0, values(0))).rejects.toThrow("a thread that exchanges gradients ended");
});

test("all compute threads but one exchange gradients, at most eight", () => {
  expect([1, 2, 4, 8, 64].map(exchangeThreads)).toEqual([1, 1, 3, 7, 8]);
});

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
