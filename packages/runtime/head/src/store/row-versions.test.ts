import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeNode } from "../tables/node.js";
import { RowFormat, type RowMigration, rowVersion } from "./row-versions.js";
import { type StoreTable, storeTables } from "./store.js";

const written = (format: RowFormat, table: StoreTable, bytes: Uint8Array) => {
  const write = format.written({ table, key: "k", bytes });
  return new Map([["k", write.bytes ?? new Uint8Array()]]);
};

/** A row as a build before versions wrote it. */
const oldNode = Buffer.from(
  "0a066e6f64652d3112026d31180720012a100a0e0a0363707511000000000000004032100a0e0a036370751100000000000000406205302e312e30",
  "hex",
);

describe("rows of the first version", () => {
  it("are read, and nodes then say that they speak protocol 1", () => {
    const node = decodeNode(
      new RowFormat().read("nodes", new Map([["k", oldNode]])).get("k") ?? new Uint8Array(),
    );
    expect(node).toMatchObject({
      ...{ nodeId: "node-1", hostname: "m1", pid: 7, version: "0.1.0", state: "ALIVE" },
      total: { cpu: 2 },
      protocols: { min: 1, max: 1 },
    });
  });

  it("of other tables stay as they are", async () => {
    await fc.assert(
      fc.property(fc.string(), fc.nat(), (name, incarnation) => {
        const row = proto.ActorInfo.encode({ spec: { name }, incarnation }).finish();
        for (const table of storeTables)
          if (table !== "nodes")
            expect(new RowFormat().read(table, new Map([["k", row]])).get("k")).toEqual(row);
      }),
    );
  });
});

it("ROWS-3: a row that is written is read by the same build as it was, also by those before versions", () => {
  const format = new RowFormat();
  const node = { nodeId: "node-1", hostname: "m1", protocols: { min: 1, max: rowVersion } };
  const rows = written(format, "nodes", proto.NodeInfo.encode(node).finish());
  expect(proto.NodeInfo.decode(format.read("nodes", rows).get("k") ?? new Uint8Array())).toMatchObject(node);
  // A build before versions ignores the field.
  expect(proto.NodeInfo.decode(rows.get("k") ?? new Uint8Array())).toMatchObject(node);
  expect(format.written({ table: "nodes", key: "k", bytes: undefined }).bytes).toBeUndefined();
});

describe("rows of several versions side by side", () => {
  /** Each migration adds its number to a text, so that the text says which of them ran, in which order. */
  const step =
    (number: number): RowMigration =>
    (_, row) => {
      const { jobId, ...rest } = proto.ActorInfo.decode(row).spec ?? { jobId: "" };
      return proto.ActorInfo.encode({ spec: { ...rest, jobId: `${jobId}${number}` } }).finish();
    };
  const builds = [0, 1, 2, 3, 4].map(
    (steps) => new RowFormat(Array.from({ length: steps }, (_, index) => step(index + 1))),
  );
  const textOf = (row: Uint8Array | undefined) => proto.ActorInfo.decode(row ?? new Uint8Array()).spec?.jobId;

  it("ROWS-1: run exactly the migrations after their own version, once, in order", async () => {
    const build = fc.nat({ max: builds.length - 1 });
    await fc.assert(
      fc.property(build, build, (by, at) => {
        const [writer, reader] = [builds[by], builds[at]];
        if (writer === undefined || reader === undefined) throw new Error("no build");
        const rows = written(writer, "actors", proto.ActorInfo.encode({ spec: { jobId: "" } }).finish());
        if (by > at) {
          // ROWS-2
          const error: unknown = (() => {
            try {
              return reader.read("actors", rows);
            } catch (reason) {
              return reason;
            }
          })();
          expect(error).toBeInstanceOf(PalimpsestError);
          expect(error).toMatchObject({
            code: "PROTOCOL_MISMATCH",
            message: expect.stringContaining(
              `row actors/k has version ${by + 1}, and this head reads up to ${at + 1}`,
            ),
          });
          return;
        }
        const text = "1234".slice(by, at);
        expect(textOf(reader.read("actors", rows).get("k"))).toBe(text);
      }),
    );
  });
});
