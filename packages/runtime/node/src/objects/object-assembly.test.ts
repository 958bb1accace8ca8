import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256Of } from "@palimpsest/std";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { ByteBudget } from "../base/byte-budget.js";
import { ObjectBulkReader } from "./bulk-reader.js";
import { type ObjectAssembly, type Piece, pieceBytes } from "./object-assembly.js";
import { ObjectStore } from "./store/object-store.js";

const bytes = randomBytes(3 * pieceBytes + 5);
const objectId = sha256Of(bytes);
let folder: string;
let store: ObjectStore;

beforeEach(async () => {
  folder = testFolder();
  store = await ObjectStore.open({ folder: join(folder, "objects"), maxBytes: 16 * pieceBytes });
});

afterEach(() => store.close());

const bytesOf = ({ offsetBytes, lengthBytes }: Piece) =>
  bytes.subarray(offsetBytes, offsetBytes + lengthBytes);

function claimed(assembly: ObjectAssembly): Piece {
  const piece = assembly.claim();
  if (piece === undefined) throw new Error("there is no piece left");
  return piece;
}

test("pieces that come in any order make the object, hashed as they come (ASSEMBLY-2)", async () => {
  const assembly = await store.assemble(objectId, bytes.byteLength);
  const pieces = [claimed(assembly), claimed(assembly), claimed(assembly), claimed(assembly)];
  expect(assembly.claim()).toBeUndefined();
  for (const piece of pieces.reverse()) {
    await expect(assembly.seal()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await assembly.write(piece, bytesOf(piece));
  }
  expect(await assembly.seal()).toMatchObject({ objectId, sizeBytes: bytes.byteLength });
});

test("a piece that did not come is claimed again, the first before others", async () => {
  const assembly = await store.assemble(objectId, bytes.byteLength);
  const [first, second] = [claimed(assembly), claimed(assembly)];
  assembly.unclaim(second);
  assembly.unclaim(first);
  expect([claimed(assembly), claimed(assembly)]).toEqual([first, second]);
  await assembly.abort();
});

test("bytes of another hash leave nothing behind, nor does what is thrown away (ASSEMBLY-1, ASSEMBLY-2)", async () => {
  for (const isWhole of [true, false]) {
    const assembly = await store.assemble(objectId, bytes.byteLength);
    for (let piece = assembly.claim(); piece !== undefined; piece = assembly.claim())
      await assembly.write(piece, Buffer.alloc(piece.lengthBytes));
    if (isWhole) await expect(assembly.seal()).rejects.toMatchObject({ code: "OBJECT_LOST" });
    else await assembly.abort();
    expect(await readdir(store.folder)).toEqual([]);
    // All of its room was given back.
    await (await store.assemble(objectId, store.maxBytes)).abort();
  }
});

test("what has come is read for others, and by the store once it is sealed (ASSEMBLY-3, BULKREADER-1, BULKREADER-2)", async () => {
  const assembly = await store.assemble(objectId, bytes.byteLength);
  const budget = new ByteBudget(8 * pieceBytes);
  let isComing = true;
  const coming = async () => (isComing ? assembly : undefined);
  const reader = new ObjectBulkReader({ store, budget, coming, onSent: () => undefined });
  const ask = (offsetBytes: number, lengthBytes: number, waitMs: number) =>
    reader.read({ objectId, offsetBytes, lengthBytes, waitMs });
  await expect(ask(0, 10, 1)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(ask(0, bytes.byteLength + 1, 1)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  const first = claimed(assembly);
  const waiting = ask(5, 100, 60_000);
  await assembly.write(first, bytesOf(first));
  const got = await waiting;
  expect(Buffer.compare(got.bytes, bytes.subarray(5, 105))).toBe(0);
  expect(budget.taken).toBe(100);
  got.release();
  expect(budget.taken).toBe(0);
  for (let piece = assembly.claim(); piece !== undefined; piece = assembly.claim())
    await assembly.write(piece, bytesOf(piece));
  await assembly.seal();
  isComing = false;
  expect(await assembly.read(new Uint8Array(1), 0)).toBe(false);
  const whole = await ask(0, bytes.byteLength, 0);
  expect(Buffer.compare(whole.bytes, bytes)).toBe(0);
  whole.release();
  // It stays open: what is freed now is read to its end.
  store.hold(objectId, "job-1");
  store.release("job-1");
  expect(store.find(objectId)).toBeUndefined();
  await reader.close();
  await expect(ask(0, 1, 0)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("who waits for a piece hears of the end of its transfer (ASSEMBLY-1)", async () => {
  const assembly = await store.assemble(objectId, bytes.byteLength);
  const waiting = expect(assembly.arrived(0, 1, 60_000)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await assembly.abort();
  await waiting;
  await expect(assembly.arrived(0, 1, 60_000)).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
