import type { ActorContext } from "@palimpsest/client";
import { PalimpsestError } from "@palimpsest/wire";
import { describe, expect, test } from "vitest";
import { createInstance } from "./actor-class.js";

// The classes below never look at their context.
const context = {} as ActorContext;

function startThrows(reason: unknown): Promise<unknown> {
  class Failing {
    start(): void {
      throw reason;
    }
  }
  return createInstance(Failing, new Uint8Array(), context).catch((error: unknown) => error);
}

const withCode = (code: string) => Object.assign(new Error(code), { code });

describe("createInstance", () => {
  test.each([
    ["a retryable error of the runtime", new PalimpsestError("UNAVAILABLE", "no head"), true],
    ["one deeper down", new Error("no weights", { cause: new PalimpsestError("GET_TIMEOUT", "slow") }), true],
    ["a refused connection", withCode("ECONNREFUSED"), true],
    [
      "every address refused",
      new AggregateError([withCode("ECONNREFUSED"), withCode("ETIMEDOUT")], "both"),
      true,
    ],
    ["a final error of the runtime", new PalimpsestError("CONFIG_INVALID", "no such engine"), false],
    [
      "a final error that a retryable one caused",
      new PalimpsestError("CONFIG_INVALID", "bad", { cause: new PalimpsestError("UNAVAILABLE", "x") }),
      false,
    ],
    ["an error of the class itself", new RangeError("out of range"), false],
    ["something that is no error", "no", false],
  ])("%s in start() is retryable or not as it came", async (_what, reason, retryable) => {
    expect(await startThrows(reason)).toMatchObject({ code: "ACTOR_ERROR", retryable });
  });
});
