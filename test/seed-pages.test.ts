import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agents, figuresOf, pageOf, pageWith, sectionOf } from "../bench/gpu/seed-pages.js";

test.each(agents)(
  "the page of %s has the figures of its result file (bench/gpu/seed-pages.ts writes it)",
  (agent) => {
    const text = readFileSync(pageOf(agent), "utf8");
    const section = sectionOf(agent, figuresOf(agent));
    expect(section).toContain("Recipe: `recipes/");
    expect(pageWith(text, section)).toBe(text);
  },
);
