import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { fetchTensorflow } from "./fetched-tensorflow.js";

/** Lays out an installed command, whose setup is the given program. */
function installed(setup: string) {
  const command = join(testFolder(), "node_modules/palimpsest");
  const folder = join(command, "node_modules/@palimpsest/jit");
  const addon = join(folder, "node_modules/@tensorflow/tfjs-node-gpu");
  mkdirSync(join(command, "scripts"), { recursive: true });
  mkdirSync(join(folder, "scripts"), { recursive: true });
  mkdirSync(join(addon, "lib/napi-v8"), { recursive: true });
  writeFileSync(join(command, "scripts/first-use.mjs"), "");
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(addon, "package.json"), "{}");
  const log = join(command, "log");
  writeFileSync(
    join(folder, "scripts/tensorflow.mjs"),
    `import { appendFileSync, writeFileSync } from "node:fs"; appendFileSync(${JSON.stringify(log)}, "ran\\n"); ${setup}`,
  );
  const said: string[] = [];
  return {
    command,
    said,
    addon: join(addon, "lib/napi-v8/tfjs_binding.node"),
    fetch: (environment: Record<string, string> = {}) =>
      fetchTensorflow({ folder, environment, say: (line) => void said.push(line) }),
    runs: () => readFileSync(log, "utf8").split("\n").length - 1,
  };
}

test("an installed command fetches libtensorflow once, when it is first needed, and says so and how far it is", async () => {
  const { fetch, runs, said, addon } = installed(
    `process.stdout.write("  · downloading x (274 MB, once)\\n  · 55 of 274 MB\\n  ✓ backend\\n");
     writeFileSync(new URL("../node_modules/@tensorflow/tfjs-node-gpu/lib/napi-v8/tfjs_binding.node", import.meta.url), "");`,
  );
  await fetch();
  await fetch();
  expect(runs()).toBe(1);
  expect(readFileSync(addon, "utf8")).toBe("");
  expect(said).toEqual([
    expect.stringMatching(/^libtensorflow is needed for the first time .*\n$/),
    "  · downloading x (274 MB, once)\n",
    "  · 55 of 274 MB\n",
  ]);
});

test("where it cannot be fetched, the error names the cause and both ways out", async () => {
  const { fetch } = installed(
    `process.stdout.write("  ✓ backend wasm (slower), because pip is missing: run apt-get install python3-pip\\n"); process.exitCode = 1;`,
  );
  await expect(fetch()).rejects.toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: expect.stringMatching(
      /could not be fetched: pip is missing: run apt-get install python3-pip; run `npx palimpsest setup` there, or .*PALIMPSEST_SETUP=off/,
    ),
  });
});

test("nothing is fetched when it is forbidden, when a setup has decided, and in a checkout", async () => {
  const { fetch, command, said } = installed("process.exitCode = 1;");
  await fetch({ PALIMPSEST_SETUP: "off" });
  writeFileSync(join(command, ".set-up.json"), "{}");
  await fetch();
  await fetchTensorflow({ environment: {}, say: (line) => void said.push(line) });
  expect(said).toEqual([]);
});
