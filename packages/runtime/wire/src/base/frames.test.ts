import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { errorFromProto, errorToProto } from "../failures/error-message.js";
import { PalimpsestError } from "./error.js";
import { bundledName, knowPackage, located, rejection, stackToSend, userFrames } from "./frames.js";

/** A call of the runtime that fails later, with an error that is created where nobody waits. */
function failingCall(error?: PalimpsestError): Promise<unknown> {
  return new Promise((resolve) => setImmediate(fail, error, resolve));
}

function fail(error: PalimpsestError | undefined, resolve: (failing: Promise<never>) => void): void {
  resolve(rejection(error ?? new PalimpsestError("ACTOR_ERROR", "find threw: no such account")));
}

async function caught(work: () => Promise<unknown>): Promise<PalimpsestError> {
  try {
    await work();
  } catch (reason) {
    return PalimpsestError.from(reason);
  }
  throw new Error("nothing failed");
}

test.each([
  ["an await", async () => void (await failingCall())],
  ["Promise.all", async () => void (await Promise.all([failingCall(), failingCall()]))],
  ["Promise.race", async () => void (await Promise.race([failingCall(), new Promise(() => undefined)]))],
  ["a promise that is returned", () => failingCall().finally(() => undefined)],
])("an error names the functions that wait for the call by %s", async (_, ledgerCall) => {
  async function monthEnd(): Promise<void> {
    await ledgerCall();
  }
  const { stack = "" } = await caught(async () => await monthEnd());
  expect(stack).toMatch(/^PalimpsestError: \[ACTOR_ERROR\] find threw: no such account\n/);
  expect(stack).toMatch(/at (?:async )?monthEnd \(.*frames\.test\.ts:\d+:\d+\)/);
  expect(stack).not.toMatch(/node:|palimpsest:|wire\/dist\//);
});

test("an error that fails several calls names the caller of each (FRAMES-2)", async () => {
  const shared = new PalimpsestError("ACTOR_UNAVAILABLE", "its stream broke", { details: { actorId: "a" } });
  async function one(): Promise<unknown> {
    return await failingCall(shared);
  }
  async function other(): Promise<unknown> {
    return await failingCall(shared);
  }
  const errors = await Promise.all([caught(one), caught(other)]);
  expect(errors.map(({ stack = "" }) => /at (?:async )?(one|other) /.exec(stack)?.[1])).toEqual([
    "one",
    "other",
  ]);
  for (const error of errors)
    expect(error).toMatchObject({ code: "ACTOR_UNAVAILABLE", details: { actorId: "a" } });
});

test("frames of Node.js and of the runtime are hidden from users, and no other (FRAMES-1)", () => {
  const frames = [
    "    at lookUp (app:lib/util.ts:2:9)",
    "    at JSON.parse (<anonymous>)",
    "    at Ledger.find (/home/me/node_modules/pg/lib/client.js:3:4)",
    "    at method (palimpsest:worker/dist/host/actor-host.js:270:36)",
    "    at run (file:///srv/app/node_modules/@palimpsest/worker/dist/calls/invocation.js:100:31)",
    "    at run (/opt/x/node_modules/palimpsest/dist/bundled/worker.bundle.js:100392:7)",
    "    at process.processImmediate (node:internal/timers:483:21)",
    "    at async node:internal/main:1:2",
    "    at async Promise.all (index 0)",
    "    at run (node:internal/timers:1:1)",
    "    at async Promise.all (index 1)",
    "    at async file:///home/me/packages/runtime/client/src/main.ts:5:6",
  ];
  expect(userFrames(frames.join("\n"))).toEqual([0, 1, 2, 10, 11].map((index) => frames[index]));
});

test("a printed error has its message once, and its cause the frames of user code", () => {
  const cause = new RangeError("no account A-17");
  cause.stack = `RangeError: no account A-17\n    at lookUp (app:nowhere/util.ts:2:9)\n    at run (palimpsest:worker/dist/x.js:1:2)`;
  const sent = new PalimpsestError("ACTOR_ERROR", "find threw: no account A-17", { cause });
  const printed = inspect(errorFromProto(errorToProto(sent)));
  expect(printed.match(/find threw/g)).toHaveLength(1);
  expect(printed).toContain(
    "[cause]: RangeError: no account A-17\n      at lookUp (app:nowhere/util.ts:2:9)",
  );
  expect(printed).not.toMatch(/palimpsest:worker|remote|details/);
});

test("PALIMPSEST_DEBUG=1 shows everything", async () => {
  process.env["PALIMPSEST_DEBUG"] = "1";
  onTestFinished(() => {
    delete process.env["PALIMPSEST_DEBUG"];
  });
  const { stack = "" } = errorFromProto({
    code: "INTERNAL",
    message: "x",
    stack: "Error: x\n    at run (palimpsest:worker/dist/x.js:1:2)",
  });
  expect(stack).toContain("palimpsest:worker/dist/x.js:1:2");
  expect((await caught(() => failingCall())).stack).toContain("--- runtime ---");
});

test("the runtime's own frames are sent without the folder in which it is installed", () => {
  const { stack = "" } = new PalimpsestError("INTERNAL", "x");
  const own = `${stack}\n    at run (${import.meta.url.replace("src/base/frames.test.ts", "dist/base/frames.js")}:1:2)`;
  expect(stackToSend(own)).toContain("at run (palimpsest:runtime/wire/dist/base/frames.js:1:2)");
});

test.each(["src/ledger.ts", "lib/a b/(group)/it's #1?.ts", "日本/100%.ts", "../shared/x.ts"])(
  "a file %s of a bundle is shown at its place, where it exists",
  (path) => {
    const folder = testFolder();
    const root = join(folder, "app");
    mkdirSync(join(root, path, ".."), { recursive: true });
    const line = (file: string) => `    at Ledger.find (${file}:21:23)`;
    const name = bundledName(path);
    expect(new URL(name, "file:///node/bundles/a.mjs").href).toBe(name);
    knowPackage(root);
    expect(located(line(name))).toBe(line(name));
    writeFileSync(join(root, path), "");
    expect(located(line(name))).toBe(line(join(root, path)));
  },
);
