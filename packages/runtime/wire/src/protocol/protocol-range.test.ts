import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  meetProtocols,
  missingMethod,
  ownProtocols,
  protocolsFrom,
  protocolsHeader,
  protocolsOf,
  sharesProtocol,
} from "./protocol-range.js";
import { allMethods, headService } from "./services.js";

const range = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 3 }))
  .map(([min, more]) => ({ min, max: min + more }));

it("PROTOCOL-1: processes meet if they have a number in common, and a refusal names both ranges", async () => {
  await fc.assert(
    fc.property(range, range, (left, right) => {
      const common = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].some((number) =>
        [left, right].every(({ min, max }) => min <= number && number <= max),
      );
      expect(sharesProtocol(left, right)).toBe(common);
      const meet = () =>
        meetProtocols({ what: "this node", protocols: left }, { what: "the head", protocols: right });
      if (common) {
        meet();
        return;
      }
      const older = left.max < right.min ? "this node" : "the head";
      expect(meet).toThrow(
        new RegExp(`this node speaks .*${left.max}, the head .*${right.max}, .*upgrade ${older};`),
      );
    }),
  );
});

it("a refusal names the method that one side lacks", () => {
  const old = { what: "node node-1", protocols: { min: 1, max: 1 } };
  const next = { what: "the head", protocols: { min: 2, max: 3 } };
  expect(() => meetProtocols(old, next)).toThrow("node node-1 lacks Head.ListDrivers: upgrade node node-1");
  expect(() => meetProtocols(next, old)).toThrow("node node-1 lacks Head.ListDrivers");
  expect(missingMethod(headService.listDrivers, old)).toMatchObject({
    code: "PROTOCOL_MISMATCH",
    details: { method: "Head.ListDrivers", protocol: 2, maxProtocol: 1 },
  });
});

it("a range survives metadata and messages, and one that is none is that of protocol 1 alone", async () => {
  await fc.assert(
    fc.property(range, (given) => void expect(protocolsOf(protocolsHeader(given))).toEqual(given)),
  );
  const first = { min: 1, max: 1 };
  for (const odd of [undefined, "", "2", "a-b", "1-2-3", Buffer.from("x")])
    expect(protocolsOf(odd)).toEqual(first);
  for (const absent of [undefined, null, {}]) expect(protocolsFrom(absent)).toEqual(first);
});

it("every method belongs to a protocol of this build", () => {
  const { min, max } = ownProtocols();
  expect(min).toBeLessThanOrEqual(max);
  expect(allMethods.length).toBeGreaterThan(50);
  for (const { name, since } of allMethods) expect([name, since <= max]).toEqual([name, true]);
});
