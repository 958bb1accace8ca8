import { describe, expect, it } from "vitest";
import { quietLogger } from "../testing/builders.js";
import { ManualClock, settle } from "../testing/manual-clock.js";
import { MemorySharedStore } from "../testing/memory-shared-store.js";
import { Leadership } from "./leadership.js";
import type { LeadershipOptions } from "./lease-wait.js";
import type { Leader } from "./shared-store.js";
import { DeposedError, type StoreTable, type StoreWrite } from "./store.js";

const leaseMs = 3_000;
const bytes = (text: string) => new TextEncoder().encode(text);

/** One store and the heads over it, all on one clock. */
class Heads {
  readonly clock = new ManualClock();
  readonly shared = new MemorySharedStore(this.clock);
  readonly standbys: Leader[] = [];

  /** Begins to take the lead. */
  begin(headId: string, over: Partial<LeadershipOptions> = {}): { leadership?: Leadership; error?: unknown } {
    const head: { leadership?: Leadership; error?: unknown } = {};
    Leadership.take({
      shared: this.shared,
      clock: this.clock,
      logger: quietLogger(),
      headId,
      leaseMs,
      address: `${headId}:1`,
      epochFloor: 0,
      predecessorId: "",
      exclusive: false,
      signal: new AbortController().signal,
      onStandby: (leader) => this.standbys.push(leader),
      ...over,
    }).then(
      (leadership) => {
        head.leadership = leadership;
      },
      (error: unknown) => {
        head.error = error;
      },
    );
    return head;
  }

  /** A head that leads, with one row in memory. */
  async leader(headId: string, over: Partial<LeadershipOptions> = {}): Promise<Reign> {
    const head = this.begin(headId, over);
    await settle();
    if (head.leadership === undefined) await this.clock.advance(leaseMs + 500);
    if (head.leadership === undefined) throw new Error(`${headId} does not lead`);
    return new Reign(head.leadership);
  }
}

