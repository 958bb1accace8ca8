/**
 * Tests that what user code throws, says and sends ends its own call or process and nothing else. The head and the node
 * live in this process, where an error that they do not expect fails the run.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as client from "@palimpsest/client";
import { type ActorHandle, PalimpsestError, type SubmitJobOptions } from "@palimpsest/client";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { echoTask, Hostile, hostileTask, laterTask, thrownNames } from "./support/hostile-actor.js";
import { TaskCluster } from "./support/task-cluster.js";
import { testFolder } from "./support/temporary-folder.js";

const source = { from: new URL("./support/hostile-actor.ts", import.meta.url) };
let cluster: TaskCluster;
let bystander: ActorHandle<Hostile>;

beforeAll(async () => {
  cluster = await TaskCluster.start([4]);
  bystander = await cluster.client.actor(Hostile, source).spawn();
  await bystander.ready();
});
afterAll(async () => {
  // Nothing of what happened here has reached an actor that had no part in it.
  expect(await bystander.fine()).toBe("alive");
  expect((await cluster.client.nodes()).map(({ state }) => state)).toEqual(["alive"]);
  await cluster.stop();
});

async function failureOf(work: PromiseLike<unknown>): Promise<PalimpsestError> {
  const reason: unknown = await Promise.resolve(work).then(
    (value) => new Error(`no failure: ${String(value)}`),
    (error: unknown) => error,
  );
  expect(reason).toBeInstanceOf(PalimpsestError);
  if (!(reason instanceof PalimpsestError)) throw reason;
  expect(reason.rawMessage.isWellFormed()).toBe(true);
  expect(Buffer.byteLength(reason.rawMessage)).toBeLessThanOrEqual(64 * 1024);
  return reason;
}

describe.each(["own", "shared"] as const)("an actor with %s process", (process) => {
  const options = { process, maxRestarts: 3, maxTaskRetries: 3 };

  test("answers after whatever its methods threw, and each ran once", async () => {
    const actor = await cluster.client.actor(Hostile, source, options).spawn();
    const other = actor.echo("in flight");
    for (const how of thrownNames) {
      const { code, cause } = await failureOf(actor.throws(how));
      expect(code, how).toBe("ACTOR_ERROR");
      expect(cause, how).toBeInstanceOf(Error);
    }
    expect(await actor.runs()).toBe(thrownNames.length);
    expect(await other).toBe("in flight");
    for (const how of ["half", "long", "noPrototype"]) {
      const items = actor.throwsLater(how);
      await failureOf(
        (async () => {
          for await (const item of items) expect(item).toBe(1);
        })(),
      );
    }
    await actor.kill();
  });

  test.each(["constructor", "start"])("ends alone if its %s throws", async (when) => {
    const type = cluster.client.actor(Hostile, source, { process });
    const hows = ["half", "long", "noPrototype", "proxy", "plain"];
    const actors = await Promise.all(hows.map((how) => type.spawn(`${when} ${how}`)));
    for (const actor of actors) {
      const { code, cause } = await failureOf(actor.ready());
      expect(code).toBe("ACTOR_DIED");
      expect(cause).toBeInstanceOf(Error);
    }
  });

  test("may exit with any reason", async () => {
    for (const reason of ["cut emoji \ud83d", "x".repeat(1e6)]) {
      const actor = await cluster.client.actor(Hostile, source, { process }).spawn();
      const { code, rawMessage } = await failureOf(actor.exits(reason));
      expect(code).toBe("ACTOR_DIED");
      expect(rawMessage).toContain("it exited by itself");
    }
  });

  test("has no IPC channel, and if it writes to the runtime's it ends alone", async () => {
    const actor = await cluster.client.actor(Hostile, source, { process }).spawn();
    expect(await actor.speaks()).toBe("undefined undefined");
    expect(await actor.log("cut emoji \ud83d")).toBe("logged");
    const { code, rawMessage } = await failureOf(actor.writesToChannel("ready\n and more\n"));
    expect(code).toBe("ACTOR_DIED");
    expect(rawMessage).toContain("file descriptor 3");
  });
});

test("a task ends alone, whatever it throws, and is not repeated as if its worker had died", async () => {
  const task = cluster.client.task(hostileTask, source, { resources: { cpu: 0.5 }, maxRetries: 0 });
  for (const how of thrownNames) expect((await failureOf(task(how))).code, how).toBe("TASK_ERROR");
});

test("fields of errors, the errors of an AggregateError and names like codes arrive as they are", async () => {
  const system = await failureOf(bystander.systemError());
  expect(system.cause).toMatchObject({
    code: "ENOENT",
    errno: -2,
    response: { status: 429, headers: { "retry-after": "7" } },
  });
  expect((await failureOf(bystander.throws("plain"))).cause).toMatchObject({ code: "E_PLAIN" });
  const any = await failureOf(bystander.anyOf());
  expect(any.cause).toMatchObject({ errors: [{ message: "first reason" }, { name: "TypeError" }] });
  const mine = await failureOf(bystander.notFound());
  expect(mine.cause).not.toBeInstanceOf(PalimpsestError);
  expect(mine.cause).toMatchObject({ name: "NOT_FOUND", message: "mine, not the cluster's" });
});

describe("an error shows the caller's line and the line that failed", () => {
  const task = () => cluster.client.task(hostileTask, source, { resources: { cpu: 0.5 }, maxRetries: 0 });
  const mesh = () => cluster.client.mesh(Hostile, source, { shape: { lane: 1 } }).spawn();
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "a call": async () => await bystander.throws("halfField"),
    "a generator": async () => {
      for await (const item of bystander.throwsLater("halfField")) expect(item).toBe(1);
    },
    "a task": async () => await task()("halfField"),
    "a reference": async () => await cluster.client.get(await task().ref("halfField")),
    "calls together": async () => await Promise.all([bystander.fine(), bystander.throws("halfField")]),
    "a durable actor": async () =>
      await cluster.client
        .actor(Hostile, source, { durable: true, name: "durable" })
        .spawn()
        .then((actor) => actor.throws("halfField")),
    "a mesh": async () => await (await mesh()).broadcast.throws("halfField"),
    "a member of a mesh": async () => {
      const [first] = await (await mesh()).call.throws("halfField");
      if (first?.status === "failed") throw first.error;
    },
    "a CommonJS actor": async () => {
      const folder = testFolder();
      const file = join(folder, "hostile-actor.cjs");
      await writeFile(file, `module.exports = class Hostile { throws() { throw new Error("field"); } };`);
      const actor = await cluster.client.actor(Hostile, { from: pathToFileURL(file) }).spawn();
      return await actor.throws("halfField");
    },
    "a name": async () => await cluster.client.getActor("nobody"),
  };

  test.each(Object.keys(calls))("of %s", async (name) => {
    const { stack = "", cause, code } = await failureOf(calls[name]?.() ?? Promise.resolve());
    expect(stack).toMatch(/at .*user-texts\.test\.ts:\d+:\d+/);
    expect(stack).not.toMatch(/node:|\/packages\/|palimpsest:/);
    if (code === "NOT_FOUND") return;
    const frames = cause instanceof Error ? (cause.stack ?? "") : "";
    expect(frames).toMatch(/^Error: field\n +at .*\(?\/.*hostile-actor\.c?[tj]s:\d+:/);
    expect(frames).not.toMatch(/node:|bundles|palimpsest:/);
  });

  test("of a wait, a put, a get and a free that are refused or cancelled, and of wrong options", async () => {
    const ref = await cluster.client.put(1);
    const ended = new AbortController();
    const wait = async (options: client.WaitOptions) =>
      await cluster.client.wait([ref, new Promise(() => undefined)], options);
    const waits = {
      refused: () => wait({ count: 3 }),
      aborted: () => wait({ signal: AbortSignal.abort() }),
      "aborted later": () => {
        setImmediate(() => ended.abort());
        return wait({ count: 2, signal: ended.signal });
      },
      put: async () => await cluster.client.put(() => undefined),
      get: async () => await cluster.client.get(JSON.parse("5")),
      "get of a list": async () => await cluster.client.get([ref, JSON.parse("5")]),
      free: async () => await cluster.client.free(JSON.parse("5")),
      "an option of an actor": async () =>
        await cluster.client.actor(Hostile, source, JSON.parse('{ "maxRestart": 1 }')).spawn(),
      "a class without a source": async () => cluster.client.actor(Hostile, JSON.parse("{}")),
      "a resource": async () =>
        await cluster.client.actor(Hostile, source, { resources: { cpu: -1 } }).spawn(),
      "an option of a connection": async () => await client.connect(JSON.parse('{ "nam": "x" }')),
      "an option of a task": async () =>
        await cluster.client.task(hostileTask, source, JSON.parse('{ "retries": 1 }'))("fine"),
    };
    for (const [name, begin] of Object.entries(waits)) {
      const { stack = "" } = await failureOf(begin());
      expect(stack, name).toMatch(/at .*user-texts\.test\.ts:\d+:\d+/);
      expect(stack, name).not.toMatch(/node:|\/packages\/|palimpsest:/);
    }
  });

  test.each([
    ["timer", "TypeError: late failure in a timer"],
    ["rejection", "Error: nobody caught it"],
  ] as const)("of a process that a %s ended", async (how, words) => {
    const actor = await cluster.client.actor(Hostile, source).spawn();
    const { rawMessage, details } = await failureOf(actor.failsLater(how));
    const place = `${join(import.meta.dirname, "support/hostile-actor.ts")}:`;
    expect(rawMessage).toContain(`exited with code 1; its last words: ${words} (${place}`);
    expect(details).toMatchObject({ exitCode: 1, incarnation: 1, pid: expect.any(Number) });
  });

  test("of a module that cannot be imported, or lacks the export", async () => {
    const from = new URL("./support/failing-import.ts", import.meta.url);
    const file = join(import.meta.dirname, "support/failing-import.ts");
    const actor = await cluster.client.actor(Hostile, { from, exportName: "Ledger" }).spawn();
    const failures = [
      await failureOf(actor.fine()),
      await failureOf(cluster.client.task({ from, exportName: "readTask" }, { resources: { cpu: 0.5 } })()),
    ];
    for (const { code, rawMessage, retryable } of failures) {
      expect({ code, retryable }).toEqual({ code: "IMPORT_FAILED", retryable: false });
      expect(rawMessage).toContain(`${file} cannot be imported: Invalid URL (${file}:2:`);
    }
    const other = { from: source.from, exportName: "Hostil" };
    const lacking = [
      await failureOf((await cluster.client.actor(Hostile, other).spawn()).fine()),
      await failureOf(cluster.client.task(other, { resources: { cpu: 0.5 } })()),
    ];
    for (const { code, rawMessage } of lacking) {
      expect(code).toBe("IMPORT_FAILED");
      expect(rawMessage).toContain(`${join(import.meta.dirname, "support/hostile-actor.ts")} exports `);
    }
  });
});

test("any texts of errors arrive, well-formed", async () => {
  const text = fc.string({ unit: "binary" });
  await fc.assert(
    fc.asyncProperty(text, text, text, async (name, message, stack) => {
      const { code, cause } = await failureOf(bystander.throwsText(name, message, stack));
      expect(code).toBe("ACTOR_ERROR");
      expect(cause).toMatchObject({ name: name.toWellFormed() || "Error", message: message.toWellFormed() });
    }),
    { numRuns: 50 },
  );
});

test("every deadline takes the longest timer, the largest number and Infinity, and none wakes early", async () => {
  const warnings: Error[] = [];
  const heard = (warning: Error) => warnings.push(warning);
  process.on("warning", heard);
  onTestFinished(() => {
    process.off("warning", heard);
  });
  const bytes = new Uint8Array(5e6).fill(3);
  for (const timeoutMs of [2 ** 31 - 1, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
    const limits = { connectTimeoutMs: timeoutMs, callTimeoutMs: timeoutMs, controlTimeoutMs: timeoutMs };
    const client = await cluster.connect("patient", limits);
    const handle = await client.actor(Hostile, source, { process: "shared" }).spawn();
    await handle.ready({ timeoutMs });
    expect(await handle.later(50)).toBe(50);
    expect(await handle.with({ timeoutMs }).later(50)).toBe(50);
    expect(await client.task(laterTask, source, { timeoutMs, resources: { cpu: 0.1 } })(50)).toBe(50);
    const ref = await client.put(bytes, { timeoutMs });
    expect(await client.get(ref, { timeoutMs })).toHaveLength(bytes.length);
    const small = client.task(laterTask, source, { resources: { cpu: 0.1 } }).ref(50);
    expect(await client.get(await small, { timeoutMs })).toBe(50);
    expect((await client.wait([handle.later(50)], { timeoutMs })).ready).toHaveLength(1);
    const stored = await client.objects.put(bytes, { timeoutMs });
    expect(await client.objects.get(stored, { timeoutMs })).toHaveLength(bytes.length);
    const group = await client.placementGroup({ bundles: [{ cpu: 0.1 }] });
    await group.ready({ timeoutMs });
    await group.remove();
    await client.close();
  }
  expect(warnings.map(({ name }) => name)).toEqual([]);
});

/** A class of which the driver needs only the methods' names: nodes load it from the user's module. */
class Case {
  async answer(): Promise<string> {
    return "the driver's own";
  }
}

