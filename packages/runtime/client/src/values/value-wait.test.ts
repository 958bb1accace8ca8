import { PalimpsestError } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { ObjectRef, type RefStore } from "../base/object-ref.js";
import type { ValueStore } from "./value-store.js";
import { waitFor } from "./value-wait.js";

const store: RefStore = { get: () => Promise.reject(new Error("not read here")), release: () => undefined };
const refs = ["a", "b"].map((objectId) => new ObjectRef(objectId, 1, store));

/** A node that has all values, and takes that long to say so. */
function busy(answerMs: number): ValueStore {
  const existing = async (asked: readonly ObjectRef[], timeoutMs: number) => {
    if (timeoutMs >= answerMs) return new Set(asked);
    throw new PalimpsestError("GET_TIMEOUT", `no answer within ${timeoutMs} ms`);
  };
  return { existing } as unknown as ValueStore;
}

test.each([0, 20])(
  "values that are ready are given by a wait of %i ms, also by a node that is busy",
  async (timeoutMs) => {
    const { ready, pending } = await waitFor(refs, { count: 2, timeoutMs }, busy(200));
    expect(ready).toEqual(refs);
    expect(pending).toEqual([]);
  },
);

test("a wait is cancelled while a node that is stopped says nothing", async () => {
  const values = { existing: () => new Promise(() => undefined) } as unknown as ValueStore;
  const abort = new AbortController();
  const waiting = waitFor(refs, { signal: abort.signal }, values);
  abort.abort("enough");
  await expect(waiting).rejects.toMatchObject({ code: "CANCELLED", cause: "enough" });
});

test("a loop that waits for a promise again and again leaves nothing on it", async () => {
  let attached = 0;
  let end: (value: unknown) => void = () => undefined;
  const long = new Promise((resolve) => {
    end = resolve;
  });
  const counted: PromiseLike<unknown> = {
    // biome-ignore lint/suspicious/noThenProperty: it counts what is attached to it
    ["then"]: (...listeners: Parameters<typeof long.then>) => {
      attached++;
      return long.then(...listeners);
    },
  } as PromiseLike<unknown>;
  const done = Promise.resolve("done");
  for (let times = 0; times < 100; times++) {
    const { ready } = await waitFor([counted, done], { count: 1 }, busy(0));
    expect(ready).toEqual([done]);
  }
  expect(attached).toBe(1);
  const waiting = waitFor([counted], {}, busy(0));
  end("over");
  expect((await waiting).ready).toEqual([counted]);
  expect((await waitFor([counted], { timeoutMs: 0 }, busy(0))).ready).toEqual([counted]);
});