class Reign {
  readonly leadership: Leadership;
  readonly rows = new Map<string, Uint8Array>();
  lost: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(leadership: Leadership) {
    this.leadership = leadership;
    const rowsOf = (table: StoreTable) => (table === "actors" ? this.rows : new Map<string, Uint8Array>());
    leadership.remember({ rowsOf, causeWrite: () => void this.#write([]).catch(() => undefined) });
    void leadership.lost.then((reason) => {
      this.lost = reason;
    });
  }

  async put(key: string): Promise<void> {
    this.rows.set(key, bytes(key));
    await this.#write([{ table: "actors", key, bytes: bytes(key) }]);
  }

  /** One write after the other, as the journal does. */
  #write(writes: readonly StoreWrite[]): Promise<void> {
    const written = this.#writing.then(() => this.leadership.store.write(writes));
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

describe("Leadership", () => {
  it("LEASE-1: a standby takes over when the leader says nothing more, and nothing of the old one is written", async () => {
    const heads = new Heads();
    const first = await heads.leader("first");
    await first.put("a");
    const restore = heads.shared.snapshot();
    restore();
    const second = heads.begin("second");
    await heads.clock.advance(leaseMs * 3);
    expect(second.leadership).toBeUndefined();
    expect(heads.standbys).toMatchObject([{ headId: "first", epoch: 1 }]);

    // The first one stops as by SIGSTOP: its timers do not run while the lease does.
    heads.shared.failure = new Error("stopped");
    heads.clock.sleep(leaseMs + 1);
    heads.shared.failure = undefined;
    expect(first.leadership.isCurrent()).toBe(false);
    const taken = await heads.leader("third");
    expect(taken.leadership.epoch).toBe(2);
    const writes = heads.shared.written.length;
    await expect(first.put("b")).rejects.toThrow(DeposedError);
    await settle();
    expect(heads.shared.written).toHaveLength(writes);
    expect(heads.shared.keysOf("actors")).toEqual(["a"]);
    expect(first.lost).toBe("head third at third:1 leads with epoch 2");
  });

  it("takes the lease of its own folder's dead head, and one that was given up, without waiting", async () => {
    const heads = new Heads();
    await heads.leader("first");
    const next = await heads.leader("second", { exclusive: false, predecessorId: "first" });
    expect(next.leadership.epoch).toBe(2);
    const standby = heads.begin("third");
    await next.leadership.release();
    await heads.clock.advance(500);
    expect(standby.leadership?.epoch).toBe(3);
  });

  it("LEASE-2, LEASE-4: a store that was emptied is written whole again, under a higher epoch", async () => {
    const heads = new Heads();
    const head = await heads.leader("first");
    for (const key of ["a", "b"]) await head.put(key);
    expect(await head.leadership.store.fact("clusterId", "cluster-1")).toBe("cluster-1");
    heads.shared.flush();
    await heads.clock.advance(leaseMs);
    expect(heads.shared.keysOf("actors")).toEqual(["a", "b"]);
    expect(heads.shared.epoch).toBe(2);
    expect(head.leadership.epoch).toBe(2);
    expect((await heads.shared.lease()).clusterId).toBe("cluster-1");
    // Also when the next write finds it out before the renewal does.
    heads.shared.flush();
    await head.put("c");
    expect(heads.shared.keysOf("actors")).toEqual(["a", "b", "c"]);
    expect(heads.shared.epoch).toBe(3);
  });

  it("LEASE-4: a store that is back with an older state gets what it lost and loses what was removed", async () => {
    const heads = new Heads();
    const head = await heads.leader("first");
    await head.put("a");
    await head.put("b");
    const restore = heads.shared.snapshot();
    await head.put("c");
    head.rows.delete("a");
    await head.leadership.store.write([{ table: "actors", key: "a", bytes: undefined }]);
    restore();
    // More writes than were lost: the number alone would hide it from the next renewal.
    for (const key of ["d", "e", "f"]) await head.put(key);
    expect(heads.shared.keysOf("actors")).toEqual(["b", "c", "d", "e", "f"]);
    expect(head.leadership.epoch).toBe(1);
  });

  it("LEASE-4: a write whose answer was lost is not taken for a loss", async () => {
    const heads = new Heads();
    const head = await heads.leader("first");
    await head.put("a");
    heads.shared.failure = new Error("the connection broke");
    await expect(head.put("b")).rejects.toThrow("the connection broke");
    heads.shared.failure = undefined;
    // As if that write had happened.
    await heads.shared.write({ epoch: 1, sequence: 1, unanswered: 0 }, []);
    const before = heads.shared.written.length;
    await head.put("b");
    expect(heads.shared.written.slice(before)).toEqual(["b"]);
  });

  it.each(["a flush, found by a renewal", "an older state, which no epoch shows"])(
    "LEASE-6: a second loss while all rows are written again makes the head begin anew: %s",
    async (loss) => {
      const heads = new Heads();
      const head = await heads.leader("first");
      for (let number = 0; number < 1_200; number++) head.rows.set(`row-${number}`, bytes("row"));
      await head.put("a");
      head.leadership.remember({
        rowsOf: (table) => (table === "actors" ? head.rows : []),
        causeWrite: () => undefined,
      });
      if (loss.startsWith("a flush")) heads.shared.flush();
      else await head.leadership.rise(7);
      const older = heads.shared.snapshot();
      // The first write of the rewrite is taken, and lost again.
      let writes = 0;
      const write = heads.shared.write.bind(heads.shared);
      heads.shared.write = async (...given) => {
        const answer = await write(...given);
        if (answer.kind !== "written" || ++writes > 1) return answer;
        older();
        if (loss.startsWith("a flush")) head.leadership.check();
        await settle();
        return answer;
      };
      // As the journal does: what was not written is tried again.
      const tryAgain = () => head.put("b").catch(() => settle());
      for (let tries = 0; tries < 3; tries++) await tryAgain();
      expect(heads.shared.keysOf("actors")).toHaveLength(1_202);
    },
  );

  it("LEASE-5: after a flush the living leader wins over a standby and over a head that starts", async () => {
    const heads = new Heads();
    const first = await heads.leader("first");
    await first.put("a");
    const standby = heads.begin("second");
    await heads.clock.advance(leaseMs);
    heads.shared.flush();
    const started = heads.begin("third");
    await heads.clock.advance(leaseMs * 4);
    expect(standby.leadership ?? started.leadership).toBeUndefined();
    expect(first.lost).toBeUndefined();
    expect(heads.shared.keysOf("actors")).toEqual(["a"]);
  });

  it("LEASE-5: a store without any epoch is nobody's for one lease", async () => {
    const heads = new Heads();
    const only = heads.begin("first");
    await settle();
    await heads.clock.advance(leaseMs - 1);
    expect(only.leadership).toBeUndefined();
    await heads.clock.advance(500);
    expect(only.leadership?.epoch).toBe(1);
  });

  it("a standby reads the lease ten times within it, and announces its address once", async () => {
    const heads = new Heads();
    await heads.leader("first");
    let announced = 0;
    const announce = heads.shared.announce.bind(heads.shared);
    heads.shared.announce = (address, ttlMs) => {
      if (address === "second:1") announced += 1;
      return announce(address, ttlMs);
    };
    heads.begin("second");
    await heads.clock.advance(leaseMs * 4);
    expect(announced).toBeLessThanOrEqual(5);
    expect(await heads.shared.announce("", 0)).toContain("second:1");
  });

  it("LEASE-2: a usurper in an emptied store is deposed by the leader, whose epoch is higher", async () => {
    const heads = new Heads();
    const first = await heads.leader("first", { epochFloor: 6 });
    heads.shared.flush();
    const usurper = await heads.leader("second", { exclusive: true });
    expect(usurper.leadership.epoch).toBe(1);
    await heads.clock.advance(leaseMs);
    expect(usurper.lost).toContain("head first");
    expect(first.lost).toBeUndefined();
    expect(first.leadership.epoch).toBe(8);
  });

  it("LEASE-2: rises above an epoch that a node has seen", async () => {
    const heads = new Heads();
    const head = await heads.leader("first");
    await head.leadership.rise(41);
    expect(head.leadership.epoch).toBe(42);
    await head.put("a");
    expect(heads.shared.keysOf("actors")).toEqual(["a"]);
  });

  it("LEASE-3: out of the store's reach it steps down where another head waits, and goes on where none does", async () => {
    const heads = new Heads();
    const alone = await heads.leader("first");
    heads.shared.failure = new Error("away");
    await heads.clock.advance(leaseMs * 4);
    expect(alone.leadership.isCurrent()).toBe(false);
    expect(alone.lost).toBeUndefined();
    heads.shared.failure = undefined;
    await heads.clock.advance(leaseMs);
    expect(alone.leadership.isCurrent()).toBe(true);
    expect(alone.leadership.epoch).toBe(1);

    heads.begin("second");
    await heads.clock.advance(leaseMs);
    expect(alone.leadership.addresses).toEqual(["first:1", "second:1"]);
    heads.shared.failure = new Error("away");
    await heads.clock.advance(leaseMs * 2);
    expect(alone.lost).toContain("second:1 may have taken over");
  });

  it("stops waiting by its signal, or when waiting is refused", async () => {
    const heads = new Heads();
    await heads.leader("first");
    const stopping = new AbortController();
    const waiting = heads.begin("second", { signal: stopping.signal });
    const refusing = heads.begin("third", {
      onStandby: () => {
        throw new Error("no standby wanted");
      },
    });
    await settle();
    stopping.abort();
    await heads.clock.advance(1_000);
    expect(waiting.error).toMatchObject({ code: "CANCELLED" });
    expect(refusing.error).toMatchObject({ message: "no standby wanted" });
  });
});
