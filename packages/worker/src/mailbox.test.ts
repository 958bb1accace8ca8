import { describe, expect, test } from "vitest";
import { Mailbox, type MailboxEntry } from "./mailbox.js";

interface Step extends MailboxEntry {
  finish(): void;
}

/** A call that says when it starts and ends when the test says so. */
function step(name: string, started: string[]): Step {
  let finish: () => void = () => undefined;
  return {
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

describe("Mailbox", () => {
  test("runs at most maxConcurrency calls at once (M1)", async () => {
    const mailbox = new Mailbox({ maxConcurrency: 2, maxPendingCalls: 10 });
    const started: string[] = [];
    const steps = ["a", "b", "c"].map((name) => step(name, started));
    for (const entry of steps) mailbox.offer("caller", entry);
    expect(started).toEqual(["a", "b"]);
    expect([mailbox.running, mailbox.waiting]).toEqual([2, 1]);
    steps[1]?.finish();
    await turn();
    expect(started).toEqual(["a", "b", "c"]);
  });

  test("starts one caller's calls in order of arrival (M2)", async () => {
    const mailbox = new Mailbox({ maxConcurrency: 1, maxPendingCalls: 100 });
    const started: number[] = [];
    for (let index = 0; index < 50; index++) {
      mailbox.offer("caller", { run: async () => void started.push(index) });
    }
    while (mailbox.waiting + mailbox.running > 0) await turn();
    expect(started).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  test("lets callers take turns, whatever one of them piled up (M3)", async () => {
    const mailbox = new Mailbox({ maxConcurrency: 1, maxPendingCalls: 100 });
    const started: string[] = [];
    const first = step("first", started);
    mailbox.offer("greedy", first);
    for (let index = 0; index < 5; index++)
      mailbox.offer("greedy", { run: () => void started.push("greedy") });
    mailbox.offer("modest", { run: () => void started.push("modest") });
    first.finish();
    await turn();
    expect(started.indexOf("modest")).toBeLessThanOrEqual(2);
    expect(started).toHaveLength(7);
  });

  test("refuses one call above maxPendingCalls and keeps the others (M4)", async () => {
    const mailbox = new Mailbox({ maxConcurrency: 1, maxPendingCalls: 2 });
    const started: string[] = [];
    const first = step("a", started);
    mailbox.offer("caller", first);
    mailbox.offer("caller", { run: () => void started.push("b") });
    mailbox.offer("caller", { run: () => void started.push("c") });
    expect(() => mailbox.offer("caller", step("d", started))).toThrow(
      expect.objectContaining({ code: "PENDING_CALLS_LIMIT", retryable: true }),
    );
    first.finish();
    await turn();
    expect(started).toEqual(["a", "b", "c"]);
  });

  test("never starts a call that was removed, wherever it waited (M5)", async () => {
    for (const removed of [0, 1, 2]) {
      const mailbox = new Mailbox({ maxConcurrency: 1, maxPendingCalls: 10 });
      const started: string[] = [];
      const blocker = step("blocker", started);
      mailbox.offer("caller", blocker);
      const waiting = ["x", "y", "z"].map((name) => ({ run: () => void started.push(name) }));
      for (const entry of waiting) mailbox.offer("caller", entry);
      const gone = waiting[removed] as MailboxEntry;
      expect(mailbox.remove(gone)).toBe(true);
      expect(mailbox.remove(gone)).toBe(false);
      blocker.finish();
      await turn();
      expect(started).toEqual(["blocker", ...["x", "y", "z"].filter((_, index) => index !== removed)]);
    }
  });

  test("lets the event loop turn between calls that only compute (M6)", async () => {
    const mailbox = new Mailbox({ maxConcurrency: 1, maxPendingCalls: 100 });
    let done = 0;
    const busy = (): MailboxEntry => ({
      run() {
        const until = performance.now() + 4;
        while (performance.now() < until);
        done++;
        return undefined;
      },
    });
    const gate = step("gate", []);
    mailbox.offer("caller", gate);
    for (let index = 0; index < 20; index++) mailbox.offer("caller", busy());
    gate.finish();
    await turn();
    const seen = done;
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(20);
    while (mailbox.waiting > 0) await turn();
    expect(done).toBe(20);
  });
});
