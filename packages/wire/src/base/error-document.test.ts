import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorCodes } from "./error.js";

test("docs/errors.md explains every code, says rightly whether it is retryable, and knows no other", () => {
  const document = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8");
  const rows = [...document.matchAll(/^\| `([A-Z_]+)` \| (yes|no) \|/gm)].map(([, code, retryable]) => [
    code,
    retryable,
  ]);
  expect(rows).toEqual(
    Object.entries(errorCodes).map(([code, { retryable }]) => [code, retryable ? "yes" : "no"]),
  );
});
