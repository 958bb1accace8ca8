/**
 * Runs deploy/ with a container engine: `npm run containers`. The images are built of the checkout, and a cluster of the
 * compose file trains, loses its head, is watched by Prometheus and stops in order.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { until } from "../support/until.js";
import { ComposeStack } from "./compose-stack.js";
import { Engine } from "./engine.js";
import { buildImage, buildPrometheus, buildSlurm, checkout, image } from "./images.js";
import { SlurmCluster } from "./slurm-cluster.js";

const missing = Engine.missing();
if (missing !== undefined) process.stderr.write(`skipped: containers, because there is ${missing}\n`);

/** A folder that is named stays, with its images, for the next run. */
const kept = process.env["PALIMPSEST_CONTAINERS"];
const engine = new Engine(kept ?? mkdtempSync(join(tmpdir(), "palimpsest-containers-")));
const say = (text: string) => process.stdout.write(`${text}\n`);
const seconds = (sinceMs: number) => (performance.now() - sinceMs) / 1000;
const megabytes = (sizeBytes: number) => `${(sizeBytes / 1e6).toFixed(0)} MB`;
/** Runs a program of the image as its user, where nothing but /data and /tmp can be written. */
const inImage = (program: string, ...args: readonly string[]) =>
  engine.run(["run", "--rm", "--read-only", "--network", "none", "--entrypoint", program, image, ...args]);

