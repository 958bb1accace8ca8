import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { expect, test, vi } from "vitest";
import type { ActorResolver } from "../base/actor-resolver.js";
import type { ActorInfo } from "../base/actor-view.js";
import { DeathWatches } from "./death-watches.js";

const { ACTOR_STATE_ALIVE, ACTOR_STATE_DEAD } = proto.ActorState;

/** A head that answers when the test says so. */
function scriptedHead() {
  const questions: { answer(info: proto.ActorInfo.$Properties): void; fail(reason: Error): void }[] = [];
  const resolver: ActorResolver = {
    resolve: (_actorId, _known, _waitMs, signal) =>
      new Promise((resolve, reject) => {
        questions.push({ answer: resolve, fail: reject });
        signal.addEventListener("abort", () => reject(new PalimpsestError("CANCELLED", "aborted")), {
          once: true,
        });
      }),
  };
  return { questions, resolver };
}

const info = (state: proto.ActorState, reason: string): proto.ActorInfo.$Properties => ({
  ...{ spec: { actorId: "x" }, state, certificate: { reason } },
});
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("WATCH-1: each listener hears of the death once, of restarts nothing, and nothing after it was taken back", async () => {
  const { questions, resolver } = scriptedHead();
  const watches = new DeathWatches(resolver);
  const heard: string[] = [];
  const listen = (name: string) => (death: ActorInfo) =>
    void heard.push(`${name}: ${death.certificate?.reason}`);
  watches.watch("x", listen("a"));
  const stop = watches.watch("x", listen("b"));
  watches.watch("x", listen("c"));
  stop();
  expect(questions).toHaveLength(1);
  questions[0]?.answer(info(ACTOR_STATE_ALIVE, "it crashed"));
  await turn();
  expect(questions).toHaveLength(2);
  expect(heard).toEqual([]);
  questions[1]?.answer(info(ACTOR_STATE_DEAD, "it was killed"));
  await turn();
  expect(heard).toEqual(["a: it was killed", "c: it was killed"]);
  watches.notice(info(ACTOR_STATE_DEAD, "again"));
  expect(heard).toHaveLength(2);
});

test("WATCH-1: what the session hears first ends the question, and an actor that nobody knows any more is dead", async () => {
  const { questions, resolver } = scriptedHead();
  const watches = new DeathWatches(resolver);
  const heard: ActorInfo[] = [];
  watches.watch("x", (death) => void heard.push(death));
  watches.notice(info(ACTOR_STATE_DEAD, "told by the session"));
  await turn();
  watches.watch("x", (death) => void heard.push(death));
  questions[1]?.fail(new PalimpsestError("NOT_FOUND", "actor x is not known"));
  await turn();
  expect(heard.map(({ certificate }) => certificate?.reason)).toEqual([
    "told by the session",
    expect.stringContaining("actor x is not known"),
  ]);
  watches.watch("x", () => heard.push());
  watches.close();
  await turn();
  expect(questions).toHaveLength(3);
});

test("a listener that throws keeps no other from being told, and what it threw is not lost (WATCH-1)", () => {
  const watches = new DeathWatches(scriptedHead().resolver);
  const failure = new Error("a listener's own");
  const later: (() => void)[] = [];
  const nextTick = vi
    .spyOn(process, "nextTick")
    .mockImplementation((call) => void later.push(call as () => void));
  try {
    const heard: string[] = [];
    watches.watch("x", () => {
      throw failure;
    });
    watches.watch("x", (death) => void heard.push(death.certificate?.reason ?? ""));
    watches.notice(info(ACTOR_STATE_DEAD, "it was killed"));
    expect(heard).toEqual(["it was killed"]);
    expect(later.at(-1)).toThrow(failure);
  } finally {
    nextTick.mockRestore();
  }
});
