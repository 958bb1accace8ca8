import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ActorProcess } from "./actor-process.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

test("the end of a process is told after its readiness is decided, also when it never was ready (NODEPROCESS-2)", async () => {
  const program = join(folder, "program.mjs");
  await writeFile(program, "process.exit(3);");
  const actor = ActorProcess.start({
    program: { path: program, flags: [] },
    start: { spec: { actorId: "actor-test", ownerId: "session-test" }, incarnation: 1, nodeId: "node-test" },
    environment: {},
    logPath: join(folder, "actor.log"),
    startTimeoutMs: 600_000,
  });
  const order: string[] = [];
  const ready = actor.ready.then((message) => {
    order.push("ready");
    return message;
  });
  const end = await actor.ended.finally(() => order.push("ended"));
  expect(await ready).toBeUndefined();
  expect(order).toEqual(["ready", "ended"]);
  expect(end.certificate).toMatchObject({ exitCode: 3, nodeId: "node-test", ownerId: "session-test" });
});
