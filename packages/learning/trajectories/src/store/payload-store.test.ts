import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aTask, aTrajectory } from "../testing/builders.js";
import { MemoryLedgerStore } from "../testing/memory-ledger-store.js";
import { PayloadStore } from "./payload-store.js";

const settings = { maxTrajectoryBytes: 10_000, maxFetchBytes: 3_000, rolloutTimeoutMs: 1_000 };
const room = { write: <T>(work: () => Promise<T>) => work() };
const first = { groupId: "group-1", episodeIndex: 0 };

/** Counts the fetches that are in progress at once. */
class SlowLedgerStore extends MemoryLedgerStore {
  inFlightBytes = 0;
  mostBytes = 0;
  readonly #waiting: (() => void)[] = [];

  override async trajectory(groupId: string, episodeIndex: number): Promise<Uint8Array | undefined> {
    const bytes = await super.trajectory(groupId, episodeIndex);
    this.inFlightBytes += bytes?.length ?? 0;
    this.mostBytes = Math.max(this.mostBytes, this.inFlightBytes);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.inFlightBytes -= bytes?.length ?? 0;
    return bytes;
  }

  /** Lets one fetch continue. */
  answer(): boolean {
    const next = this.#waiting.shift();
    next?.();
    return next !== undefined;
  }
}

let ledger: SlowLedgerStore;
let store: PayloadStore;

beforeEach(async () => {
  ledger = new SlowLedgerStore();
  store = new PayloadStore({ store: ledger, room, settings });
  await ledger.claim([{ groupId: "group-1", groupSize: 8, spec: "", taskBytes: 0 }], {
    maxOutstandingGroups: 1,
    maxQueuedBytes: 1,
  });
});
afterEach(() => {
  while (ledger.answer());
});

describe("payload store", () => {
  it("refuses what is larger than maxTrajectoryBytes, with its size (PAYLOAD-1)", async () => {
    const storing = store.putTrajectory(aTrajectory({ answer: "x".repeat(10_000) }));
    await expect(storing).rejects.toMatchObject({ code: "LIMIT_EXCEEDED", retryable: false });
    await expect(storing).rejects.toThrow(
      /trajectory group-1\.0 has 10\d\d\d bytes.*maxTrajectoryBytes 10000/,
    );
    expect(await store.episode(first)).toBe("open");
    expect(() => store.encodeTask(aTask({ document: "x".repeat(10_000) }))).toThrow("task task-1");
  });

  it("has at most maxFetchBytes in flight, or one that is larger (PAYLOAD-2, WINDOW-1, WINDOW-2)", async () => {
    const sizes = [1000, 1000, 900, 1000, 5000, 100, 100, 100];
    const stored = await Promise.all(
      sizes.map(async (size, episodeIndex) => {
        const trajectory = aTrajectory({
          trajectoryId: `group-1.${episodeIndex}`,
          episodeIndex,
          answer: "x".repeat(size),
        });
        return (await store.putTrajectory(trajectory)).bytes;
      }),
    );
    const order: number[] = [];
    const fetching = Promise.all(
      stored.map(async (size, episodeIndex) => {
        const trajectory = await store.fetch({ groupId: "group-1", episodeIndex }, size);
        order.push(episodeIndex);
        return trajectory?.answer.length;
      }),
    );
    const done = fetching.then(() => true);
    while (
      !(await Promise.race([done, new Promise<false>((resolve) => setImmediate(() => resolve(false)))]))
    ) {
      ledger.answer();
    }
    expect(await fetching).toEqual(sizes);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    // Only the largest was ever above the bound, and it was fetched alone.
    expect(ledger.mostBytes).toBe(stored[4]);
  });

  it("reads the task of a group once, and again after it was not there", async () => {
    expect(await store.task("group-1")).toBeUndefined();
    await store.putTask("group-1", store.encodeTask(aTask()));
    expect(await store.task("group-1")).toEqual(aTask());
    const again = store.task("group-1");
    expect(await again).toBe(await store.task("group-1"));
  });
});
