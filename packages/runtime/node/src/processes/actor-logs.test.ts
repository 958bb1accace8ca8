import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import { beforeAll, expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { type ActorLogRequest, readActorLog } from "./actor-logs.js";

const folder = fileFolder();
beforeAll(() => {
  writeFileSync(join(folder, "actor-1-1.log"), "first\n");
  writeFileSync(join(folder, "actor-1-2.log"), "one\ntwo\nthree\n");
  writeFileSync(join(folder, "actor-1-2.refused.log"), "not this\n");
  writeFileSync(join(folder, "actor-11-7.log"), "nor this\n");
});

const nobody = { clock: systemClock, isRunning: () => false };
async function text(request: ActorLogRequest, deps: { clock: Clock; isRunning: () => boolean } = nobody) {
  let all = "";
  for await (const { data } of readActorLog({ folder, ...deps }, request, new AbortController().signal))
    all += Buffer.from(data ?? []).toString();
  return all;
}

test("the newest file of an actor, one that is named, from an offset, or its last lines", async () => {
  expect(await text({ actorId: "actor-1" })).toBe("one\ntwo\nthree\n");
  expect(await text({ actorId: "actor-1", incarnation: 1 })).toBe("first\n");
  expect(await text({ actorId: "actor-1", offsetBytes: 4 })).toBe("two\nthree\n");
  expect(await text({ actorId: "actor-1", tailLines: 2 })).toBe("two\nthree\n");
  expect(await text({ actorId: "actor-1", tailLines: 9 })).toBe("one\ntwo\nthree\n");
});

test("an id that is none reaches no file, and what is not kept is said (ACTORLOG-1)", async () => {
  for (const actorId of ["", "../actor-1", "a/b", "actor-1\n"])
    await expect(text({ actorId })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(text({ actorId: "actor" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(text({ actorId: "actor-1", incarnation: 3 })).rejects.toThrow(
    /incarnation 3: it ran elsewhere/,
  );
  await expect(text({ actorId: "actor-1", offsetBytes: -1 })).rejects.toThrow(/offset_bytes is -1/);
});

test("who follows gets what is written until the process has ended, the last of it too (ACTORLOG-2)", async () => {
  const path = join(folder, "actor-2-1.log");
  writeFileSync(path, "a");
  let looks = 0;
  const isRunning = () => {
    looks += 1;
    // The last words come between two looks: the process is gone at the next one.
    if (looks < 4) appendFileSync(path, String(looks));
    return looks < 4;
  };
  const clock = {
    ...systemClock,
    after: (_delayMs: number, callback: () => void) => {
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  expect(await text({ actorId: "actor-2", follow: true }, { clock, isRunning })).toBe("a123");
});
