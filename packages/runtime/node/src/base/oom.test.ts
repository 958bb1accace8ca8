import { expect, test } from "vitest";
import { killHint } from "./oom.js";

test("says that memory ran out only when the kernel's count has risen", () => {
  expect(killHint(2, 3)).toContain("most likely by the kernel's out-of-memory killer");
  expect(killHint(2, 2)).toContain("not by its node");
  expect(killHint(undefined, undefined)).toContain("not by its node");
});
