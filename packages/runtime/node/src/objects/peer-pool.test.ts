import { expect, test } from "vitest";
import { StandingClock } from "../testing/standing-clock.js";
import { PeerPool } from "./peer-pool.js";

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
