import { expect, test } from "vitest";
import { WaitingNotices } from "./waiting-notices.js";

interface Waiting {
  readonly actorId: string;
  readonly role: string;
  readonly name: string;
  readonly pendingReason: string;
}

/** A program whose clock the test moves. */
function program() {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly callback: () => void }[] = [];
  const said: string[] = [];
  const state: { waiting: Waiting[]; asked: number; isAway: boolean } = {
    ...{ waiting: [], asked: 0, isAway: false },
  };
  const notices = new WaitingNotices({
    clock: {
      now: () => nowMs,
      monotonicMs: () => nowMs,
      after(delayMs, callback) {
        const timer = { atMs: nowMs + delayMs, callback };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
    waiting: async () => {
      state.asked++;
      if (state.isAway) throw new Error("the head is away");
      return state.waiting;
    },
    write: (line) => said.push(line),
  });
  async function pass(ms: number): Promise<void> {
    nowMs += ms;
    for (const timer of timers.filter(({ atMs }) => atMs <= nowMs)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.callback();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { notices, state, said, pass };
}

const actor = (actorId: string, pendingReason: string): Waiting => ({
  ...{ actorId, pendingReason, role: "Trainer", name: "" },
});

test("a reason is told after five seconds, once, and again when it has changed (NOTICES-1)", async () => {
  const { notices, state, said, pass } = program();
  state.waiting = [actor("actor-1", "needs 2 gpu"), actor("actor-2", "needs 2 gpu")];
  notices.created();
  await pass(4_000);
  expect(said).toEqual([]);
  await pass(1_000);
  expect(said).toEqual(["palimpsest: Trainer actor-1 and 1 more wait: needs 2 gpu\n"]);
  await pass(5_000);
  await pass(5_000);
  expect(said).toHaveLength(1);
  state.waiting = [actor("actor-1", "needs 2 gpu and a label")];
  await pass(5_000);
  expect(said[1]).toBe("palimpsest: Trainer actor-1 waits: needs 2 gpu and a label\n");
});

test("what is created while others are watched is told after five seconds of its own", async () => {
  const { notices, state, said, pass } = program();
  notices.created();
  await pass(100);
  state.waiting = [actor("actor-1", "needs 2 gpu")];
  notices.created();
  await pass(4_900);
  expect(said).toEqual([]);
  await pass(100);
  expect(said).toEqual(["palimpsest: Trainer actor-1 waits: needs 2 gpu\n"]);
});

test("the head is asked only while something waits, and not after the end (NOTICES-2)", async () => {
  const { notices, state, said, pass } = program();
  notices.created();
  await pass(5_000);
  await pass(50_000);
  expect(state.asked).toBe(1);
  state.waiting = [actor("actor-1", "needs 1 license")];
  notices.created();
  await pass(5_000);
  notices.close();
  await pass(5_000);
  expect({ asked: state.asked, said: said.length }).toEqual({ asked: 2, said: 1 });
});

test("a head that cannot be asked for a while changes nothing (NOTICES-1)", async () => {
  const { notices, state, said, pass } = program();
  state.waiting = [actor("actor-1", "needs 2 gpu")];
  notices.created();
  await pass(5_000);
  state.isAway = true;
  await pass(5_000);
  state.isAway = false;
  await pass(5_000);
  expect(said).toEqual(["palimpsest: Trainer actor-1 waits: needs 2 gpu\n"]);
});

test("that the head gives no answer is told once, the second time in a row (NOTICES-2)", async () => {
  const { notices, state, said, pass } = program();
  state.isAway = true;
  notices.created();
  await pass(5_000);
  expect(said).toEqual([]);
  for (let again = 0; again < 3; again++) await pass(5_000);
  const away = "palimpsest: actors and tasks wait, and the head does not say why: the head is away\n";
  expect(said).toEqual([away]);
  state.isAway = false;
  state.waiting = [actor("actor-1", "needs 2 gpu")];
  await pass(5_000);
  expect(said).toEqual([away, "palimpsest: Trainer actor-1 waits: needs 2 gpu\n"]);
});