test.each([
  ["module.exports = { Case }", `class Case { answer() { return "arrived"; } }\nmodule.exports = { Case };`],
  ["exports.Case =", `exports.Case = class { answer() { return "arrived"; } };`],
  [
    "module.exports.Case =",
    `module.exports.Case = class Case { answer() { return require("node:os").EOL === "" ? "" : "arrived"; } };`,
  ],
  ["module.exports = class", `module.exports = class Case { answer() { return "arrived"; } };`],
])("a CommonJS module gives its class by %s", async (_how, text) => {
  const file = join(testFolder(), "case.cjs");
  await writeFile(file, text);
  for (const process of ["own", "shared"] as const) {
    const actor = await cluster.client.actor(Case, { from: pathToFileURL(file) }, { process }).spawn();
    expect(await actor.answer()).toBe("arrived");
    await actor.kill();
  }
});

test("a module that is named by its URL beside an actor's runs in a thread and by import()", async () => {
  const folder = testFolder();
  await writeFile(
    join(folder, "thread.ts"),
    `import { parentPort } from "node:worker_threads";\nexport const imported: string = "imported";\nparentPort?.postMessage("from a thread");\n`,
  );
  await writeFile(
    join(folder, "case.ts"),
    `import { once } from "node:events";
import { Worker } from "node:worker_threads";
const url = new URL("./thread.ts", import.meta.url);
export class Case {
  async answer(): Promise<string> {
    const thread = new Worker(url);
    const [said] = await once(thread, "message");
    await thread.terminate();
    const { imported } = await import(url.href);
    return [said, imported].join(", ");
  }
}
`,
  );
  const actor = await cluster.client.actor(Case, { from: pathToFileURL(join(folder, "case.ts")) }).spawn();
  expect(await actor.answer()).toBe("from a thread, imported");
  await actor.kill();
});

