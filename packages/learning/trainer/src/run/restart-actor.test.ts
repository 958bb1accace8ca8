import type { ActorInfo } from "@palimpsest/client";
import { expect, test } from "vitest";
import { restartActor } from "./restart-actor.js";

/** An actor that its head shows like this, one look after the other. */
function actor(...looks: Pick<ActorInfo, "incarnation" | "state">[]) {
  const kills: unknown[] = [];
  const shown = { looks: 0 };
  const handle = {
    info: async () => {
      shown.looks++;
      return (looks.length > 1 ? looks.shift() : looks[0]) as ActorInfo;
    },
    kill: async (options?: unknown) => {
      kills.push(options);
    },
  };
  return { handle, kills, shown };
}
const never = new AbortController().signal;

test("an actor has begun anew when its incarnation has risen", async () => {
  const { handle, kills, shown } = actor(
    { incarnation: 3, state: "alive" },
    { incarnation: 3, state: "alive" },
    { incarnation: 4, state: "pending" },
  );
  await restartActor(handle, never);
  expect(kills).toEqual([{ restart: true }]);
  expect(shown.looks).toBe(3);
});

test("one that has no restarts left, and a wait that is not wanted any more, end", async () => {
  const dead = actor({ incarnation: 3, state: "alive" }, { incarnation: 3, state: "dead" });
  await restartActor(dead.handle, never);
  const slow = actor({ incarnation: 3, state: "alive" });
  await expect(restartActor(slow.handle, AbortSignal.abort("enough"))).rejects.toThrow();
});
