import { PalimpsestError } from "@palimpsest/wire";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { actorSpecFromProto } from "./actor.js";
import { submissionFromProto } from "./job.js";
import { groupSpecFromProto } from "./placement-group.js";

const actor = (over: object) =>
  actorSpecFromProto({ actorId: "actor-1", code: { module: "m", exportName: "E" }, ...over });
const group = (over: object) =>
  groupSpecFromProto({ groupId: "group-1", bundles: [{ quantities: { cpu: 1 } }], strategy: 1, ...over });
const job = (over: object) => submissionFromProto({ recipe: "a: 1", ...over });

/** Every text of a request that the head keeps. */
const kept: Readonly<Record<string, (text: string) => unknown>> = {
  "an actor's name": (name) => actor({ name }),
  "a namespace": (namespace) => actor({ namespace }),
  "a role": (role) => actor({ role }),
  "a module": (module) => actor({ code: { module, exportName: "E" } }),
  "an export": (exportName) => actor({ code: { module: "m", exportName } }),
  "a label": (text) => actor({ labels: { [text]: "x" } }),
  "a label's value": (text) => actor({ labels: { zone: text } }),
  "a group's name": (name) => group({ name }),
  "a group's label": (text) => group({ labels: { zone: text } }),
  "a job's name": (name) => job({ name }),
  "a submission's id": (submissionId) => job({ submissionId }),
  "a job's metadata": (text) => job({ metadata: { note: text } }),
  "a key of metadata": (text) => job({ metadata: { [text]: "x" } }),
  "an argument": (text) => job({ argv: [text] }),
};

it.each(Object.keys(kept))(
  "%s is bounded, and what is too long is refused by its limit in a short message",
  (name) => {
    const set = kept[name] ?? (() => undefined);
    expect(() => set("short")).not.toThrow();
    for (const long of ["x".repeat(200_000), "日".repeat(100_000)]) {
      let error: unknown;
      try {
        set(long);
      } catch (reason) {
        error = reason;
      }
      expect(error).toBeInstanceOf(PalimpsestError);
      expect(String(error)).toMatch(/more than \d+: shorten it|up to 128/);
      expect(String(error).length).toBeLessThan(500);
    }
  },
);

it("refuses an argument that no process can get", () => {
  expect(() => job({ argv: ["fine", "a\0b"] })).toThrow("argv[1] has a NUL character: leave it out");
});

it("bounds many small texts together, and takes any short ones", async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key-${i}`, "x".repeat(4_000)]));
  expect(() => job({ metadata: many })).toThrow("metadata takes 160230 bytes, more than 65536: shorten it");
  await fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      for (const name of ["a label", "a role", "a job's name", "a job's metadata"]) kept[name]?.(text);
    }),
  );
});
