import { existsSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type Clock, systemClock } from "@palimpsest/std";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { SharedOutput } from "./shared-output.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

/** Every write to this device fails with ENOSPC. */
const full = "/dev/full";

it.skipIf(!existsSync(full))(
  "drops what a full disk does not take, and says how much when there is room (SHAREDOUTPUT-2)",
  () => {
    let nowMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
    const stream = new PassThrough() as PassThrough & NodeJS.WriteStream;
    const shown: Buffer[] = [];
    stream.on("data", (piece: Buffer) => shown.push(piece));
    const path = join(folder, "a-0.log");
    symlinkSync(full, path);
    let whose: string | undefined = "a";
    new SharedOutput(folder, { clock }).watch([stream], () =>
      whose === undefined ? undefined : { actorId: whose, incarnation: 0 },
    );
    stream.write("12345");
    // Another's file lies on a disk with room.
    whose = "b";
    stream.write("b\n");
    whose = "a";
    unlinkSync(path);
    // Not tried again at once.
    stream.write("678");
    expect(existsSync(path)).toBe(false);
    nowMs = 1_000;
    stream.write("again\n");
    stream.write("and again\n");
    expect(readFileSync(path, "utf8")).toBe(
      "\n[… 8 bytes of output were lost here: the disk did not take them]\nagain\nand again\n",
    );
    expect(readFileSync(join(folder, "b-0.log"), "utf8")).toBe("b\n");
    // The process's own output is whole.
    expect(Buffer.concat(shown).toString()).toBe("12345b\n678again\nand again\n");
  },
);