/** Every text that a program sets, and what it does with it. Each answers, or refuses it with a code. */
const settable: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  "a method": (text) => Reflect.get(bystander, text)?.(),
  "an argument": (text) => bystander.echo(text),
  "an actor": (name) => spawned({ name }),
  "a namespace": (namespace) => spawned({ name: "in-it", namespace }),
  "a role": (role) => spawned({ role }),
  "a variable": (text) => spawned({ environment: { TEXT: text } }),
  "a variable's name": (text) => spawned({ environment: { [text]: "1" } }),
  "a label": (text) =>
    cluster.client
      .placementGroup({ bundles: [{ cpu: 1 }], labels: { [text]: text } })
      .then((group) => group.remove()),
  "a placement group": (name) =>
    cluster.client.placementGroup({ bundles: [{ cpu: 0.1 }], name }).then((group) => group.remove()),
  "a task": (name) => cluster.client.task(echoTask, source, { name, resources: { cpu: 0.1 } })(name),
  "a log line": (text) => bystander.log(text),
  "a program": (name) => cluster.connect(name).then((client) => client.close()),
  "a concurrency group": (text) =>
    spawned({ concurrencyGroups: { [text]: 1 }, methodGroups: { fine: text } }),
  "an actor that is looked for": (name) => cluster.client.getActor<Hostile>(name),
  "a job's name, argument, variable and metadata": (text) =>
    submitted({ name: text, argv: [text], environment: { TEXT: text }, metadata: { [text]: text } }),
  "a job's id": (submissionId) => submitted({ submissionId }),
  "a recipe": (recipe) => submitted({ recipe }),
};

