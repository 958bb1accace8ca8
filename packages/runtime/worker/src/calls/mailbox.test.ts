import { describe, expect, test } from "vitest";
import { Mailbox, type MailboxEntry, type MailboxOptions } from "./mailbox.js";

interface Step extends MailboxEntry {
  finish(): void;
}

/** A call that says when it starts and ends when the test says so. */
function step(name: string, started: string[]): Step {
  let finish: () => void = () => undefined;
  return {
    sizeBytes: 1,
    run() {
      started.push(name);
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    finish: () => finish(),
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** The first call after a pause waits for one turn of the event loop, the next starts after it. */
const turns = async () => {
  await turn();
  await turn();
};

function entry(run: MailboxEntry["run"], sizeBytes = 1): MailboxEntry {
  return { run, sizeBytes };
}

function mailboxOf(options: Partial<MailboxOptions> = {}): Mailbox {
  return new Mailbox({ maxConcurrency: 1, maxPendingCalls: 100, maxPendingBytes: 1_000, ...options });
}

/** A call that computes for that long. */
function busy(busyMs: number, done: () => void): MailboxEntry {
  return entry(() => {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    done();
    return undefined;
  });
}

describe("Mailbox", () => {
  test("starts no later call of a caller while arguments of an earlier one are read (MAILBOX-9)", async () => {
    const mailbox = mailboxOf({ maxConcurrency: 3 });
    const started: string[] = [];
    let begin: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => {
      begin = resolve;
    });
    mailbox.offer("caller", { ...step("large", started), beginning });
    mailbox.offer("caller", step("small", started));
    mailbox.offer("other", step("theirs", started));
    await turns();
    mailbox.offer("caller", step("smaller", started));
    mailbox.pause("caller");
    mailbox.resume("caller");
    await turns();
    expect(started).toEqual(["large", "theirs"]);
    begin();
    await turns();
    expect(started).toEqual(["large", "theirs", "small"]);
  });

  test("with another maxConcurrency starts what waits, and what comes while calls run (MAILBOX-1)", async () => {
    const mailbox = mailboxOf({ maxConcurrency: 1 });
    const started: string[] = [];
    for (const name of ["a", "b"]) mailbox.offer("caller", step(name, started));
    await turns();
    expect(started).toEqual(["a"]);
    mailbox.maxConcurrency = 3;
    await turns();
    expect(started).toEqual(["a", "b"]);
    mailbox.offer("caller", step("c", started));
    mailbox.offer("caller", step("d", started));
    await turns();
    expect(started).toEqual(["a", "b", "c"]);
  });

  test("runs at most maxConcurrency calls at once (MAILBOX-1)", async () => {
    const mailbox = mailboxOf({ maxConcurrency: 2 });
    const started: string[] = [];
    const steps = ["a", "b", "c"].map((name) => step(name, started));
    for (const entry of steps) mailbox.offer("caller", entry);
    await turns();
    expect(started).toEqual(["a", "b"]);
    expect([mailbox.running, mailbox.waiting]).toEqual([2, 1]);
    steps[1]?.finish();
    await turns();
    expect(started).toEqual(["a", "b", "c"]);
  });

  test("starts one caller's calls in order of arrival (MAILBOX-2)", async () => {
    const mailbox = mailboxOf();
    const started: number[] = [];
    for (let index = 0; index < 50; index++) {
      mailbox.offer(
        "caller",
        entry(async () => void started.push(index)),
      );
    }
    while (mailbox.waiting + mailbox.running > 0) await turn();
    expect(started).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  test("lets callers take turns, whatever one of them piled up (MAILBOX-3)", async () => {
    const mailbox = mailboxOf();
    const started: string[] = [];
    const note = (name: string) => entry(() => void started.push(name));
    for (let index = 0; index < 6; index++) mailbox.offer("greedy", note("greedy"));
    mailbox.offer("modest", note("modest"));
    await turns();
    expect(started.indexOf("modest")).toBe(1);
    expect(started).toHaveLength(7);
  });

  test("refuses one call above maxPendingCalls and keeps the others (MAILBOX-4)", async () => {
    const mailbox = mailboxOf({ maxPendingCalls: 2 });
    const started: string[] = [];
    const first = step("a", started);
    mailbox.offer("caller", first);
    for (const name of ["b", "c"])
      mailbox.offer(
        "caller",
        entry(() => void started.push(name)),
      );
    expect(() => mailbox.offer("caller", step("d", started))).toThrow(
      expect.objectContaining({ code: "PENDING_CALLS_LIMIT", retryable: true }),
    );
    await turns();
    first.finish();
    await turns();
    expect(started).toEqual(["a", "b", "c"]);
  });

  test("refuses what exceeds maxPendingBytes, but not a single large call (MAILBOX-4)", async () => {
    const mailbox = mailboxOf({ maxPendingBytes: 100 });
    const nothing = () => undefined;
    mailbox.offer("caller", entry(nothing, 5_000));
    expect(mailbox.waitingBytes).toBe(5_000);
    await turns();
    expect(mailbox.waitingBytes).toBe(0);
    mailbox.offer("caller", entry(nothing, 60));
    mailbox.offer("caller", entry(nothing, 40));
    expect(() => mailbox.offer("other", entry(nothing, 1))).toThrow(/100 bytes wait already/);
    await turns();
    mailbox.offer("other", entry(nothing, 1));
  });

  test("never starts a call that was removed, wherever it waited (MAILBOX-5)", async () => {
    for (const removed of [0, 1, 2]) {
      const mailbox = mailboxOf();
      const started: string[] = [];
      const waiting = ["x", "y", "z"].map((name) => entry(() => void started.push(name)));
      for (const one of waiting) mailbox.offer("caller", one);
      const gone = waiting[removed] as MailboxEntry;
      expect(mailbox.remove(gone)).toBe(true);
      expect(mailbox.remove(gone)).toBe(false);
      await turns();
      expect(started).toEqual(["x", "y", "z"].filter((_, index) => index !== removed));
      expect(mailbox.waitingBytes).toBe(0);
    }
  });

  test("lets the event loop turn between synchronous calls, and serves a newcomer (MAILBOX-3, MAILBOX-6)", async () => {
    const mailbox = mailboxOf();
    const order: string[] = [];
    for (let index = 0; index < 40; index++)
      mailbox.offer(
        "greedy",
        busy(2, () => order.push("greedy")),
      );
    await turns();
    const seen = order.length;
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThanOrEqual(8);
    mailbox.offer(
      "modest",
      busy(0, () => order.push("modest")),
    );
    while (mailbox.waiting > 0) await turn();
    expect(order.indexOf("modest")).toBeLessThanOrEqual(seen + 8);
    expect(order).toHaveLength(41);
  });

  test("counts the slice from the turn's start for methods that continue in promises (MAILBOX-6)", async () => {
    const mailbox = mailboxOf();
    let done = 0;
    for (let index = 0; index < 40; index++) {
      mailbox.offer(
        "caller",
        entry(async () => {
          await null;
          void busy(2, () => done++).run();
        }),
      );
    }
    await turns();
    expect(done).toBeLessThanOrEqual(8);
    while (mailbox.waiting + mailbox.running > 0) await turn();
    expect(done).toBe(40);
  });

  test("runs nothing inside offer(), also when nothing runs (MAILBOX-7)", async () => {
    const mailbox = mailboxOf();
    const started: string[] = [];
    mailbox.offer("caller", step("a", started));
    expect(started).toEqual([]);
    await turns();
    expect(started).toEqual(["a"]);
  });

  test("starts no call of a paused caller, and goes on with the others (MAILBOX-8)", async () => {
    const mailbox = mailboxOf();
    const started: string[] = [];
    const note = (name: string) => entry(() => void started.push(name));
    mailbox.offer("slow", note("slow 1"));
    mailbox.pause("slow");
    mailbox.offer("slow", note("slow 2"));
    mailbox.offer("quick", note("quick"));
    await turns();
    expect(started).toEqual(["quick"]);
    mailbox.resume("slow");
    await turns();
    expect(started).toEqual(["quick", "slow 1", "slow 2"]);
  });
});
