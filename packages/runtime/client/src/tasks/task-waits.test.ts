import { expect, test } from "vitest";
import { TaskWaits } from "./task-waits.js";

/** Time that a test moves; what it moves past runs. */
class StandingClock {
  nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  now = () => this.nowMs;
  monotonicMs = () => this.nowMs;

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  async advance(ms: number): Promise<void> {
    this.nowMs += ms;
    for (const timer of [...this.#timers]) {
      if (timer.atMs > this.nowMs) continue;
      this.#timers.delete(timer);
      timer.run();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function waits() {
  const clock = new StandingClock();
  const told: [boolean, number][] = [];
  let answer: () => Promise<void> = async () => undefined;
  const made = new TaskWaits(clock, (waiting, revision) => {
    told.push([waiting, revision]);
    return answer();
  });
  const setAnswer = (next: () => Promise<void>) => {
    answer = next;
  };
  return { clock, told, waits: made, setAnswer };
}

test("short waits are not told, long ones are, again and again, and their end (TASKWAITS-1)", async () => {
  const { clock, told, waits: made } = waits();
  made.begin();
  await clock.advance(40);
  made.end();
  await clock.advance(10_000);
  expect(told).toEqual([]);
  made.begin();
  made.begin();
  await clock.advance(50);
  expect(told).toEqual([[true, 1]]);
  await clock.advance(5_000);
  made.end();
  await clock.advance(0);
  expect(told).toEqual([
    [true, 1],
    [true, 2],
  ]);
  made.end();
  await clock.advance(0);
  expect(told.at(-1)).toEqual([false, 3]);
  await clock.advance(20_000);
  expect(told).toHaveLength(3);
});

test("one is told after the other was answered, with rising revisions (TASKWAITS-2)", async () => {
  const { clock, told, waits: made, setAnswer } = waits();
  let release: () => void = () => undefined;
  setAnswer(
    () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  );
  made.begin();
  await clock.advance(50);
  made.end();
  await clock.advance(0);
  expect(told).toEqual([[true, 1]]);
  release();
  await clock.advance(0);
  expect(told).toEqual([
    [true, 1],
    [false, 2],
  ]);
  release();
});
