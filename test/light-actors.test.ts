import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ActorHandle, type ActorOptions, connect } from "@palimpsest/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Light } from "./support/light-actor.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

const source = { from: new URL("./support/light-actor.ts", import.meta.url) };
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start();
});
afterAll(async () => expect(await cluster.stop()).toEqual([]));

function spawn(count: number, options: ActorOptions = {}): Promise<ActorHandle<Light>[]> {
  const type = cluster.client.actor(Light, source, { process: "shared", ...options });
  return Promise.all(Array.from({ length: count }, (_, index) => type.spawn(String(index))));
}

const counts = (actors: readonly ActorHandle<Light>[]) => Promise.all(actors.map((actor) => actor.count()));
const kill = (actors: readonly ActorHandle<Light>[]) => Promise.all(actors.map((actor) => actor.kill()));

describe("light actors", () => {
  test("share a process, each with its own state and order, and end one by one (SHAREDACTOR-1, LIGHT-3, SHAREDPROCESS-1)", async () => {
    const actors = await spawn(20);
    const first = await counts(actors);
    expect(new Set(first.map(({ pid }) => pid)).size).toBe(1);
    expect(first.map(({ label }) => label)).toEqual(actors.map((_, index) => String(index)));
    const [one, ...others] = actors;
    await one?.kill();
    await expect(one?.count()).rejects.toMatchObject({ code: "ACTOR_DIED" });
    const second = await counts(others);
    expect(second.map(({ calls }) => calls)).toEqual(others.map(() => 2));
    expect(second[0]?.pid).toBe(first[0]?.pid);
    await kill(others);
  });

  test("one whose constructor throws, and one that exits by itself, take no other with them (LIGHT-2)", async () => {
    const [stays, leaves] = await spawn(2);
    const type = cluster.client.actor(Light, source, { process: "shared" });
    const refusing = await type.spawn("refuses");
    await expect(refusing.count()).rejects.toThrow("refuses to be made");
    await expect(leaves?.leave()).rejects.toThrow("it has done its work");
    expect(await stays?.count()).toMatchObject({ calls: 1 });
    if (stays) await kill([stays]);
  });

  test.each([
    ["exits the process", (actor: ActorHandle<Light>) => actor.exitProcess()],
    ["leaves a rejection to nobody", (actor: ActorHandle<Light>) => actor.failLater()],
    ["brings the process down", (actor: ActorHandle<Light>) => actor.crashProcess()],
  ])(
    "one that %s is named; the others come back without using up a restart (LIGHT-1, SHAREDPROCESS-3, ACTOR-9)",
    async (_, act) => {
      const [guilty] = await spawn(1, { maxRestarts: 1 });
      const [frail] = await spawn(1);
      const others = await spawn(3, { maxRestarts: 1, maxTaskRetries: -1 });
      if (!guilty || !frail) throw new Error("they were not made");
      const [before] = await counts([frail, guilty, ...others]);
      await expect(act(guilty)).rejects.toMatchObject({ code: "ACTOR_UNAVAILABLE" });
      const after = await counts(others);
      expect(after.map(({ calls, incarnation }) => [calls, incarnation])).toEqual(others.map(() => [1, 2]));
      expect(after[0]?.pid).not.toBe(before?.pid);
      // The actor without restarts is gone, and its certificate names the actor that ended the process.
      await expect(frail.count()).rejects.toThrow(`${guilty.actorId} ended the process`);
      // The guilty actor's only restart is used up; the others' restarts are not.
      await guilty.ready();
      await expect(act(guilty)).rejects.toMatchObject({ code: "ACTOR_DIED" });
      expect((await counts(others)).map(({ incarnation }) => incarnation)).toEqual([3, 3, 3]);
      await kill(others);
    },
  );

  test("one that blocks the process does not live on when it is killed, and the others come back (SHAREDPROCESS-2)", async () => {
    const [blocks, other] = await spawn(2, { maxRestarts: -1, maxTaskRetries: -1 });
    await counts([blocks, other].flatMap((one) => one ?? []));
    const begun = join(cluster.dir, "block-begun");
    const blocked = blocks?.block(begun).catch((reason: unknown) => reason);
    await until("it blocks", () => existsSync(begun));
    await blocks?.kill();
    expect(await blocked).toMatchObject({ code: "ACTOR_DIED" });
    expect(await other?.count()).toMatchObject({ calls: 1, incarnation: 2 });
    if (other) await kill([other]);
  });

  test("those of two programs do not share a process, and none outlives its program (SHAREDPROCESSES-1, SHAREDPROCESSES-2)", async () => {
    const other = await connect({ address: cluster.address, token: cluster.token, name: "other" });
    const theirs = await other.actor(Light, source, { process: "shared" }).spawn();
    const [ours] = await spawn(1);
    const [of, their] = await Promise.all([ours?.count(), theirs.count()]);
    expect(of?.pid).not.toBe(their.pid);
    await other.close();
    const seen = await cluster.client
      .getActor<Light>({ actorId: theirs.actorId })
      .catch((reason: unknown) => reason);
    if (seen instanceof Error) expect(seen).toMatchObject({ code: "ACTOR_DIED" });
    else await expect((seen as ActorHandle<Light>).count()).rejects.toMatchObject({ code: "ACTOR_DIED" });
    expect(await ours?.count()).toMatchObject({ calls: 2 });
  });

  test("what each writes is its own output; one that wrote nothing has none (SHAREDOUTPUT-1)", async () => {
    const actors = await spawn(3);
    const [silent, ...speakers] = actors;
    await Promise.all([silent?.count(), ...speakers.map((actor, index) => actor.say(`speaker ${index}`))]);
    async function output(actor: ActorHandle<Light> | undefined): Promise<string> {
      let text = "";
      for await (const part of cluster.client.actorOutput(actor?.actorId ?? "")) text += part;
      return text;
    }
    for (const [index, speaker] of speakers.entries()) {
      const text = await output(speaker);
      expect(text).toMatch(
        new RegExp(
          `^speaker ${index} to the output\nspeaker ${index} to the errors\n.*speaker ${index} to the logger`,
        ),
      );
      expect(text).not.toContain(`speaker ${1 - index}`);
    }
    expect(await output(silent)).toBe("");
    const [speaker] = speakers;
    await kill(actors);
    // The output is kept after the actor's end.
    expect(await output(speaker)).toContain("speaker 0 to the output");
    // A kill is answered before the process has ended; until then the output is there, and empty.
    const codeOf = () => output(silent).catch(({ code }: { readonly code?: string }) => code);
    await until("nothing is known of it", async () => (await codeOf()) === "NOT_FOUND");
  });

  test("what is of a process is refused, with the field", async () => {
    await expect(spawn(1, { resources: { gpu: 1 } })).rejects.toThrow("resources.gpu is 1");
  });
});
