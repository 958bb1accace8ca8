import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PalimpsestError, storedValue } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import type { ObjectLink } from "./object-link.js";
import { storeAt } from "./value-writes.js";

test("a file that was reserved ahead and went to others after it was written is written once more", async () => {
  const folder = testFolder();
  const [first, second] = [join(folder, "ahead"), join(folder, "reserved")];
  const stored = storedValue({ encoded: Uint8Array.of(1, 2, 3), sizeBytes: 3, arrays: [], references: [] });
  for (const path of [first, second]) writeFileSync(path, Buffer.alloc(stored.sizeBytes));
  const orders: string[] = [];
  const link = {
    shared: true,
    ahead: { take: () => ({ objectId: "ab".repeat(20), path: first }), stored: () => undefined },
    order: async (order: proto.ObjectOrder.$Properties) => {
      orders.push(Object.keys(order).join());
      if (order.seal && orders.length === 1)
        throw new PalimpsestError("OBJECT_LOST", "its room went to others");
      return order.reserve ? { info: { path: second } } : {};
    },
  } as unknown as ObjectLink;
  const large = { ...stored, sizeBytes: 200_000 };
  const ids: string[] = [];
  const value = { objectId: "cd".repeat(20), stored: large, contains: [], holder: "h", timeoutMs: 1_000 };
  const onId = (objectId: string) => void ids.push(objectId);
  expect(await storeAt(link, { ...value, onId, signal: undefined, early: false })).toBeUndefined();
  expect([orders, ids]).toEqual([["seal", "reserve", "seal"], ["ab".repeat(20)]]);
  expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
  expect(readFileSync(second).some((byte) => byte !== 0)).toBe(true);
});