async function spawned(options: object): Promise<unknown> {
  const actor = await cluster.client
    .actor(Hostile, source, { resources: { cpu: 0.1 }, process: "shared", ...options })
    .spawn();
  try {
    return await actor.fine();
  } finally {
    await actor.kill();
  }
}

/** Submits a job that no node can run. */
async function submitted(options: Partial<SubmitJobOptions>): Promise<void> {
  const { jobs } = cluster.client;
  const job = await jobs.submit({ recipe: "a: 1", resources: { cpu: 1_000 }, ...options });
  expect((await jobs.list()).some(({ jobId }) => jobId === job.jobId)).toBe(true);
  await jobs.stop(job.jobId);
}

/** Those whose refusal repeats the text, which is then bounded as every free text is. */
const mayRepeat: ReadonlySet<string> = new Set(["a method", "a recipe", "an actor that is looked for"]);

/** Those for which a process is started each time. */
const costly: ReadonlySet<string> = new Set(["a variable", "a variable's name"]);

test.each(Object.keys(settable))("any text as %s is taken or refused with a code", async (name) => {
  const odd = ["", "\ud83d", "\0", "a\nb", "a=b", "日本 👍", "__proto__", "then", "x".repeat(100_000)];
  const texts = [...odd, ...fc.sample(fc.string({ unit: "binary" }), { numRuns: 6, seed: 5 })];
  for (const text of costly.has(name) ? odd.slice(1, 4) : texts) {
    try {
      await settable[name]?.(text);
    } catch (reason) {
      expect(reason, JSON.stringify(text.slice(0, 50))).toBeInstanceOf(PalimpsestError);
      expect(reason).not.toMatchObject({ code: "INTERNAL" });
      // A long text is named by its length, not repeated.
      if (reason instanceof PalimpsestError && !mayRepeat.has(name))
        expect(reason.message.length).toBeLessThan(2_000);
    }
  }
  expect(await bystander.fine()).toBe("alive");
});

