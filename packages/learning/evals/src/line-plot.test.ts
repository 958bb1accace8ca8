import { describe, expect, it } from "vitest";
import { linearAxis, logAxis, shortNumber } from "./axis.js";
import { type LinePlot, linePlot, stackedPlots } from "./line-plot.js";
import { rewardPlot } from "./plots.js";

/** Checks that tags nest and close, attributes are quoted, and no bare & or < remains, and returns the tag names. */
function parseXml(source: string): string[] {
  const open: string[] = [];
  const names: string[] = [];
  const markup =
    /<(\/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<&]*(?:&(?:amp|lt|gt|quot|apos);[^"<&]*)*")*)(\/?)>|([^<]+)/gy;
  let at = 0;
  for (const match of source.matchAll(markup)) {
    expect(match.index).toBe(at);
    at += match[0].length;
    const [, closing, name, , selfClosing, content] = match;
    if (content !== undefined) expect(content.replace(/&(amp|lt|gt|quot|apos);/g, "")).not.toContain("&");
    else if (closing) expect(open.pop()).toBe(name);
    else {
      names.push(name as string);
      if (!selfClosing) open.push(name as string);
    }
  }
  expect(at).toBe(source.length);
  expect(open).toEqual([]);
  return names;
}

const plot: LinePlot = {
  title: 'Reward < 1 & "more"',
  xLabel: "document tokens",
  yLabel: "share",
  xScale: "log",
  yMin: 0,
  yMax: 1,
  series: [
    {
      name: "before",
      points: [64, 128, 256, 1024].map((x, i) => ({ x, y: 0.3 - i / 20, low: 0.1, high: 0.5 })),
    },
    {
      name: "after",
      points: [64, 128, 256, 1024].map((x, i) => ({ x, y: 0.9 - i / 20, low: 0.7, high: 1 })),
    },
  ],
};

describe("linePlot", () => {
  it("is well-formed and stays on its page", () => {
    const svg = linePlot(plot);
    const names = parseXml(svg);
    expect(names[0]).toBe("svg");
    expect(names.filter((name) => name === "circle")).toHaveLength(5);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    for (const [, coordinate] of svg.matchAll(/ (?:x|x1|x2|cx)="([^"]+)"/g)) {
      expect(Number(coordinate)).toBeGreaterThanOrEqual(0);
      expect(Number(coordinate)).toBeLessThanOrEqual(760);
    }
  });

  it("puts higher values higher and longer documents further right", () => {
    const svg = linePlot({
      ...plot,
      series: [
        {
          name: "a",
          points: [
            { x: 1, y: 0.2 },
            { x: 100, y: 0.8 },
          ],
        },
      ],
    });
    const [first, second] = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map((m) =>
      [m[1], m[2]].map(Number),
    );
    expect(second?.[0]).toBeGreaterThan(first?.[0] as number);
    expect(second?.[1]).toBeLessThan(first?.[1] as number);
  });

  it("says so where there is nothing to draw, and survives one point and equal values", () => {
    for (const points of [
      [],
      [{ x: Number.NaN, y: 1 }],
      [{ x: 5, y: 5 }],
      [
        { x: 1, y: 0 },
        { x: 2, y: 0 },
      ],
    ]) {
      const svg = linePlot({ title: "t", xLabel: "x", yLabel: "y", series: [{ name: "s", points }] });
      parseXml(svg);
      expect(svg).not.toMatch(/NaN|Infinity/);
      expect(svg.includes("no data")).toBe(!points.some((point) => point.x > 0));
    }
  });

  it("draws long curves without marks, the raw values behind their mean", () => {
    const svg = rewardPlot(Array.from({ length: 150 }, (_, step) => ({ step, reward: Math.sin(step) ** 2 })));
    const names = parseXml(svg);
    expect(names.filter((name) => name === "path")).toHaveLength(2);
    expect(svg).toContain("mean of the last 10 steps");
  });
});

describe("axes", () => {
  it("end at round numbers and hold their range", () => {
    expect(linearAxis({ min: 0, max: 1 }, 0, 100).ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(linearAxis({ min: 0.07, max: 0.29 }, 0, 100).ticks).toEqual([0.05, 0.1, 0.15, 0.2, 0.25, 0.3]);
    expect(linearAxis({ min: 0, max: 119 }, 0, 100).ticks).toEqual([0, 50, 100, 150]);
    expect(linearAxis({ min: -3, max: 12 }, 0, 100).at(15)).toBe(100);
  });

  it("place every doubling at the same distance", () => {
    const axis = logAxis([64, 1024, 128, 256, 512], 0, 400);
    expect(axis.ticks).toEqual([64, 128, 256, 512, 1024]);
    expect(axis.ticks.map((tick) => Math.round(axis.at(tick)))).toEqual([0, 100, 200, 300, 400]);
  });

  it("write numbers shortly", () => {
    expect([0.05, 0, 48, 1024, 16_000, 62_500, 1_000_000, 3_500_000].map(shortNumber)).toEqual([
      "0.05",
      "0",
      "48",
      "1024",
      "16K",
      "62.5K",
      "1M",
      "3.5M",
    ]);
  });
});

describe("the legend", () => {
  it("puts names that do not fit beside each other into further rows, for which the picture is higher", () => {
    const named = (...names: string[]): LinePlot => ({
      ...plot,
      series: names.map((name) => ({ name: `agent ${name}`, points: [{ x: 1, y: 1 }] })),
    });
    const placed = (svg: string) =>
      [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>(agent [^<]*)/g)].map(([, x, y, name = ""]) => ({
        right: Number(x) + name.length * 7.2,
        y: Number(y),
      }));
    const heightOf = (svg: string) => Number(/ height="(\d+)"/.exec(svg)?.[1]);
    const few = named("one", "two");
    const many = named("with a name that is rather long", "with another that is long", "of a third kind");
    expect(new Set(placed(linePlot(few)).map(({ y }) => y)).size).toBe(1);
    expect(new Set(placed(linePlot(many)).map(({ y }) => y)).size).toBe(2);
    for (const { right } of placed(linePlot(many))) expect(right).toBeLessThan(760);
    expect(heightOf(linePlot(many))).toBeGreaterThan(heightOf(linePlot(few)));
    parseXml(linePlot(many));
    // Stacked plots leave room for each of them.
    expect(heightOf(stackedPlots([many, few]))).toBe(heightOf(linePlot(many)) + heightOf(linePlot(few)));
  });
});
