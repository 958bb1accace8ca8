/** Tests jobs: a recipe and a program whose driver runs on the cluster, and the answers to wrong input. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JobInfo } from "@palimpsest/client";
import type { RunReport } from "@palimpsest/trainer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writePackages } from "../support/package-folder.js";
import { isAlive } from "../support/processes.js";
import { writeRecipe } from "../support/recipe.js";
import { TestCluster } from "../support/test-cluster.js";
import { until } from "../support/until.js";

const program = fileURLToPath(new URL("../support/program.ts", import.meta.url));
const surroundings = fileURLToPath(new URL("../support/surroundings-program.ts", import.meta.url));

interface Surroundings {
  readonly lengths: Readonly<Record<string, number>>;
  readonly notes: string;
  readonly greeting: string;
}

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 2 });
});

afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

async function jobOf(id: string): Promise<JobInfo> {
  const end = await cluster.run(["job", "status", id, "--json"]);
  expect(end.code, end.stderr).toBe(0);
  return JSON.parse(end.stdout) as JobInfo;
}

describe("a recipe as a job on a head with two workers", () => {
  test("trains to its end, followed; the exit code is the job's", async () => {
    const folder = await cluster.recipeFolder("recipe");
    const recipe = writeRecipe(folder, { steps: 2, groupsPerStep: 2, rolloutActors: 1, evaluationTasks: 8 });
    const [runDir, report] = [join(folder, "run"), join(folder, "report.json")];
    const options = ["--", "--run-dir", runDir, "--report", report];
    const end = await cluster.run([
      "job",
      "submit",
      recipe,
      "--follow",
      "--submission-id",
      "job-recipe",
      ...options,
    ]);
    expect(end.code, end.stdout + end.stderr).toBe(0);
    expect(end.stdout).toContain("phase: training");
    expect(end.stdout).toContain("step 2/2");
    expect(end.stderr).toContain("job job-recipe succeeded");
    const written = JSON.parse(readFileSync(report, "utf8")) as RunReport;
    expect(written).toMatchObject({ steps: 2, groupsDispatched: 4, groupsTrained: 4, groupsFailed: 0 });
    const ofPlan = (what: string) => written.plan.find((figure) => figure.what === what);
    for (const what of ["rollouts of a step", "update of a step", "learner", "a rollout actor"]) {
      expect(ofPlan(what), what).toMatchObject({ planned: expect.any(Number), measured: expect.any(Number) });
      expect(ofPlan(what)?.ratio).toBeGreaterThan(0);
    }
    expect(JSON.parse(readFileSync(join(runDir, "summary.json"), "utf8"))).toEqual(written);
    expect(end.stdout).toMatch(/plan +rollouts of a step: planned .* s, measured .* s/);
    const roles = written.processes.map(({ role }) => role);
    expect(roles.filter((role) => role === "node")).toHaveLength(2);
    expect(roles).toEqual(
      expect.arrayContaining(["head", "redis", "driver", "learner", "reward", "rollout"]),
    );
    const job = await jobOf("job-recipe");
    expect(job).toMatchObject({ status: "succeeded", driverExitCode: 0 });
    expect(job.driverPid).toBe(written.processes.find(({ role }) => role === "driver")?.pid);
    await until(
      "what it spawned has ended with it",
      async () => (await cluster.client.actors()).length === 0,
    );
  });
});

describe("a program as a job", () => {
  test("that no node can ever take says so at once, followed or not, and how much there is", async () => {
    const asked = ["--submission-id", "job-vast", "--resources", "crystals=3"];
    const submitted = await cluster.run(["job", "submit", program, ...asked]);
    expect(submitted).toMatchObject({ code: 0, stdout: "job-vast\n" });
    const why =
      /job job-vast waits: it asks for 3 crystals, and the largest node has 0; add such a node \(`palimpsest worker join --resources crystals=3`.*palimpsest job stop job-vast/;
    expect(submitted.stderr).toMatch(why);
    const following = cluster.start(["job", "logs", "job-vast", "--follow"]);
    await until("it says why", () => why.test(following.output));
    following.kill("SIGINT");
    const { code, stderr } = await following.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/it goes on: .*palimpsest job logs job-vast --follow/);
    await cluster.run(["job", "stop", "job-vast"]);
  });

  test("spawns an actor class from another file and prints what it says", async () => {
    const end = await cluster.run(["job", "submit", program, "--follow", "one", "two", "one"]);
    expect(end.code, end.stdout + end.stderr).toBe(0);
    expect(end.stdout).toContain("one: 2\ntwo: 1\n");
    const [, counter, driver] = end.stdout.match(/counted by process (\d+), not by (\d+)/) ?? [];
    expect(counter).not.toBe(driver);
  });

  test("runs in a copy of the folder sent with it, leases what it asks for, and can be deleted afterwards", async () => {
    const folder = await cluster.recipeFolder("working-dir");
    writeFileSync(join(folder, "words.txt"), "out of the folder");
    const reader = join(folder, "reader.mjs");
    writeFileSync(
      reader,
      `import { readFileSync } from "node:fs"; console.log(readFileSync("words.txt", "utf8"));`,
    );
    const options = ["--working-dir", folder, "--cpus", "0.5", "--metadata", "team=red,run=7"];
    const submit = ["job", "submit", reader, "--follow", "--submission-id", "job-folder", ...options];
    const end = await cluster.run(submit);
    expect(end.code, end.stdout + end.stderr).toBe(0);
    expect(end.stdout).toContain("out of the folder");
    expect(await cluster.client.jobs.get("job-folder")).toMatchObject({
      status: "succeeded",
      resources: { cpu: 0.5 },
      metadata: { team: "red", run: "7" },
    });
    expect((await cluster.run(["job", "delete", "job-folder"])).stdout).toBe("job job-folder deleted\n");
    expect((await cluster.run(["job", "logs", "job-folder"])).stderr).toContain("job-folder is not known");
  });

  test("hands its environment to what it spawns, and no log and no list shows a variable's value", async () => {
    const folder = await cluster.recipeFolder("environment");
    writeFileSync(join(folder, "notes.txt"), "out of the folder");
    const [value, name] = ["a-value-that-nobody-sees", "SERVICE_KEY"];
    const options = [
      ...[
        "--submission-id",
        "job-environment",
        "--env",
        name,
        "--env",
        "MODE=a,b=c",
        "--working-dir",
        folder,
      ],
      ...["--packages", writePackages(join(cluster.dir, "packages")), "--follow"],
    ];
    const end = await cluster.run(["job", "submit", surroundings, ...options, "--", name, "MODE"], {
      [name]: value,
    });
    expect(end.code, end.stdout + end.stderr).toBe(0);
    const [driver, actor, task] = end.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Surroundings);
    const variables = { [name]: value.length, MODE: "a,b=c".length };
    const seen = { lengths: variables, notes: "out of the folder", greeting: "hello" };
    expect([driver, actor, task]).toMatchObject([seen, seen, seen]);
    const { client } = cluster;
    const told = await Promise.all([
      client.jobs.list(),
      client.actors({ includeDead: true }),
      client.tasks(),
      client.events(),
    ]);
    const texts = [JSON.stringify(told), cluster.head.output, ...cluster.workers.map(({ output }) => output)];
    for (const text of texts) expect(text).not.toContain(value);

    const broken = writePackages(join(cluster.dir, "broken"), { mismatch: true });
    const failed = await cluster.run(["job", "submit", program, "--follow", "--packages", broken, "one"]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("its packages cannot be built: `npm ci");
    expect(failed.stderr).toContain("missing@1.2.3");
  });

  test("that ends badly fails its job: the follower ends with its exit code", async () => {
    const end = await cluster.run([
      "job",
      "submit",
      program,
      "--follow",
      "--submission-id",
      "job-bad",
      "badly",
    ]);
    expect(end.code).toBe(3);
    expect(end.stderr).toContain("job job-bad failed");
    expect(await jobOf("job-bad")).toMatchObject({ status: "failed", driverExitCode: 3 });
  });

  test("is listed while it runs, gives its logs, and is ended with its actors by stop", async () => {
    const submitted = await cluster.run(["job", "submit", program, "forever"]);
    const id = submitted.stdout.trim();
    const logs = () => cluster.run(["job", "logs", id]);
    const followed = cluster.start(["job", "logs", id, "--follow"]);
    await until("the program waits", () => followed.output.includes("waiting"));
    const [, actorPid] = (await logs()).stdout.match(/counted by process (\d+)/) ?? [];
    const job = await cluster.client.jobs.get(id);
    expect(job.status).toBe("running");
    expect(isAlive(job.driverPid)).toBe(true);
    const list = JSON.parse((await cluster.run(["job", "list", "--json"])).stdout) as JobInfo[];
    expect(list.find(({ jobId }) => jobId === id)?.status).toBe("running");

    const stop = await cluster.run(["job", "stop", id]);
    expect(stop.code, stop.stderr).toBe(0);
    await until("the job has stopped", async () => (await cluster.client.jobs.get(id)).status === "stopped");
    await until("driver and actor are gone", () => !isAlive(job.driverPid) && !isAlive(Number(actorPid)));
    expect((await cluster.run(["job", "list"])).stdout).toMatch(new RegExp(`${id} .*stopped`));
  });
});

describe("wrong input is answered with one line that names the fix, and an exit code that tells its kind", () => {
  async function refused(code: number, args: readonly string[]): Promise<string> {
    const end = await cluster.run(args);
    expect(end.code, end.stdout).toBe(code);
    expect(end.stderr).toMatch(/^error: [^\n]+\n$/);
    return end.stderr;
  }

  test("a wrong token", async () => {
    expect(await refused(5, ["status", "--token", "not-the-token-of-this"])).toMatch(/token/);
    const join = ["worker", "join", "--address", cluster.address, "--token", "not-the-token-of-this"];
    expect(await refused(5, join)).toMatch(/token/);
  });

  test("no head at that address", async () => {
    const line = await refused(4, ["status", "--address", "127.0.0.1:1", "--token", "not-the-token-of-this"]);
    expect(line).toMatch(/127\.0\.0\.1:1/);
  });

  test("an unknown key in a recipe, for train and for job submit", async () => {
    const recipe = writeRecipe(await cluster.recipeFolder("unknown-key"), { more: { traim: { steps: 3 } } });
    for (const command of [["train"], ["job", "submit"]]) {
      const line = await refused(2, [...command, recipe]);
      expect(line).toContain('unknown key "traim"');
      expect(line).toContain(`did you mean "train"?`);
    }
  });

  test("a missing recipe, a missing program, a missing base model", async () => {
    expect(await refused(3, ["job", "submit", "no-such.yaml"])).toMatch(/no-such\.yaml.*give/);
    expect(await refused(3, ["job", "submit", "no-such.ts"])).toMatch(/no-such\.ts/);
    const folder = await cluster.recipeFolder("no-base");
    const recipe = writeRecipe(folder, { more: { model: { path: "./nowhere" } } });
    expect(await refused(3, ["train", recipe])).toMatch(/small\.yaml: model\.path: .*nowhere.*give/);
  });

  test("a program that does not bundle", async () => {
    const folder = await cluster.recipeFolder("broken");
    const broken = join(folder, "broken.ts");
    writeFileSync(broken, 'import { nothing } from "./nowhere.js";\nnothing();\n');
    expect(await refused(2, ["job", "submit", broken])).toMatch(/broken\.ts.*nowhere/);
  });
});