test("a driver prints why its actors wait, and what they print if it asks for that", async () => {
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  const driver = await cluster.connect("watching", { output: "inherit" });
  const waiting = await driver.actor(Hostile, source, { resources: { license: 3 } }).spawn();
  const talking = await driver.actor(Hostile, source, { resources: { cpu: 0.1 } }).spawn();
  await talking.log("hello from the actor");
  const text = () => said.join("");
  await expect.poll(text).toMatch(/^\(Hostile pid=\d+\) hello from the actor$/m);
  await expect.poll(text).toMatch(/^palimpsest: Hostile actor-\w+ waits: needs .*3 license/m);
  await Promise.all([waiting.kill(), talking.kill()]);
  await driver.close();
});

/** What is wrong for every argument that has a meaning: other types, empty, unknown keys, and numbers that no limit is. */
const wrong: Readonly<Record<string, unknown>> = {
  ...{ null: null, NaN: Number.NaN, negative: -1, huge: 1e308, true: true, empty: "", symbol: Symbol("x") },
  ...{
    list: [null],
    object: { unkwnon: 1 },
    promise: Promise.resolve(1),
    fraction: { limit: 0.5, timeoutMs: -1 },
  },
};

/** Names of functions whose first argument may be any value, or that would end what the other tests use. */
const excepted: ReadonlySet<string> = new Set([
  ...["constructor", "put", "close", "shutdown", "drain", "rotateToken", "isSignalMarker"],
]);

