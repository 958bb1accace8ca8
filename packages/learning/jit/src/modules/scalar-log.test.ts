import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { type Backend, loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { openScalarLog } from "./scalar-log.js";

const folder = fileFolder();

/** Records of an event file: eight bytes of length, four of checksum, the event, four of checksum. */
function events(file: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < file.length; ) {
    const length = Number(file.readBigUInt64LE(at));
    found.push(file.subarray(at + 12, at + 12 + length));
    at += 16 + length;
  }
  return found;
}

it("writes an event a finite number, with name, value and step, and keeps no tensor", async () => {
  const backend = await loadBackend();
  const log = await openScalarLog(backend, folder);
  expect(log === undefined).toBe(backend.name !== "tensorflow");
  if (log === undefined) return;
  const before = tf.memory().numTensors;
  log.write(1, { loss: 0.5, gone: Number.NaN });
  log.write(2, { loss: 0.25, reward: 1 });
  expect(tf.memory().numTensors).toBe(before);
  const [name] = await readdir(folder);
  expect(name).toMatch(/^events\.out\.tfevents\./);
  const written = events(await readFile(join(folder, name ?? ""))).slice(1);
  const named = written.map((event) => /loss|reward|gone/.exec(event.toString("latin1"))?.[0]);
  expect(named).toEqual(["loss", "loss", "reward"]);
  const half = Buffer.alloc(4);
  half.writeFloatLE(0.25);
  expect(written[1]?.includes(half)).toBe(true);
});

it("says that other backends have none", async () => {
  const other = { name: "cpu" } as Backend;
  expect(await openScalarLog(other, folder)).toBeUndefined();
});
