import { systemClock } from "@palimpsest/std";
import { expect, test } from "vitest";
import { CallIdentities } from "./call-identities.js";
import type { PendingCall } from "./pending-call.js";

test("a call names up to which number all calls before it have their outcome, and keeps its own number when it is sent again", () => {
  const identities = new CallIdentities(systemClock);
  const calls = Array.from({ length: 4 }, () => ({}) as PendingCall);
  const [first, second, third, fourth] = calls as [PendingCall, PendingCall, PendingCall, PendingCall];
  const told = (call: PendingCall) => {
    const { sequence, acknowledged } = identities.of(call);
    return [sequence, acknowledged];
  };
  expect([first, second, third].map(told)).toEqual([
    [1, 0],
    [2, 0],
    [3, 0],
  ]);
  identities.settled(second);
  expect(told(third)).toEqual([3, 0]);
  identities.settled(first);
  expect(told(third)).toEqual([3, 2]);
  identities.settled(third);
  expect(told(fourth)).toEqual([4, 3]);
});
