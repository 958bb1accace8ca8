import { expect, it } from "vitest";
import { findingsText } from "./doctor.js";

it("writes long findings on several lines, and fixes whole, so that they can be copied", () => {
  const found = `wasm (tensorflow: ${"libtensorflow.so is not there; ".repeat(10)})`;
  const fix = `npx palimpsest setup ${"x".repeat(80)}`;
  const path = `/${"y".repeat(200)}`;
  const text = findingsText([
    { what: "Node", found: "22.0.0", fix: "" },
    { what: "backend", found, fix },
    { what: "libdevice", found: path, fix: "" },
  ]);
  const lines = text.split("\n");
  expect(lines.find((line) => line.includes("backend"))).toMatch(new RegExp(`^✗  backend .{0,72}${fix}$`));
  for (const line of lines) expect(line.replace(fix, "").length).toBeLessThanOrEqual(80);
  expect(text.replace(fix, "").replaceAll(/\s/g, "")).toContain(found.replaceAll(" ", ""));
  expect(text.replaceAll(/\s/g, "")).toContain(path);
});
