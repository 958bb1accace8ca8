import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { readTensorFile, writeTensorFile } from "./tensor-file.js";

let root = "";
beforeEach(() => {
  root = testFolder();
});

describe("a tensor file", () => {
  it("gives back what was written, views and empty tensors too, in the order of the names", async () => {
    const path = join(root, "state");
    const whole = Float32Array.from([9, 1.5, -2, Number.NaN]);
    const written = await writeTensorFile(path, {
      weights: whole.subarray(1),
      none: new Float32Array(0),
      large: new Float32Array(9_000_000).fill(0.25),
    });
    expect(written.tensors.map(({ name }) => name)).toEqual(["large", "none", "weights"]);
    expect(written.sizeBytes).toBe(36_000_012);
    const read = await readTensorFile(path, written);
    if (typeof read === "string") throw new Error(read);
    expect(read["weights"]).toEqual(whole.subarray(1));
    expect(read["none"]).toHaveLength(0);
    expect(read["large"]?.every((value) => value === 0.25)).toBe(true);
  });

  it("says what is wrong where its description is of another file", async () => {
    const path = join(root, "state");
    const written = await writeTensorFile(path, { a: new Float32Array(2), b: new Float32Array(3) });
    const [a, b] = written.tensors;
    if (!a || !b) throw new Error("two tensors were written");
    const wrong = (change: Partial<typeof written>) => readTensorFile(path, { ...written, ...change });
    expect(await wrong({ tensors: [a, { ...b, offset: 4 }] })).toBe("has b at byte 4 instead of 8");
    expect(await wrong({ tensors: [a] })).toBe("has 12 bytes that belong to no tensor");
    expect(await wrong({ tensors: [a, { ...b, count: 4 }] })).toBe("ends inside tensor b");
    expect(await wrong({ sizeBytes: 19 })).toBe("has 20 bytes instead of 19");
    expect(await wrong({ sha256: "0".repeat(64) })).toBe("does not have the recorded hash");
  });
});
