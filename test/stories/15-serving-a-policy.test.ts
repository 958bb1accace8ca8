/** Tests a model behind `palimpsest serve` with OpenAI's own client for JavaScript. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { saveModel } from "@palimpsest/model";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aTinyModel } from "../../packages/apps/cli/src/serve/testing.js";
import { Command } from "../support/command.js";
import { fileFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.js";

const folder = fileFolder();
const token = "a-token-that-nobody-guesses";
const client = fileURLToPath(new URL("openai-client.mjs", import.meta.url));
let server: Command | undefined;

beforeAll(async () => {
  await saveModel(join(folder, "tiny"), aTinyModel());
});
afterAll(async () => {
  if (server?.running) server.kill("SIGKILL");
  await server?.ended;
});

test("the official client chats, streams, completes and is refused in its own words", async () => {
  // The CPU backend loads no TensorFlow and traces no graphs, because this test is about the protocol.
  const args = ["serve", join(folder, "tiny"), "--port", "0", "--backend", "cpu"];
  const running = Command.start(args, { cwd: folder, environment: { PALIMPSEST_SERVE_TOKEN: token } });
  server = running;
  const url = await until(
    "the server says where it serves",
    () => /serves {3}(\S+)/.exec(running.output)?.[1],
    { explain: () => running.output },
  );
  const { stdout } = await promisify(execFile)(process.execPath, [client, url, token]);
  const { whole, streamed, usage, collected, completion, ...said } = JSON.parse(stdout);
  expect(said).toEqual({
    model: "tiny",
    refused: [
      { kind: "BadRequestError", status: 400, code: "invalid_value", param: "temperature" },
      { kind: "NotFoundError", status: 404, code: "model_not_found", param: "model" },
    ],
    unknown: "AuthenticationError",
  });
  const [choice] = whole.choices;
  expect(whole.system_fingerprint).toMatch(/^v0-[0-9a-f]{64}$/);
  expect(choice.logprobs.content).toHaveLength(whole.usage.completion_tokens);
  expect(streamed).toBe(choice.message.content);
  expect(usage).toEqual(whole.usage);
  expect(collected.choices[0].message.content).toBe(streamed);
  expect(completion.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
  expect(running.output).not.toContain(token);

  running.kill("SIGTERM");
  expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
});
