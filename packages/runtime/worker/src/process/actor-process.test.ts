import { Credentials, processCredentials } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { startActorProcess } from "./actor-process.js";

const token = "token-of-the-tests";

/** Start message of an actor whose class this module text exports as Subject. */
function order(source: string) {
  return {
    spec: { actorId: "actor-test", code: { exportName: "Subject" } },
    incarnation: 1,
    listenHost: "127.0.0.1",
    moduleUrl: `data:text/javascript,${encodeURIComponent(source)}`,
    credentials: processCredentials({ token, accepted: [] }, undefined),
  };
}

test("readiness is told once the constructor and start() are done, and not when one of them fails (ACTORPROCESS-1)", async () => {
  const events: string[] = [];
  Object.assign(globalThis, { actorEvents: events });
  const actor = await startActorProcess(
    order(`export class Subject {
      constructor() { actorEvents.push("constructed"); }
      async start() { await undefined; actorEvents.push("started"); }
    }`),
    {},
  );
  events.push("ready");
  expect(events).toEqual(["constructed", "started", "ready"]);
  await actor.stop();
  const failing = order(`export class Subject { async start() { throw new Error("it cannot start"); } }`);
  await expect(startActorProcess(failing, {})).rejects.toThrow("it cannot start");
});

test("stop() runs once however often it is asked for, and the services close after it (ACTORPROCESS-2)", async () => {
  const served: number[] = [];
  const credentials = Credentials.ofCluster(token);
  let metricsAddress = "";
  const scrape = async () =>
    (
      await fetch(`http://${metricsAddress}/metrics`, {
        headers: { authorization: `Bearer ${credentials.token}` },
      })
    ).status;
  Object.assign(globalThis, { actorStops: async () => void served.push(await scrape()) });
  const actor = await startActorProcess(
    order("export class Subject { stop() { return actorStops(); } }"),
    {},
  );
  metricsAddress = actor.ready.metricsAddress ?? "";
  await Promise.all([actor.stop(), actor.stop()]);
  await actor.stop();
  expect(served).toHaveLength(1);
  await expect(scrape()).rejects.toThrow("fetch failed");
});
