import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { errorToProto } from "../failures/error-message.js";
import { PalimpsestError } from "./error.js";
import { partsOfThrown, thrownMessage, thrownText } from "./thrown.js";

test("a value of very many parts is shown by its beginning, in bounded time", () => {
  const wide = (fields: number, part: unknown) =>
    Object.fromEntries(Array.from({ length: fields }, (_, index) => [`k${index}`, part]));
  let deep: unknown = "leaf";
  for (let level = 0; level < 6; level++) deep = wide(40, deep);
  let lists: unknown = "leaf";
  for (let level = 0; level < 6; level++)
    lists = new Map(Array.from({ length: 100 }, (_, at) => [at, lists]));
  class Many {
    readonly parts = deep;
  }
  const values = [wide(200_000, { a: 1 }), deep, lists, new Many(), new Uint8Array(4_000_000), [deep, deep]];
  for (const value of values) {
    const before = process.cpuUsage();
    const { message } = partsOfThrown(value);
    const { user, system } = process.cpuUsage(before);
    expect(message.length).toBeLessThan(64 * 1024);
    // Without a bound each of them takes seconds.
    expect((user + system) / 1e6).toBeLessThan(2);
  }
  expect(partsOfThrown(values[0]).message).toMatch(/k0: \[Object\][\s\S]* and 199900 more fields$/);
  const list = partsOfThrown(Object.assign(new Error("x"), { bytes: new Uint8Array(4_000_000), code: "E" }));
  expect(list.fields).toEqual({ code: "E" });
});

test("a method of inspection is called once for one thrown value, and again when it is thrown later", async () => {
  let calls = 0;
  const thrown = {
    [inspect.custom]() {
      calls += 1;
      return `shown ${calls}`;
    },
  };
  for (const round of [1, 2]) {
    const message = `it threw: ${thrownMessage(thrown)}`;
    const sent = errorToProto(new PalimpsestError("ACTOR_ERROR", message, { cause: thrown }));
    expect(sent.message).toBe(`it threw: shown ${round}`);
    expect(sent.cause?.message).toBe(`shown ${round}`);
    expect(thrownText(thrown)).toBe(`Error: shown ${round}`);
    await setImmediate();
    calls = round;
  }
});
