/**
 * Tests that the command downloads a model from a hub: the process is killed in the middle, and the next one continues.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LoopbackHub } from "../../packages/learning/model/src/hub/loopback-hub.fixture.js";
import { Command } from "../support/command.js";
import { testFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const base = join(root, "recipes/bases/quickstart");

let hub: LoopbackHub;
let cache: string;
beforeEach(async () => {
  cache = testFolder();
  hub = await LoopbackHub.start();
  hub.token = "a-token";
  for (const name of ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]) {
    hub.files[name] = { bytes: readFileSync(join(base, name)), lfs: name === "model.safetensors" };
  }
});
afterEach(() => hub.close());

const palimpsest = (...args: string[]): Command =>
  Command.start(args, {
    cwd: cache,
    environment: { PALIMPSEST_CACHE: cache, HF_ENDPOINT: hub.endpoint, HF_TOKEN: "a-token" },
  });

test("a download that is killed is gone on with at the byte where it stopped, then costs no request", async () => {
  const wanted = hub.files["model.safetensors"]?.bytes as Buffer;
  const sent = 200_000;
  // config.json arrives completely; of the weights some bytes arrive, and then the server sends nothing more.
  hub.faults = [{ kind: "no-ranges" }, { kind: "silence", afterBytes: sent }];
  const partial = join(
    cache,
    "models",
    "anyone--tiny.partial",
    `${hub.digestOf("model.safetensors")}.done.part`,
  );
  const killed = palimpsest("model", "download", hub.repo);
  const explain = () => killed.output;
  await until("the bytes sent are on disk", () => statSync(partial).size === sent, { explain });
  killed.kill("SIGKILL");
  await killed.ended;

  hub.requests.length = 0;
  const second = await palimpsest("model", "download", hub.repo).ended;
  const folder = join(cache, "models", "anyone--tiny");
  expect(second).toMatchObject({ code: 0, stdout: `${folder}\n` });
  expect(second.stderr).toContain("model.safetensors");
  expect(hub.requests.filter((request) => request.startsWith("store"))).toEqual([
    `store /model.safetensors bytes=${sent}-`,
  ]);
  expect(wanted.equals(readFileSync(join(folder, "model.safetensors")))).toBe(true);
  expect(hub.leakedTokens).toEqual([]);

  hub.requests.length = 0;
  const told = await palimpsest("model", "info", hub.repo, "--json").ended;
  expect(JSON.parse(told.stdout)).toMatchObject({ path: folder, format: "folder", layers: 2 });
  expect(hub.requests).toEqual([]);
});

test("a refusal is one line on standard error and says what to do", async () => {
  hub.token = "another-token";
  const { code, stdout, stderr } = await palimpsest("model", "download", hub.repo).ended;
  expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
  expect(stderr).toMatch(/^error: .*anyone\/tiny.*401.*HF_TOKEN.*\n$/);
});
