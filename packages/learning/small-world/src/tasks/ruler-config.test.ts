import { expect, test } from "vitest";
import { rulerConfigSchema } from "./ruler-config.js";

test("what is no list of words is named, also where other fields are wrong too", () => {
  for (const values of [null, { a: 1 }, 9.5, 989, "", [""]]) {
    const parsed = rulerConfigSchema.safeParse({ count: 0, seed: "x", sentences: 8, values });
    expect(parsed.error?.issues.map(({ path }) => path[0])).toContain("values");
  }
});
