import { PalimpsestError, type Peer } from "@palimpsest/wire";
import { expect, test } from "vitest";
import { ObjectDrain } from "./object-drain.js";
import type { TableEntry } from "./object-table.js";

test("each holder is told once, to a node that has room, and nothing is let go of here (OBJECTDRAIN-1, OBJECTDRAIN-2)", async () => {
  const told: string[] = [];
  const entry = (objectId: string, holders: readonly string[]) =>
    ({
      objectId,
      sizeBytes: 10,
      holders: new Map(holders.map((holder) => [holder, 1])),
    }) as unknown as TableEntry;
  const entries = [entry("a", ["session-1", "object:b"]), entry("b", ["session-1"]), entry("copy", [])];
  const peerOf = (address: string) =>
    ({
      unary: async (_: unknown, { objectId, holder }: { objectId: string; holder: string }) => {
        if (address === "full") throw new PalimpsestError("OBJECT_STORE_FULL", "no room");
        told.push(`${address} ${objectId} ${holder}`);
        return {};
      },
    }) as unknown as Peer;
  const drain = new ObjectDrain({
    store: { entries: () => entries },
    use: (address, ask) => ask(peerOf(address)),
  });
  await drain.run([]);
  expect(told).toEqual([]);
  await drain.run(["full", "roomy"]);
  expect([...told].sort()).toEqual(["roomy a object:b", "roomy a session-1", "roomy b session-1"]);
  told.length = 0;
  entries[1]?.holders.set("actor-1.1", 2);
  await drain.run(["full", "roomy"]);
  expect(told).toEqual(["roomy b actor-1.1"]);
  expect(entries.map(({ holders }) => holders.size)).toEqual([2, 2, 0]);
});
