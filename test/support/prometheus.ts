import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { until } from "./until.js";

const deployed = fileURLToPath(new URL("../../deploy/prometheus/", import.meta.url));
const answerSchema = z.object({
  status: z.literal("success"),
  data: z.object({ result: z.array(z.object({ values: z.array(z.tuple([z.number(), z.string()])) })) }),
});
const rulesSchema = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            name: z.string(),
            health: z.enum(["ok", "err", "unknown"]),
            lastError: z.string().optional(),
          }),
        ),
      }),
    ),
  }),
});
const targetsSchema = z.object({
  data: z.object({
    activeTargets: z.array(
      z.object({ labels: z.record(z.string(), z.string()), health: z.string(), lastError: z.string() }),
    ),
  }),
});

export interface PrometheusOptions {
  readonly dir: string;
  /** The address of the head's metrics page. */
  readonly address: string;
  readonly tokenFile: string;
  /** The folder with a reader's certificate. */
  readonly certificates: string;
}

export const hasPrometheus = spawnSync("prometheus", ["--version"]).status === 0;

/**
 * Debian's Prometheus with the rules of deploy/. It discovers the processes of a cluster under TLS through the head.
 */
export class Prometheus {
  readonly #child: ChildProcess;
  readonly #startedAtMs = Date.now();
  #url = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({ dir, address, tokenFile, certificates }: PrometheusOptions): Promise<Prometheus> {
    mkdirSync(dir, { recursive: true });
    const certificate = (name: string) => join(certificates, name);
    const access = {
      authorization: { credentials_file: tokenFile },
      tls_config: {
        ca_file: certificate("ca.crt"),
        cert_file: certificate("tls.crt"),
        key_file: certificate("tls.key"),
        server_name: "palimpsest",
      },
    };
    const found = { url: `https://${address}/targets`, refresh_interval: "1s", ...access };
    writeFileSync(
      join(dir, "prometheus.yml"),
      // JSON is valid YAML.
      JSON.stringify({
        global: { scrape_interval: "500ms", scrape_timeout: "500ms", evaluation_interval: "1s" },
        rule_files: [join(deployed, "rules.yml")],
        scrape_configs: [{ job_name: "palimpsest", scheme: "https", ...access, http_sd_configs: [found] }],
      }),
    );
    const child = spawn(
      "prometheus",
      [
        ...["--config.file", join(dir, "prometheus.yml"), "--storage.tsdb.path", join(dir, "data")],
        ...["--web.listen-address", "127.0.0.1:0"],
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const prometheus = new Prometheus(child);
    const port = await until(
      "Prometheus listens",
      () => /Listening on.* address=\S*:(\d+)/.exec(said)?.[1] ?? false,
      { explain: () => said },
    );
    prometheus.#url = `http://127.0.0.1:${port}/api/v1`;
    return prometheus;
  }

  /** Returns whether the expression had a number at some moment since the start. */
  async hadData(expression: string): Promise<boolean> {
    const query = new URLSearchParams({
      query: expression,
      start: String(this.#startedAtMs / 1_000),
      end: String(Date.now() / 1_000),
      step: "1",
    });
    const { data } = answerSchema.parse(await this.#get(`/query_range?${query}`));
    return data.result.some(({ values }) => values.some(([, value]) => value !== "NaN"));
  }

  /** Returns the rules that fail, with Prometheus' messages. */
  async brokenRules(): Promise<readonly string[]> {
    const { data } = rulesSchema.parse(await this.#get("/rules"));
    return data.groups.flatMap(({ rules }) =>
      rules.flatMap(({ name, health, lastError }) =>
        health === "ok" ? [] : [`${name}: ${lastError ?? health}`],
      ),
    );
  }

  /** Returns the role of each scrape target that is up. */
  async roles(): Promise<readonly string[]> {
    const { data } = targetsSchema.parse(await this.#get("/targets?state=active"));
    return data.activeTargets
      .filter(({ health }) => health === "up")
      .map(({ labels }) => labels["role"] ?? "")
      .sort();
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(`${this.#url}${path}`, { signal: AbortSignal.timeout(600_000) });
    return await response.json();
  }
}

export interface Shown {
  /** The location of the expression: the board and the panel, or the rule. */
  readonly where: string;
  readonly expression: string;
}

interface Board {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

/** Returns every expression of the panels of these boards. */
export function panelsOf(boards: readonly string[]): Shown[] {
  const folder = join(deployed, "../grafana/dashboards");
  return boards.flatMap((name) => {
    const { panels } = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Board;
    return panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ where: `${name}: ${title}`, expression: expr })),
    );
  });
}

/**
 * Returns what the rules read: recording rules as they are, and for an alert, which has data only when it fires, each
 * metric of its expression.
 */
export function rulesOf(): Shown[] {
  const text = readFileSync(join(deployed, "rules.yml"), "utf8");
  return text
    .split(/\n {6}- /)
    .slice(1)
    .flatMap((rule): Shown[] => {
      const [, kind, name = ""] = /^(alert|record): (\S+)/.exec(rule) ?? [];
      if (kind === "record") return [{ where: `rule ${name}`, expression: name }];
      const expression = /expr: (.*)/.exec(rule)?.[1] ?? "";
      const metrics = [...expression.matchAll(/\b(palimpsest[a-z_:]+|up)\b/g)].map(
        ([, metric]) => metric ?? "",
      );
      return [...new Set(metrics)].map((metric) => ({ where: `alert ${name}`, expression: metric }));
    });
}

const quietSchema = z.array(
  z.strictObject({ metrics: z.array(z.string()).min(1), reason: z.string().min(20) }),
);

/** Returns the metrics that a short run on two nodes does not have, and why. */
export function quietMetrics(): ReadonlyMap<string, string> {
  const listed = quietSchema.parse(JSON.parse(readFileSync(join(deployed, "without-data.json"), "utf8")));
  return new Map(listed.flatMap(({ metrics, reason }) => metrics.map((metric) => [metric, reason] as const)));
}
