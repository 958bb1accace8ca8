/** Each example of the gallery is run as its README prints it, against one cluster, and says what the README shows. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Command } from "./support/command.js";
import { markName } from "./support/processes.js";
import { TestCluster } from "./support/test-cluster.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "examples");
const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "README.md")));
const drawing: unknown = await import(join(root, "scripts/pictures/examples.mjs"));
const { picture, terminalOf } = drawing as {
  picture: (terminal: string) => string;
  terminalOf: (readme: string) => string;
};

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start();
});
afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

/** Runs a line of a README from the root of the checkout, as its reader does, and leaves no file there. */
function start(line: string): Command {
  const [npx, program, ...args] = [
    ...line.replace("answer.html", join(cluster.dir, "answer.html")).matchAll(/"([^"]*)"|(\S+)/g),
  ].map(([, quoted, word]) => quoted ?? word ?? "");
  expect(npx).toBe("npx");
  return Command.start(args, {
    cwd: root,
    environment: {
      [markName]: cluster.dir,
      PALIMPSEST_ADDRESS: cluster.address,
      PALIMPSEST_TOKEN: cluster.token,
      PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
    },
    ...(program === "tsx" ? { program: ["--import", "tsx"] } : {}),
  });
}

/** The lines of a recorded terminal as a pattern, in which `…` stands for what is different each time. */
function patternOf(output: string): RegExp {
  const escaped = output.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("…", ".+")}$`);
}

test("the gallery has twelve examples, each with its picture, few words and few lines", () => {
  expect(names).toHaveLength(12);
  const gallery = read("README.md");
  for (const name of names) {
    const readme = read(name, "README.md");
    expect(readme.split(/\s+/).length, name).toBeLessThanOrEqual(150);
    const [, file = ""] = /\]\((picture\.\w+)\)/.exec(readme) ?? [];
    if (file.endsWith(".svg"))
      expect(read(name, file), `${name}: node scripts/pictures/examples.mjs`).toBe(
        picture(terminalOf(readme)),
      );
    expect(gallery, name).toContain(`(${name}/${file})`);
    expect(gallery, name).toContain(`(${name}/README.md)`);
    for (const source of readdirSync(join(folder, name)).filter((entry) => entry.endsWith(".ts")))
      expect(read(name, source).split("\n").length, `${name}/${source}`).toBeLessThanOrEqual(62);
  }
});

test.each(names)("%s prints what its README shows", async (name) => {
  const [line = "", ...output] = terminalOf(read(name, "README.md")).split("\n");
  const { code, stdout, stderr } = await start(line.replace(/^\$ /, "")).ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(patternOf(output.join("\n")));
});
