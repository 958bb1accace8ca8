/**
 * Tests with processes that are really started and killed. The program stands in for `palimpsest` and does nothing
 * until it is told to end.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { parseAutoscaleConfig } from "../config.js";
import { LocalProvider } from "./local-provider.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
  writeFileSync(
    join(folder, "node.cjs"),
    `console.log(JSON.stringify([process.argv.slice(2), process.env.PALIMPSEST_TOKEN]));
     setInterval(() => undefined, 1000);`,
  );
});

const types = parseAutoscaleConfig(
  {
    provider: { kind: "local" },
    nodeTypes: { small: { resources: { cpu: 2, memory: 5e9, disk: 3 }, labels: { zone: "a" }, maxNodes: 4 } },
  },
  "test",
).nodeTypes;
const instance = (name: string) => ({ name, type: { ...types["small"], name: "small" } as never });
const nodesIn = () => join(folder, "nodes");
const provider = (program = join(folder, "node.cjs")) =>
  new LocalProvider(nodesIn(), {
    ...{ clusterName: "test", address: () => "127.0.0.1:6400", command: [process.execPath, program] },
    ...{ token: () => "the-token", tls: "", defaultFolder: folder },
  });
const pidOf = (name: string) =>
  (JSON.parse(readFileSync(join(nodesIn(), name, "instance.json"), "utf8")) as { pid: number }).pid;
const states = async () => (await provider().list()).map(({ name, state }) => [name, state]);

afterEach(async () => {
  const one = provider();
  await one.terminate((await one.list()).map(({ name }) => name));
  await expect.poll(() => one.list()).toEqual([]);
});

it("a node is the command with its resources, its labels and the token; another provider finds it", async () => {
  await provider().create([instance("test-small-0")]);
  expect(await states()).toEqual([["test-small-0", "running"]]);
  const output = () => readFileSync(join(nodesIn(), "test-small-0", "output.log"), "utf8");
  await expect.poll(output).toContain("]");
  const [args, token] = JSON.parse(output()) as [string[], string];
  expect(token).toBe("the-token");
  expect(args.join(" ")).toMatch(
    /^worker join --address 127.0.0.1:6400 --node-dir \S+test-small-0\/node --cpus 2 --gpus 0 --labels zone=a,palimpsest.instance=test-small-0 --memory 5000000000 --resources disk=3$/,
  );
});

it("a name has one process, whoever creates it (LOCAL-1)", async () => {
  await Promise.all([1, 2, 3].map(() => provider().create([instance("test-small-0")])));
  expect(await states()).toEqual([["test-small-0", "running"]]);
  const pid = pidOf("test-small-0");
  await provider().create([instance("test-small-0")]);
  expect(pidOf("test-small-0")).toBe(pid);
});

it("a node that was killed is told as ended until its name is given free", async () => {
  await provider().create([instance("test-small-0")]);
  process.kill(pidOf("test-small-0"), "SIGKILL");
  await expect.poll(states).toEqual([["test-small-0", "ended"]]);
  await provider().terminate(["test-small-0", "test-small-7"]);
  await expect.poll(states).toEqual([]);
});

it("a process that has the node's id and is another one is not ended (LOCAL-2)", async () => {
  await provider().create([instance("test-small-0")]);
  const real = pidOf("test-small-0");
  const path = join(nodesIn(), "test-small-0", "instance.json");
  const record = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...record, pid: process.pid }));
  expect(await states()).toEqual([["test-small-0", "ended"]]);
  await provider().terminate(["test-small-0"]);
  await expect.poll(states).toEqual([]);
  // This process is alive and its record was lost, so it is ended here.
  process.kill(real, "SIGKILL");
});

it("a command that cannot be started is an error, and its name stays free", async () => {
  const broken = new LocalProvider(nodesIn(), {
    ...{ clusterName: "test", address: () => "127.0.0.1:6400", command: [join(folder, "none")] },
    ...{ token: () => "the-token", tls: "", defaultFolder: folder },
  });
  await expect(broken.create([instance("test-small-0")])).rejects.toThrow(/none cannot be started as node/);
  expect(await states()).toEqual([]);
});
