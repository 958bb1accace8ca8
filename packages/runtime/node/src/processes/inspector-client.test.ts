import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InspectorClient } from "./inspector-client.js";

let child: ChildProcess;
let client: InspectorClient;

beforeEach(async () => {
  child = spawn(process.execPath, ["--inspect=127.0.0.1:0", "-e", "setInterval(() => undefined, 60_000)"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  while (!/ws:\S+\s/.test(said)) said += String((await once(child.stderr ?? child, "data"))[0]);
  client = await InspectorClient.connect(/ws:\S+/.exec(said)?.[0] ?? "");
});

afterEach(async () => {
  if (child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

test("each command is answered by the process, with a result or an error (INSPECTOR-1)", async () => {
  const commands = [1, 2, 3].map((value) =>
    client.command("Runtime.evaluate", { expression: `${value} * 2` }),
  );
  const values = (await Promise.all(commands)).map(({ result }) => (result as { value?: number }).value);
  expect(values).toEqual([2, 4, 6]);
  await expect(client.command("Nothing.such")).rejects.toMatchObject({ code: "INTERNAL" });
  client.close();
});

test("what the process has not answered is answered by the end of the connection (INSPECTOR-1)", async () => {
  const never = { expression: "new Promise(() => undefined)", awaitPromise: true };
  const commands = [1, 2].map(() => client.command("Runtime.evaluate", never));
  const outcomes = Promise.allSettled(commands);
  await client.command("Runtime.evaluate", { expression: "1" });
  child.kill("SIGKILL");
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "UNAVAILABLE" } });
  await expect(client.command("Runtime.evaluate", never)).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
