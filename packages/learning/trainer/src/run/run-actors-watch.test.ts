import { once } from "node:events";
import type { ActorInfo } from "@palimpsest/client";
import { expect, test } from "vitest";
import { watchRunActors } from "./run-actors-watch.js";

const info = (actorId: string, state: ActorInfo["state"], reason = "") =>
  ({ actorId, role: "rollout", state, certificate: { reason } }) as ActorInfo;

test("an actor of the run that died for good is told with its reason; one that restarts is waited for", async () => {
  const actors = [info("actor-restarts", "restarting")];
  const member = (actorId: string, found: () => ActorInfo) => ({ actorId, info: async () => found() });
  let looks = 0;
  const watch = watchRunActors({ actors: async () => actors }, [
    member("actor-restarts", () => info("actor-restarts", "restarting")),
    // It ended between the list and this question, and is alive again by the next look.
    member("actor-late", () =>
      info("actor-late", looks++ === 0 ? "restarting" : "dead", "its class is gone"),
    ),
  ]);
  await once(watch.signal, "abort");
  watch.close();
  expect(looks).toBe(2);
  expect(watch.signal.reason).toMatchObject({
    code: "ACTOR_DIED",
    message: expect.stringContaining("rollout actor-late died and will not be restarted: its class is gone"),
  });
});
