/** deploy/compose.yaml as podman-compose runs it, without what has no image here. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { z } from "zod";
import { until } from "../support/until.js";
import type { Engine } from "./engine.js";
import { checkout } from "./images.js";

/** The command's own parser of YAML. */
const { parse } = createRequire(join(checkout, "packages/apps/cli/package.json"))("yaml") as {
  readonly parse: (text: string, options: { readonly merge: true }) => unknown;
};
const fileSchema = z.looseObject({ services: z.record(z.string(), z.looseObject({ image: z.string() })) });
const inspectSchema = z.tuple([
  z.object({
    State: z.object({ Pid: z.int(), ExitCode: z.int(), Running: z.boolean() }),
    NetworkSettings: z.object({ Networks: z.record(z.string(), z.object({ IPAddress: z.string() })) }),
  }),
]);

/** Services in the order in which they wait for each other, and their containers. */
const order: Readonly<Record<string, readonly string[]>> = {
  redis: ["redis_1"],
  "head standby": ["head_1", "standby_1"],
  "worker prometheus": ["worker_1", "worker_2", "prometheus_1"],
};

export class ComposeStack {
  readonly token = "a-token-of-the-containers-test";
  readonly #engine: Engine;
  readonly #file: string;

  /**
   * Reads the file and writes it again with the images made here and no ports of this machine: the containers are asked
   * at their own addresses.
   */
  constructor(engine: Engine, images: Readonly<Record<string, string>>) {
    this.#engine = engine;
    const folder = join(engine.folder, "deploy");
    mkdirSync(folder, { recursive: true });
    cpSync(join(checkout, "deploy/prometheus"), join(folder, "prometheus"), { recursive: true });
    const text = readFileSync(join(checkout, "deploy/compose.yaml"), "utf8");
    const file = fileSchema.parse(parse(text, { merge: true }));
    delete file.services["grafana"];
    for (const service of Object.values(file.services)) {
      delete service["ports"];
      delete service["build"];
      service.image = images[service.image] ?? service.image;
    }
    this.#file = join(folder, "compose.yaml");
    // JSON is YAML, too.
    writeFileSync(this.#file, JSON.stringify(file));
  }

  async compose(args: readonly string[]): Promise<string> {
    const environment = { PALIMPSEST_TOKEN: this.token, REDIS_PASSWORD: "a-password-of-a-test" };
    const all = ["--project-name", "stack", "--file", this.#file, "--profile", "driver", ...args];
    return await this.#engine.run(all, { environment }, "podman-compose");
  }

  /**
   * Starts the services one after the other, each when those that it waits for are healthy: podman before 5 cannot wait
   * for health, and without systemd it runs no health check by itself.
   */
  async up(): Promise<void> {
    for (const [services, containers] of Object.entries(order)) {
      await this.compose(["up", "--detach", "--no-deps", ...services.split(" ")]);
      for (const name of containers)
        await until(
          `${name} is healthy`,
          async () => (await this.#engine.attempt(["healthcheck", "run", `stack_${name}`])).code === 0,
          { everyMs: 500, timeoutMs: 120_000 },
        );
    }
  }

  async inspect(
    name: string,
  ): Promise<{ readonly exitCode: number; readonly pid: number; readonly address: string }> {
    const [{ State, NetworkSettings }] = inspectSchema.parse(
      JSON.parse(await this.#engine.run(["container", "inspect", `stack_${name}`])),
    );
    const [network] = Object.values(NetworkSettings.Networks);
    return { exitCode: State.ExitCode, pid: State.Pid, address: network?.IPAddress ?? "" };
  }

  /** Runs the command of the cluster in a worker's container. */
  async command(...args: readonly string[]): Promise<string> {
    const address = ["--address", "head:7420,standby:7420"];
    return await this.#engine.run(["exec", "stack_worker_1", "palimpsest", ...args, ...address]);
  }

  /** Returns the seconds until the container ended by SIGTERM, and its exit code. */
  async stop(
    name: string,
    graceSeconds: number,
  ): Promise<{ readonly seconds: number; readonly exitCode: number }> {
    const startedAtMs = performance.now();
    await this.#engine.run(["stop", "--time", String(graceSeconds), `stack_${name}`]);
    const seconds = (performance.now() - startedAtMs) / 1000;
    return { seconds, exitCode: (await this.inspect(name)).exitCode };
  }

  /** Returns the status of a head's health page; undefined if it has none, as a standby. */
  async health(name: string): Promise<number | undefined> {
    const { address } = await this.inspect(name);
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await fetch(`http://${address}:7421/healthz`, {
      headers,
      signal: AbortSignal.timeout(2_000),
    });
    return answer.status;
  }

  /** Returns what Prometheus scrapes: the state of each target, by role and instance. */
  async targets(): Promise<
    readonly { readonly role: string; readonly health: string; readonly lastError: string }[]
  > {
    const { address } = await this.inspect("prometheus_1");
    const answer = await fetch(`http://${address}:9090/api/v1/targets`);
    const { data } = z
      .object({
        data: z.object({
          activeTargets: z.array(
            z.object({
              labels: z.object({ role: z.string() }),
              health: z.string(),
              lastError: z.string(),
            }),
          ),
        }),
      })
      .parse(await answer.json());
    return data.activeTargets.map(({ labels, ...rest }) => ({ role: labels.role, ...rest }));
  }
}
