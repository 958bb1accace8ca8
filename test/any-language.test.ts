/**
 * Tests that docs/protocol.md is sufficient: a program in Python, with stubs that protoc generated, does what a driver
 * does.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { encodeValue } from "@palimpsest/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Counter } from "../examples/any-language/counter.js";
import { TestCluster } from "./support/test-cluster.js";

const folder = fileURLToPath(new URL("../examples/any-language/", import.meta.url));
const python = process.env["PALIMPSEST_GRPC_PYTHON"] ?? "python3";
const hasGrpc = spawnSync(python, ["-c", "import grpc, grpc_tools.protoc"]).status === 0;
const grpcurl = process.env["PALIMPSEST_GRPCURL"] ?? "grpcurl";
const hasGrpcurl = spawnSync(grpcurl, ["--version"]).status === 0;
const hasPython = spawnSync(python, ["--version"]).status === 0;
const without = "skipped, because no Python here has grpcio and grpcio-tools (PALIMPSEST_GRPC_PYTHON)";

let cluster: TestCluster | undefined;
beforeAll(async () => {
  if (hasGrpc || hasGrpcurl) cluster = await TestCluster.start();
});
afterAll(async () => {
  if (cluster) expect(await cluster.stop()).toEqual([]);
});

test.skipIf(!hasGrpc)(
  `Python submits a job, calls an actor and reads an object${hasGrpc ? "" : `: ${without}`}`,
  async () => {
    const { client, address = "", token = "" } = cluster ?? {};
    const source = { from: new URL("../examples/any-language/counter.ts", import.meta.url) };
    await client?.actor(Counter, source, { name: "tally" }).spawn();
    const child = spawn(python, ["client.py"], {
      cwd: folder,
      env: {
        ...process.env,
        PALIMPSEST_ADDRESS: address,
        PALIMPSEST_TOKEN: token,
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
      });
    const [code] = (await once(child, "close")) as [number];
    expect(code, output.stderr).toBe(0);
    expect(JSON.parse(output.stdout)).toEqual({
      job: { output: "hello from Python", status: "JOB_STATUS_SUCCEEDED" },
      counts: [
        { count: 71, isEven: false },
        { count: 100, isEven: true },
      ],
      object: { name: "numbers", length: 5_000, sum: 6_248_750 },
      error: "ACTOR_ERROR: fail threw: out of range",
    });
  },
);

test.skipIf(!hasGrpcurl)(
  `grpcurl lists the services and calls them${hasGrpcurl ? "" : ": skipped, because no grpcurl is here (PALIMPSEST_GRPCURL)"}`,
  () => {
    const { address = "", token = "" } = cluster ?? {};
    const ask = (...args: string[]) => {
      const given = ["-plaintext", "-H", `authorization: Bearer ${token}`, ...args];
      const { stdout, stderr } = spawnSync(grpcurl, given, { encoding: "utf8", timeout: 600_000 });
      expect(stderr).toBe("");
      return stdout;
    };
    expect(ask(address, "list")).toContain("palimpsest.v1.Head\n");
    const nodes = JSON.parse(ask(address, "palimpsest.v1.Head/ListNodes")) as { nodes: { state: string }[] };
    expect(nodes.nodes.map(({ state }) => state)).toEqual(["NODE_STATE_ALIVE"]);
    const failed = ["-d", '{"states":["TASK_STATE_FAILED"]}', address, "palimpsest.v1.Head/ListTasks"];
    expect(JSON.parse(ask(...failed))).toBeTypeOf("object");
  },
);

test.skipIf(!hasPython)("values of this side are read in Python, whatever is in them", () => {
  const shared = { x: 1 };
  const value = {
    numbers: [0, -1, 63, 64, 71, 127, 255, 70_000, -40_000, 2 ** 40, 1.5],
    text: "ä".repeat(40),
    rows: [{ a: 1 }, { a: 2 }, shared, shared],
    bytes: new Uint8Array([1, 2, 255]),
    floats: new Float32Array([1, 2.5]),
    map: new Map([["k", true]]),
    when: new Date(1_500),
    nothing: [null, undefined],
  };
  const script = "import sys; from values import decode; print(repr(decode(bytes.fromhex(sys.argv[1]))))";
  const bytes = Buffer.from(encodeValue(value)).toString("hex");
  const { stdout, stderr } = spawnSync(python, ["-B", "-c", script, bytes], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe(
    `{'numbers': [0, -1, 63, 64, 71, 127, 255, 70000, -40000, 1099511627776.0, 1.5], 'text': '${"ä".repeat(40)}', ` +
      "'rows': [{'a': 1}, {'a': 2}, {'x': 1}, {'x': 1}], 'bytes': [1, 2, 255], 'floats': [1.0, 2.5], " +
      "'map': {'k': True}, 'when': datetime.datetime(1970, 1, 1, 0, 0, 1, 500000, tzinfo=datetime.timezone.utc), " +
      "'nothing': [None, None]}",
  );
});
