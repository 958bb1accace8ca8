import { appendFileSync, existsSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { until } from "../../../../../test/support/until.js";
import { OutputFile } from "./output-file.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder, "a.log");
});

const text = () => (existsSync(path) ? readFileSync(path, "utf8") : "");

it("keeps output up to its bound", async () => {
  const file = new OutputFile(path, { maxBytes: 5 });
  for (const piece of ["abc", "def", "ghi"]) file.write(Buffer.from(piece));
  file.close();
  await until("it is written", () => text() === "abcde");
});

/** Every write to this device fails with ENOSPC. */
const full = "/dev/full";

it.skipIf(!existsSync(full))(
  "drops and counts what a full disk does not take, and says so in the file when there is room again (OUTPUTFILE-1)",
  async () => {
    expect(() => appendFileSync(full, "x")).toThrow("ENOSPC");
    let nowMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
    symlinkSync(full, path);
    const file = new OutputFile(path, { clock });
    file.write(Buffer.from("12345"));
    file.write(Buffer.from("678"));
    await until("both are counted", () => file.lostBytes === 8);
    unlinkSync(path);
    // Not tried again at once: a process may write thousands of lines per second.
    file.write(Buffer.from("9"));
    expect([file.lostBytes, existsSync(path)]).toEqual([9, false]);
    nowMs = 1_000;
    file.write(Buffer.from("again\n"));
    file.close();
    await until("it is written again", () => text().endsWith("again\n"), { explain: text });
    expect(text()).toBe("\n[… 9 bytes of output were lost here: the disk did not take them]\nagain\n");
  },
);
