/**
 * Story 19: a reader who knows Ray follows the guide. Its examples run here, and Ray's originals beside them where Ray
 * is installed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examples } from "../../examples/ray/examples.js";
import { TestCluster } from "../support/test-cluster.js";

const folder = new URL("../../examples/ray/", import.meta.url);
const guide = readFileSync(new URL("../../docs/guides/ray.md", import.meta.url), "utf8");

/** The output of each example, here and in Ray. */
const expected = {
  tasks: {
    one: 49,
    squares: [1, 4, 9],
    lightly: 16,
    items: [1, 2, 3],
    nested: 3,
    tries: 3,
    waited: [1, 1, 81],
    cancelled: true,
  },
  values: { value: { name: "x", sizes: [1, 2] }, numbers: [10, 20, 30], waited: [2, 1], sum: 500_000 },
  actors: {
    first: 11,
    next: [12, 13, 14],
    sum: 3,
    streamed: [1, 4, 9, 16],
    found: 106,
    met: ["met", "met"],
    pooled: [2, 3, 4, 4],
  },
  failures: { cause: "division by zero", isLate: true, isDead: true, again: "second try" },
  scheduling: { isThere: true, count: 42, isReady: false },
} satisfies Record<keyof typeof examples, unknown>;

describe("the examples of the guide", () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await TestCluster.start();
  });

  afterAll(async () => {
    expect(await cluster?.stop()).toEqual([]);
  });

  test.each(Object.entries(examples))("%s", async (name, example) => {
    expect(await example(cluster.client)).toEqual(expected[name as keyof typeof expected]);
  });
});

test("what the guide prints is what runs", () => {
  const sources = new Map(
    ["ts", "py"].map((language) => {
      const files = readdirSync(folder).filter((file) => file.endsWith(`.${language}`));
      return [
        language,
        files.map((file) => unindented(readFileSync(new URL(file, folder), "utf8"))).join("\n"),
      ];
    }),
  );
  const printed = [...guide.matchAll(/```(ts|py)\n(.*?)```/gs)];
  expect(printed.length).toBeGreaterThan(7);
  // Where lines between two shown ones are left out, the guide has an empty line.
  for (const [, language = "", code = ""] of printed)
    for (const piece of unindented(code).trim().split(/\n\n+/))
      expect(sources.get(language), `${language} of the guide`).toContain(piece);
});

const python = process.env["PALIMPSEST_RAY_PYTHON"] ?? "python3";
const hasRay = await endOf(spawn(python, ["-c", "import numpy, ray"], { stdio: "ignore" })).then(
  (code) => code === 0,
);

test.skipIf(!hasRay)(
  `the originals in Ray give the same${hasRay ? "" : ": skipped, because no Python here has ray (PALIMPSEST_RAY_PYTHON)"}`,
  async () => {
    const child = spawn(python, [fileURLToPath(new URL("main.py", folder))], {
      env: { ...process.env, RAY_USAGE_STATS_ENABLED: "0", RAY_raylet_start_wait_time_s: "120" },
    });
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString("utf8");
    });
    expect(await endOf(child), errors).toBe(0);
    // Ray's own messages appear between the lines.
    const lines = output.split("\n").filter((line) => (line.split(" ", 1)[0] ?? "") in expected);
    const results = lines.map((line): [string, unknown] => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), JSON.parse(line.slice(space + 1))];
    });
    expect(Object.fromEntries(results)).toEqual(expected);
  },
);

function unindented(code: string): string {
  return code.replaceAll(/^[ \t]+/gm, "");
}

async function endOf(child: ChildProcess): Promise<number> {
  const [code] = (await Promise.race([once(child, "close"), once(child, "error").then(() => [-1])])) as [
    number,
  ];
  return code;
}
