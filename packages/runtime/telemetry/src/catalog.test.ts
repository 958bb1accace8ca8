import { describe, expect, it } from "vitest";
import { catalog, definitionOf, groupOf, metricGroups } from "./catalog.js";
import { catalogMarkdown, metricNames } from "./catalog-markdown.js";

describe("metric catalog", () => {
  it.each(metricNames())("%s follows the naming rules", (name) => {
    const { type, unit, help, labels } = definitionOf(name);
    expect(metricGroups).toContain(groupOf(name));
    expect(name).toMatch(/^palimpsest_[a-z]+_[a-z][a-z0-9_]*$/);
    expect(name.endsWith("_total")).toBe(type === "counter");
    const stem = name.replace(/_total$/, "");
    for (const suffix of ["seconds", "bytes"]) {
      expect(stem.endsWith(`_${suffix}`)).toBe(unit === suffix);
    }
    expect(help).toMatch(/^[A-Z].*\.$/);
    expect(help).not.toContain("|");
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels).not.toContain("component");
  });

  it("gives every histogram rising buckets and no other metric any", () => {
    for (const name of metricNames()) {
      const { type, buckets } = definitionOf(name);
      expect(buckets !== undefined).toBe(type === "histogram");
      expect([...(buckets ?? [])].sort((a, b) => a - b)).toEqual(buckets ?? []);
    }
  });

  it("documents each metric once under its group", () => {
    const page = catalogMarkdown();
    for (const name of Object.keys(catalog)) {
      expect(page.split(`| \`${name}\` |`)).toHaveLength(2);
    }
    expect(page.match(/^## /gm)).toHaveLength(metricGroups.length);
    expect(page.endsWith("|\n")).toBe(true);
  });
});