describe.skipIf(missing !== undefined)("containers", () => {
  beforeAll(async () => {
    await engine.close(true);
    const startedAtMs = performance.now();
    await buildImage(engine);
    say(`image built in ${seconds(startedAtMs).toFixed(0)} s`);
  });
  afterAll(() => engine.close(kept !== undefined));

  it("the image is small, has a user without rights, and says what is in it", async () => {
    const [about] = z
      .tuple([z.object({ Size: z.int(), User: z.string() })])
      .parse(JSON.parse(await engine.run(["image", "inspect", image])));
    const layers = z
      .array(z.object({ size: z.int(), CreatedBy: z.string() }))
      .parse(JSON.parse(await engine.run(["history", "--format", "json", "--no-trunc", image])));
    for (const { size, CreatedBy } of layers.filter((layer) => layer.size > 1e6))
      say(`layer of ${megabytes(size)}: ${CreatedBy.replaceAll(/\s+/g, " ").slice(0, 90)}`);
    const stored = join(engine.folder, "stored");
    await engine.run(["push", "--quiet", "--compress", image, `dir:${stored}`]);
    const [compressed] = (await engine.run(["--bytes", "--summarize", stored], {}, "du")).split("\t");
    say(
      `image of ${megabytes(about.Size)}, compressed as registries store it ${megabytes(Number(compressed))}`,
    );
    expect(Number(compressed)).toBeLessThan(700e6);
    expect(about.User).toBe("palimpsest");
    expect(await inImage("id", "--user")).toBe("10001");
    const bill = z
      .object({ bomFormat: z.literal("CycloneDX"), components: z.array(z.object({ name: z.string() })) })
      .parse(JSON.parse(await inImage("cat", "/opt/palimpsest/sbom.json")));
    expect(bill.components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["grpc-js", "tfjs-node-gpu", "ioredis"]),
    );
    // Nothing of a checkout but what belongs in it: no token, certificate, source or test.
    expect((await inImage("ls", "--almost-all", "/opt/palimpsest")).split("\n").sort()).toEqual(
      [
        ...[".cache", "LICENSE", "README.md", "deploy", "docs", "examples", "node_modules", "package.json"],
        ...["packages", "pnpm-lock.yaml", "pnpm-workspace.yaml", "protos", "recipes", "sbom.json", "scripts"],
        ...["tsconfig.base.json", "tsconfig.json"],
      ].sort(),
    );
  });

  it("computes with TensorFlow and starts from its bundles, where its root cannot be written", async () => {
    expect(await engine.run(["run", "--rm", "--read-only", "--network", "none", image, "doctor"])).toMatch(
      /✓\s+backend\s+tensorflow/,
    );
    const fresh = `import("/opt/palimpsest/packages/apps/cli/dist/installation/bundled-programs.js")
      .then((m) => console.log(JSON.stringify([...["cli", "commands", "worker", "learning"].map((one) => m.bundledProgram(one))].map(Boolean))))`;
    expect(JSON.parse(await inImage("node", "-e", fresh))).toEqual([true, true, true, true]);
  });

  it("has every module that its bundles load, such as Kubernetes' client, which installations get only on request", async () => {
    const bundled = "/opt/palimpsest/packages/apps/cli/dist/bundled";
    const named = `cd ${bundled} && grep -oh 'require("[./]*node_modules/[^"]*")' *.bundle.js | sort -u | cut -d '"' -f 2`;
    const found = await inImage(
      "sh",
      "-c",
      `${named} | while read -r path; do [ -e "$path" ] && echo "there $path" || echo "missing $path"; done`,
    );
    expect(found).toMatch(/^there .*@kubernetes\/client-node/m);
    expect(found).not.toMatch(/^missing/m);
  });

  it("the compose file's cluster trains while its head is killed, is watched, and stops in order", async () => {
    const images = { palimpsest: image, "prom/prometheus:v3.7.3": await buildPrometheus(engine) };
    const stack = new ComposeStack(engine, images);
    const startedAtMs = performance.now();
    await stack.up();
    say(`compose up, every container healthy: ${seconds(startedAtMs).toFixed(1)} s`);

    const submit = [
      "job",
      "submit",
      "/opt/palimpsest/recipes/quickstart.yaml",
      "--submission-id",
      "quickstart",
    ];
    const trainedAtMs = performance.now();
    await stack.compose(["run", "--rm", "-T", "--no-deps", "driver", ...submit]);
    const log = async () => await stack.command("job", "logs", "quickstart");
    await until("the run has made a step", async () => /^step \d/m.test(await log()), { everyMs: 1_000 });
    // The head's processes end at once; its container starts again and leads before its lease is over.
    process.kill((await stack.inspect("head_1")).pid, "SIGKILL");
    const killedAtMs = performance.now();
    await until("a head serves again", async () => (await stack.health("head_1")) === 200, { everyMs: 50 });
    say(`head killed, its container serves again: ${seconds(killedAtMs).toFixed(1)} s`);
    const jobs = z.array(z.object({ status: z.string() }));
    await until(
      "the job has ended",
      async () => {
        const [job] = jobs.parse(JSON.parse(await stack.command("job", "list", "--json")));
        return job !== undefined && !["pending", "running"].includes(job.status);
      },
      { everyMs: 2_000, timeoutMs: 1_500_000 },
    );
    const said = await log();
    say(`trained: ${seconds(trainedAtMs).toFixed(0)} s\n${said.split("\n").slice(-30).join("\n")}`);
    expect(said).toMatch(/groups\s+1152 dispatched, 1152 trained, 0 failed/);

    // A head that answers nothing more, as of a machine that hangs.
    await engine.run(["pause", "stack_head_1"]);
    const pausedAtMs = performance.now();
    await until("the standby leads", async () => (await stack.health("standby_1")) === 200, { everyMs: 50 });
    say(`head frozen, the standby serves: ${seconds(pausedAtMs).toFixed(1)} s`);
    await engine.run(["unpause", "stack_head_1"]);
    await until(
      "the first head has stepped down",
      async () => (await stack.health("head_1").catch(() => undefined)) === undefined,
    );
    // Prometheus keeps the list of the first head, which as a standby has no page, until that one leads again.
    await until("the new leader and both nodes are up", async () => {
      const up = (await stack.targets()).filter(({ health }) => health === "up");
      return (
        up
          .map(({ role }) => role)
          .sort()
          .join(" ") === "head node node"
      );
    });

    // Redis first, and both heads after it: what a machine that shuts down does, and each has to end by itself.
    for (const [name, graceSeconds] of [
      ["worker_2", 60],
      ["worker_1", 60],
      ["redis_1", 10],
      ["standby_1", 30],
      ["head_1", 30],
    ] as const) {
      const { seconds: took, exitCode } = await stack.stop(name, graceSeconds);
      say(`${name} stopped in ${took.toFixed(1)} s with exit code ${exitCode}`);
      expect([name, exitCode]).toEqual([name, 0]);
    }
  });

  it("Slurm's script trains on two machines, and ends its cluster when it is told that its time is over", async () => {
    const script = join(checkout, "deploy/slurm/palimpsest.sbatch");
    const slurm = await SlurmCluster.start(engine, await buildSlurm(engine), script);
    const submit = (recipe: string) => slurm.user(`sbatch --parsable /shared/palimpsest.sbatch ${recipe}`);
    const ended = (job: string) =>
      until(
        "the job has left the queue",
        async () => (await slurm.user(`squeue --noheader --jobs ${job}`)) === "",
        {
          everyMs: 1_000,
          timeoutMs: 900_000,
        },
      );
    const recipe = "/opt/palimpsest/recipes/quickstart.yaml";
    const startedAtMs = performance.now();
    const short = await submit(`${recipe} -- --steps 2`);
    await ended(short);
    const said = await slurm.user(`cat slurm-${short}.out`);
    expect(said).toMatch(/groups\s+32 dispatched, 32 trained, 0 failed/);
    expect(said).toMatch(/ succeeded$/m);
    say(`Slurm, two machines: ${seconds(startedAtMs).toFixed(0)} s for two steps`);
    for (const name of ["node-1", "node-2"])
      expect(await slurm.user(`cat palimpsest-${short}/logs/worker-${name}.log`)).toMatch(
        /ended: the cluster is shut down/,
      );

    const long = await submit(recipe);
    await until("it trains", async () => /^step \d/m.test(await slurm.user(`cat slurm-${long}.out`)), {
      everyMs: 1_000,
    });
    await slurm.user(`scancel --batch --signal=TERM ${long}`);
    const toldAtMs = performance.now();
    await ended(long);
    say(`Slurm's warning, cluster ended: ${seconds(toldAtMs).toFixed(1)} s`);
    expect(await slurm.user(`cat slurm-${long}.out`)).toMatch(/the cluster ends/);
  });

  it("a worker offers what its container may use", async () => {
    await engine.run(["network", "create", "limits"]);
    const limits = ["--network", "limits", "--cpus", "1", "--memory", "2g", "--shm-size", "512m"];
    const token = ["--env", "PALIMPSEST_TOKEN=a-token-of-the-containers-test"];
    const hardened = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL"];
    const start = ["run", "--detach", ...token, ...hardened];
    await engine.run([
      ...[...start, "--name", "limited-head", "--network", "limits", image, "head", "start", "--insecure"],
      ...["--host", "0.0.0.0", "--advertise", "limited-head", "--port", "7420", "--no-dashboard"],
    ]);
    const join = "exec palimpsest worker join --insecure --address limited-head:7420 --host $(hostname)";
    await engine.run([
      ...[...start, ...limits, "--name", "limited", "--entrypoint", "tini", image, "--", "sh", "-c", join],
    ]);
    const nodes = await until("the worker has joined", async () => {
      const listed = await engine.run([
        ...["exec", "limited", "palimpsest", "list", "nodes", "--json", "--address", "limited-head:7420"],
      ]);
      const found = JSON.parse(listed) as readonly { readonly total: Readonly<Record<string, number>> }[];
      return found.length === 1 && found;
    });
    expect(nodes[0]?.total).toMatchObject({ cpu: 1, memory: 2 * 1024 ** 3 });
    // Its head ran a Redis of its own below a root that cannot be written, and its store is in the small shared memory.
    expect(await engine.run(["exec", "limited", "sh", "-c", "ls /dev/shm"])).toMatch(/palimpsest-objects-/);
  });
});
