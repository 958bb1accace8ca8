/** Tests the budget of wrong tokens. */
import { systemClock } from "@palimpsest/std";
import { expect, test } from "vitest";
import { Guesses, guessLimits } from "./guesses.js";

const tooMany = /too many wrong tokens/;

const clock = { ...systemClock, atMs: 0, monotonicMs: () => clock.atMs };

function guess(guesses: Guesses, address: string, times: number): void {
  for (let at = 0; at < times; at++) guesses.wrong(address);
}

test("GUESSES-1: one address that guesses locks out itself and nobody else, for a second", () => {
  const guesses = new Guesses(clock);
  guess(guesses, "10.0.0.1", guessLimits.ofAddress);
  expect(() => guesses.check("10.0.0.1")).toThrow(tooMany);
  // This is the address of the same machine as a dual-stack socket reports it.
  expect(() => guesses.check("::ffff:10.0.0.1")).toThrow(tooMany);
  guesses.check("10.0.0.2");
  clock.atMs += 1_000;
  guesses.check("10.0.0.1");
});

test("a network of IPv6 is one address", () => {
  const guesses = new Guesses(clock);
  for (let at = 0; at < guessLimits.ofAddress; at++) guesses.wrong(`2001:db8:0:7::${(at + 1).toString(16)}`);
  expect(() => guesses.check("2001:db8::7:aaaa:0:0:1")).toThrow(tooMany);
  guesses.check("2001:db8:0:8::1");
  guesses.check("::1");
});

test("GUESSES-2: addresses without end are refused together", () => {
  const guesses = new Guesses(clock);
  for (let at = 0; at < guessLimits.ofAll; at++) guesses.wrong(`10.1.${at >> 8}.${at & 255}`);
  expect(() => guesses.check("192.168.0.1")).toThrow(tooMany);
  clock.atMs += 1_000;
  guesses.check("192.168.0.1");
});
