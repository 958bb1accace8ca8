import { createLogger } from "@palimpsest/telemetry";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runKeys } from "../base/run-keys.js";
import { type RedisServer, startRedisServer } from "../testing/redis-server.js";
import { WeightAnnouncements, type WeightsSubscription } from "./weight-announcements.js";

const logger = createLogger({ component: "test", level: "silent" });
let server: RedisServer;
const clients: Redis[] = [];
const subscriptions: WeightsSubscription[] = [];

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(async () => {
  await Promise.all(subscriptions.map((subscription) => subscription.close()));
  for (const client of clients) {
    client.disconnect();
  }
  await server.close();
});

function connect(runId: string): { redis: Redis; weights: WeightAnnouncements } {
  const redis = new Redis(server.url, { retryStrategy: () => 10 });
  clients.push(redis);
  return { redis, weights: new WeightAnnouncements(redis, runKeys(runId), logger) };
}

/** Collects announcements as text. `until` resolves when a word was seen. */
class Seen {
  readonly words: string[] = [];
  #changed: () => void = () => {};

  readonly listener = (bytes: Uint8Array): void => {
    this.words.push(Buffer.from(bytes).toString());
    this.#changed();
  };

  async until(word: string): Promise<void> {
    while (!this.words.includes(word)) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

describe("weight announcements", () => {
  it("tell what is foretold to those who listen ahead, and to nobody else", async () => {
    const learner = connect("run-ahead").weights;
    const rollout = connect("run-ahead").weights;
    const [ahead, seen] = [new Seen(), new Seen()];
    subscriptions.push(await rollout.listenAhead(ahead.listener), await rollout.listen(seen.listener));
    await learner.foretell(Buffer.from("half of v1"));
    await ahead.until("half of v1");
    expect(await rollout.current()).toBeUndefined();
    await learner.announce(Buffer.from("v1"));
    await seen.until("v1");
    expect([ahead.words, seen.words]).toEqual([["half of v1"], ["v1"]]);
  });

  it("give a listener the current one first and each later one by push (WEIGHTS-1, WEIGHTS-2)", async () => {
    const learner = connect("run-1").weights;
    const rollout = connect("run-1").weights;
    expect(await rollout.current()).toBeUndefined();
    await learner.announce(Buffer.from("v0"));
    const seen = new Seen();
    subscriptions.push(await rollout.listen(seen.listener));
    expect(seen.words).toEqual(["v0"]);
    await learner.announce(Buffer.from("v0"));
    await learner.announce(Buffer.from("v1"));
    await seen.until("v1");
    expect(seen.words).toEqual(["v0", "v1"]);
    expect(await rollout.current()).toEqual(Buffer.from("v1"));
  });

  it("reach a listener that was cut off when they were made (WEIGHTS-1)", async () => {
    const { redis } = connect("run-2");
    const seen = new Seen();
    subscriptions.push(await connect("run-2").weights.listen(seen.listener));
    const key = runKeys("run-2").weights;
    const replies = await redis
      .pipeline()
      .call("CLIENT", "KILL", "TYPE", "pubsub")
      .set(key, "v1")
      .publish(key, "v1")
      .exec();
    expect(replies?.[2]).toEqual([null, 0]);
    await seen.until("v1");
    // The push works again as well.
    await redis.multi().set(key, "v2").publish(key, "v2").exec();
    await seen.until("v2");
    expect(seen.words).toEqual(["v1", "v2"]);
  });

  it("go on after a listener that throws, and end when it is closed", async () => {
    const { weights } = connect("run-3");
    const seen = new Seen();
    const subscription = await weights.listen((bytes) => {
      seen.listener(bytes);
      throw new Error("listener is broken");
    });
    await weights.announce(Buffer.from("v0"));
    await seen.until("v0");
    await weights.announce(Buffer.from("v1"));
    await seen.until("v1");
    await subscription.close();
    await subscription.close();
    const other = new Seen();
    subscriptions.push(await weights.listen(other.listener));
    await weights.announce(Buffer.from("v2"));
    await other.until("v2");
    expect(seen.words).toEqual(["v0", "v1"]);
  });
});
