import { expect, test } from "vitest";
import { ObjectPins } from "./object-pins.js";

function subject() {
  const timers: (() => void)[] = [];
  const clock = {
    now: () => 0,
    monotonicMs: () => 0,
    after: (_: number, run: () => void) => {
      timers.push(run);
      return () => void timers.splice(timers.indexOf(run), 1);
    },
  };
  return { pins: new ObjectPins(clock), timers };
}

test("every program answers, and those that do not are waited for no longer than said (PINS-1)", async () => {
  const { pins, timers } = subject();
  const asked: string[] = [];
  const program = (holder: string) => ({ holder, askPins: () => void asked.push(holder) });
  const [first, second, silent] = [program("session-1"), program("actor-1.1"), program("session-2")];
  for (const one of [first, second, silent]) pins.add(one);
  const answer = pins.ask(1_000);
  expect(asked).toEqual(["session-1", "actor-1.1", "session-2"]);
  pins.told(first, ["a", "b"]);
  pins.told(second, ["b"]);
  timers[0]?.();
  expect([...(await answer)]).toEqual([
    ["a", ["session-1"]],
    ["b", ["session-1", "actor-1.1"]],
  ]);
});

test("a program that has gone is not waited for, and without programs there is nothing to wait for", async () => {
  const { pins, timers } = subject();
  expect([...(await pins.ask(1_000))]).toEqual([]);
  const leaving = { holder: "session-1", askPins: () => undefined };
  pins.add(leaving);
  const answer = pins.ask(1_000);
  pins.delete(leaving);
  expect([...(await answer)]).toEqual([]);
  expect(timers).toEqual([]);
});