/** Returns the methods of an object and of its classes, which grow with it. */
function methodsOf(owner: object): string[] {
  const names = new Set<string>();
  for (let at: object | null = owner; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === "function" && !excepted.has(name)) names.add(name);
  return [...names];
}

async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    const given = await work();
    if (typeof given !== "object" || given === null || !(Symbol.asyncIterator in given)) return undefined;
    for await (const _ of given as AsyncIterable<unknown>) return undefined;
    return undefined;
  } catch (reason) {
    return reason;
  }
}

describe("an edge refuses what is wrong by name, value and fix", () => {
  const owners: Readonly<Record<string, () => object>> = {
    "the connection": () => cluster.client,
    "its jobs": () => cluster.client.jobs,
    "a handle": () => ({
      ready: bystander.ready,
      kill: bystander.kill,
      onDeath: bystander.onDeath,
      with: bystander.with,
    }),
    "the package": () => {
      const { actorModule, taskModule, fromEnvironment, ActorPool, connect } = client;
      return {
        actorModule,
        taskModule,
        fromEnvironment,
        connect,
        ActorPool: (actors: never) => new ActorPool(actors),
      };
    },
  };

  test.each(Object.keys(owners))("of %s", async (name) => {
    const owner = owners[name]?.() ?? {};
    const silent: string[] = [];
    for (const method of methodsOf(owner)) {
      for (const [kind, value] of Object.entries(wrong)) {
        const call = () => Reflect.get(owner, method).call(owner, value);
        const reason = await outcomeOf(call);
        const what = `${method}(${kind})`;
        if (reason === undefined) silent.push(what);
        else {
          expect(reason, what).toBeInstanceOf(PalimpsestError);
          expect(reason, what).not.toMatchObject({ code: "INTERNAL" });
        }
      }
    }
    expect(silent).toEqual([]);
  });

  test.each([
    [() => bystander.with({ retires: 1 } as never), 'unknown key "retires"; did you mean "retries"?'],
    [() => bystander.with({ timeoutMs: -5 }), "timeoutMs is -5: give a number of milliseconds"],
    [
      () => cluster.client.task(echoTask, {} as never),
      "source of task echoTask: from: is missing: give a URL",
    ],
    [() => cluster.client.actor({ from: source.from } as never), "give the class first"],
    [
      () => cluster.client.actor(Hostile, source, { maxRestart: 3 } as never).spawn(),
      'did you mean "maxRestarts"?',
    ],
    [
      () => cluster.client.actor(Hostile, source, { maxRestarts: -7 }).spawn(),
      "maxRestarts: must be at least -1; it is -7",
    ],
    [
      () => cluster.client.actor(Hostile, { ...source, exprtName: "x" } as never),
      'did you mean "exportName"?',
    ],
    [() => cluster.client.queue({ capacity: 3 } as never), 'options of a queue: unknown key "capacity"'],
    [() => cluster.client.actors({ states: ["dea"] as never }), "state is dea: it must be one of pending"],
    [() => client.connect({ address: "localhost", token: "x" }), `address: is "localhost": give HOST:PORT`],
    [() => client.connect({ local: true, tsl: "x" } as never), 'unknown key "tsl"; did you mean "tls"?'],
    [() => cluster.client.jobs.submit({ recipe: "a: 1", nmae: "x" } as never), 'did you mean "name"?'],
  ])("such as %s", async (work, said) => {
    const reason = await outcomeOf(work);
    expect(reason).toBeInstanceOf(PalimpsestError);
    expect(String(reason)).toContain(said);
  });
});
