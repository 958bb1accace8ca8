import { type Network, PalimpsestError } from "@palimpsest/wire";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ActorInfo } from "../base/actor-view.js";
import type { NodeInfo } from "../base/views.js";
import { actorOutput } from "./actor-output.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Seen = Pick<ActorInfo, "state" | "incarnation">;

/**
 * A cluster whose head tells these states one after the other, and whose node keeps these files by incarnation.
 * @param breaks how often the connection breaks after six bytes of a process
 * @param nodeStates what the head tells of the node, one after the other
 */
function cluster(
  seen: readonly Seen[],
  files: Readonly<Record<number, string>>,
  breaks = 0,
  nodeStates: NodeInfo["state"][] = ["alive"],
) {
  let breaksLeft = breaks;
  const left = [...seen];
  const asked: number[] = [];
  const actor = () => {
    const now = left.length > 1 ? left.shift() : left[0];
    return {
      actorId: "actor-1",
      name: "talker",
      namespace: "default",
      nodeId: "node-1",
      createdAtMs: 1,
      ...now,
    } as ActorInfo;
  };
  const state = {
    actors: async () => [actor()],
    nodes: async () => {
      const now = nodeStates.length > 1 ? nodeStates.shift() : nodeStates[0];
      return [{ nodeId: "node-1", state: now, objectsAddress: "here:1" } as NodeInfo];
    },
  };
  const serverStream = (_method: unknown, request: { incarnation: number; offsetBytes: number }) => {
    const { incarnation, offsetBytes } = request;
    asked.push(incarnation);
    async function* chunks() {
      const text = files[incarnation];
      if (text === undefined) throw new PalimpsestError("NOT_FOUND", "this node keeps no output");
      const isCut = breaksLeft-- > 0;
      yield { data: Buffer.from(text).subarray(offsetBytes, isCut ? 6 : undefined), offsetBytes };
      if (isCut) throw new PalimpsestError("UNAVAILABLE", "the connection broke");
    }
    return Object.assign(chunks(), { cancel: () => undefined });
  };
  const network = { connect: () => ({ serverStream, close: () => undefined }) } as unknown as Network;
  const read = async (follow: boolean) => {
    let all = "";
    for await (const part of actorOutput(state, network, "talker", { follow }))
      all += Buffer.from(part).toString();
    return all;
  };
  const text = async (follow: boolean) => {
    const [all] = await Promise.all([read(follow), vi.advanceTimersByTimeAsync(10_000)]);
    return all;
  };
  return { text, asked };
}

test("a process that has ended is not read again while the head still takes it for alive", async () => {
  const alive: Seen = { state: "alive", incarnation: 1 };
  const { text, asked } = cluster([alive, alive, { state: "dead", incarnation: 1 }], { 1: "once\n" });
  expect(await text(true)).toBe("once\n");
  expect(asked).toEqual([1]);
});

test("processes that came and went between two looks are read too, but for those whose output is elsewhere", async () => {
  const seen: Seen[] = [
    { state: "alive", incarnation: 1 },
    { state: "dead", incarnation: 4 },
  ];
  expect(await cluster(seen, { 1: "a", 2: "b", 4: "d" }).text(true)).toBe("abd");
});

test("without follow what is not kept is said", async () => {
  const { text } = cluster([{ state: "dead", incarnation: 3 }], {});
  await expect(text(false)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a follower goes on with the next process of an actor whose node was lost", async () => {
  const seen: Seen[] = [
    { state: "alive", incarnation: 1 },
    { state: "alive", incarnation: 1 },
    { state: "restarting", incarnation: 1 },
    { state: "alive", incarnation: 2 },
    { state: "dead", incarnation: 2 },
  ];
  const { text, asked } = cluster(seen, { 1: "first\nlost\n", 2: "next\n" }, 1, [
    "alive",
    "suspect",
    "alive",
  ]);
  expect(await text(true)).toBe("first\nnext\n");
  expect(asked).toEqual([1, 2]);
});

test("a follower goes on where it was when the connection to a living node broke", async () => {
  const alive: Seen = { state: "alive", incarnation: 1 };
  const { text } = cluster(
    [alive, alive, alive, { state: "dead", incarnation: 1 }],
    { 1: "first\nand more\n" },
    1,
  );
  expect(await text(true)).toBe("first\nand more\n");
});

test("that an actor died with its node, and the end of its output with it, is said", async () => {
  const seen: Seen[] = [
    { state: "alive", incarnation: 1 },
    { state: "dead", incarnation: 1 },
  ];
  const { text } = cluster(seen, { 1: "first\nlost\n" }, 1, ["alive", "dead"]);
  await expect(text(true)).rejects.toThrow("node node-1 is gone");
});
