import { expect, test } from "vitest";
import { PeerPool } from "../objects/peer-pool.js";
import { StandingClock } from "../testing/standing-clock.js";
import { ByteBudget } from "./byte-budget.js";

test("no more than the bound is taken, and whoever waits is served in order (BUDGET-1, BUDGET-2)", async () => {
  const budget = new ByteBudget(10);
  const served: string[] = [];
  const first = await budget.take(6);
  const large = budget.take(100).then((giveBack) => {
    served.push("large");
    return giveBack;
  });
  const small = budget.take(1).then((giveBack) => {
    served.push("small");
    return giveBack;
  });
  expect([budget.takenBytes, budget.waiting]).toEqual([6, 2]);
  first();
  first();
  const giveBackLarge = await large;
  expect([served, budget.takenBytes]).toEqual([["large"], 10]);
  giveBackLarge();
  (await small)();
  expect([served, budget.takenBytes]).toEqual([["large", "small"], 0]);
});

test("a channel is shared, stays under its users and closes when it has been idle (POOL-1)", async () => {
  const clock = new StandingClock();
  const log: string[] = [];
  const network = {
    connect: (address: string) => {
      log.push(`open ${address}`);
      return { address, close: () => void log.push(`close ${address}`) } as never;
    },
    createServer: () => {
      throw new Error("not here");
    },
  };
  const pool = new PeerPool(network, clock);
  let finish: () => void = () => undefined;
  const long = pool.use("a:1", () => new Promise<void>((resolve) => (finish = resolve)));
  await pool.use("a:1", async () => undefined);
  clock.advance(60_000);
  expect(log).toEqual(["open a:1"]);
  finish();
  await long;
  clock.advance(29_000);
  await pool.use("a:1", async () => undefined);
  clock.advance(29_000);
  expect(pool.size).toBe(1);
  clock.advance(1_000);
  expect([pool.size, log]).toEqual([0, ["open a:1", "close a:1"]]);
});
