/** Every command in deploy/ is one of this program, with flags that it has. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { Command } from "commander";
import { expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { addHead } from "../commands/cluster/head.js";
import { addWorker } from "../commands/cluster/worker.js";

const folder = fileURLToPath(new URL("../../../../../deploy/", import.meta.url));
const program = new Command();
addHead(program);
addWorker(program);

/** Those of a page of YAML, as one line each: lists are joined, comments are gone. */
function lines(file: string, text: string): string[] {
  if (!file.endsWith(".yaml")) return text.split("\n").filter((line) => !line.startsWith("#"));
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value === "string") found.push(value);
    else if (Array.isArray(value)) {
      found.push(value.filter((item) => typeof item === "string").join(" "));
      value.forEach(look);
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
  };
  for (const document of parseAllDocuments(text, { merge: true })) look(document.toJS());
  return found;
}

const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.(yaml|service)$|Dockerfile/.test(file),
);
const found = files.flatMap((file) =>
  lines(file, readFileSync(`${folder}${file}`, "utf8")).flatMap((line) =>
    [...line.matchAll(/\b(head|worker) (start|join)\b(.*)/g)].map(([, group, command, rest]) => ({
      file,
      group: group as string,
      command: command as string,
      flags: [...(rest ?? "").matchAll(/ (--[a-z-]+)/g)].map(([, flag]) => flag as string),
    })),
  ),
);

it("has the commands and flags of the files in deploy/", () => {
  expect(new Set(found.map(({ file }) => file)).size).toBeGreaterThanOrEqual(4);
  expect(found.filter(({ flags }) => flags.length > 0).length).toBeGreaterThanOrEqual(4);
  for (const { file, group, command, flags } of found) {
    const own = program.commands
      .find((one) => one.name() === group)
      ?.commands.find((one) => one.name() === command);
    expect(own, `${file}: ${group} ${command}`).toBeDefined();
    const known = own?.options.map(({ long }) => long) ?? [];
    for (const flag of flags) expect(known, `${file}: ${group} ${command} ${flag}`).toContain(flag);
  }
});

it("the image is built of files that are there by scripts that are there, and of nothing else", () => {
  const root = fileURLToPath(new URL("../../../../../", import.meta.url));
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { scripts: object };
  const text = readFileSync(`${folder}Dockerfile`, "utf8");
  for (const [, script] of text.matchAll(/npm run (\w+)/g)) expect(Object.keys(scripts)).toContain(script);
  for (const [, script] of text.matchAll(/node (scripts\/\S+)/g))
    expect(existsSync(`${root}${script}`), script).toBe(true);
  expect(text).toMatch(/^USER palimpsest$/m);
  // Certificates, tokens and runs that lie in a checkout stay out of the layers: what is not named is not copied.
  const [first, ...rest] = readFileSync(`${root}.dockerignore`, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(first).toBe("*");
  for (const name of rest.filter((line) => line.startsWith("!")))
    expect(existsSync(`${root}${name.slice(1)}`), name).toBe(true);
});

it("no service of the compose file runs as root by its wish, and what only looks has no head's folder", () => {
  const { services } = composeSchema.parse(
    parse(readFileSync(`${folder}compose.yaml`, "utf8"), { merge: true }),
  );
  for (const [name, { user }] of Object.entries(services))
    expect(String(user ?? ""), name).not.toMatch(/^(root|0)\b/);
  const mounted = (name: string) => (services[name]?.volumes ?? []).map((volume) => volume.split(":")[0]);
  for (const name of ["prometheus", "grafana"])
    for (const headFolder of ["head", "standby"]) expect(mounted(name), name).not.toContain(headFolder);
  // The one file that it needs is where both of its readers look for it, and the image lets the heads write there.
  const config = readFileSync(`${folder}prometheus/prometheus.yml`, "utf8");
  const files = [...config.matchAll(/credentials_file: ([^\s}]+)/g)].map(([, file]) => file as string);
  expect(files.length).toBeGreaterThan(0);
  const [volume, at] = (services["prometheus"]?.volumes ?? [])
    .map((one) => one.split(":"))
    .find(([, path]) => files.every((file) => dirname(file) === path)) ?? ["none", "none"];
  for (const name of ["head", "standby"]) {
    expect(services[name]?.volumes).toContain(`${volume}:${at}`);
    expect(JSON.stringify(services[name])).toContain(`--reader-token-file ${files[0]}`);
  }
  for (const file of files) expect(file).toBe(files[0]);
  expect(readFileSync(`${folder}Dockerfile`, "utf8")).toMatch(
    new RegExp(`install -d -o palimpsest .*${at}( |$)`, "m"),
  );
});

it("no secret stands in the arguments of a process of the compose file, and what runs code of jobs gains no rights and cannot write to its root", () => {
  const { services } = parse(readFileSync(`${folder}compose.yaml`, "utf8"), { merge: true }) as {
    services: Record<string, Record<string, unknown>>;
  };
  for (const [name, service] of Object.entries(services)) {
    const args = JSON.stringify([service["command"] ?? "", service["entrypoint"] ?? ""]);
    // Of two dollar signs compose makes one: the shell inside of the container reads the variable.
    expect(args.replaceAll("$$", ""), name).not.toMatch(/\$\{?\w*(PASSWORD|TOKEN|SECRET)/);
    if (service["image"] !== "palimpsest") continue;
    expect(service["read_only"], name).toBe(true);
    expect(service["tmpfs"], name).toEqual(["/tmp"]);
    expect(service["cap_drop"], name).toEqual(["ALL"]);
    expect(service["security_opt"], name).toContain("no-new-privileges:true");
  }
});

/** A folder of the checkout that is not made empty where it is missing. */
const existingFolder = z
  .strictObject({
    type: z.literal("bind"),
    source: z.string(),
    target: z.string(),
    read_only: z.literal(true),
    bind: z.strictObject({ create_host_path: z.literal(false) }),
  })
  .transform(({ source, target }) => `${source}:${target}`);

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string(),
      ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)).default([]),
      volumes: z.array(z.union([z.string(), existingFolder])).default([]),
      depends_on: z
        .record(z.string(), z.strictObject({ condition: z.enum(["service_healthy", "service_started"]) }))
        .default({}),
      healthcheck: z
        .strictObject({
          test: z.array(z.string()),
          interval: z.string(),
          timeout: z.string(),
          retries: z.int(),
          start_period: z.string().optional(),
        })
        .optional(),
      profiles: z.array(z.string()).default([]),
    }),
  ),
  volumes: z.record(z.string(), z.strictObject({})),
});

it("the compose file pins its images, waits for what is healthy, and keeps what workers write", () => {
  const { services, volumes } = composeSchema.parse(
    parse(readFileSync(`${folder}compose.yaml`, "utf8"), { merge: true }),
  );
  for (const [name, service] of Object.entries(services)) {
    expect(service.image, name).toMatch(/^(palimpsest|[a-z/]+:v?\d+\.\d+\.\d+(-[a-z]+)?)$/);
    if (service.profiles.length === 0) expect(service.healthcheck, name).toBeDefined();
    for (const [other, { condition }] of Object.entries(service.depends_on))
      if (condition === "service_healthy")
        expect(services[other]?.healthcheck, `${name}: ${other}`).toBeDefined();
    for (const volume of service.volumes)
      if (!volume.startsWith(".")) expect(Object.keys(volumes), name).toContain(volume.split(":")[0]);
    // The programs of health checks are parsed by Node, and shells leave their dollar signs alone.
    const [, command, flag, program] = service.healthcheck?.test ?? [];
    if (command === "node" && flag === "-e") expect(() => new Script(program ?? "")).not.toThrow();
  }
  const published = Object.values(services).flatMap(({ ports }) => ports.map((port) => port.split(":")[1]));
  expect(new Set(published).size).toBe(published.length);
  expect(services["head"]?.ports).toEqual(
    expect.arrayContaining(["127.0.0.1:7420:7420", "127.0.0.1:7422:7422"]),
  );
  expect(services["worker"]?.volumes).toEqual(["workers:/data"]);
});

/** Prometheus 2.42 sends the credentials alone to a list of targets where the type is not named. */
const bearer = z.strictObject({ type: z.literal("Bearer"), credentials_file: z.string() });

const scrapeSchema = z.object({
  scrape_configs: z.array(
    z.strictObject({
      job_name: z.string(),
      scheme: z.enum(["http", "https"]).default("http"),
      authorization: bearer.optional(),
      tls_config: z.strictObject(tlsFields()).optional(),
      http_sd_configs: z.array(
        z.strictObject({
          url: z.url(),
          refresh_interval: z.string(),
          authorization: bearer.optional(),
          tls_config: z.strictObject(tlsFields()).optional(),
        }),
      ),
    }),
  ),
});

function tlsFields() {
  const file = z.string().startsWith("/etc/prometheus/");
  return { ca_file: file, cert_file: file, key_file: file, server_name: z.literal("palimpsest") };
}

it("Prometheus's two configurations ask the same pages, one with a certificate", () => {
  const read = (name: string) =>
    scrapeSchema.parse(parse(readFileSync(`${folder}prometheus/${name}`, "utf8")));
  const [tls] = read("prometheus-tls.yml").scrape_configs;
  const [plain] = read("prometheus.yml").scrape_configs;
  expect(tls).toMatchObject({ scheme: "https", tls_config: expect.anything() });
  expect(plain?.tls_config).toBeUndefined();
  for (const found of tls?.http_sd_configs ?? []) {
    expect(found.url).toMatch(/^https:.*:7421\/targets$/);
    expect(found.tls_config).toEqual(tls?.tls_config);
  }
  for (const found of plain?.http_sd_configs ?? []) expect(found.url).toMatch(/^http:.*:7421\/targets$/);
});

it("systemd starts head and worker as often as it takes", () => {
  for (const unit of ["head", "worker"]) {
    const text = readFileSync(`${folder}systemd/palimpsest-${unit}.service`, "utf8");
    expect(text).toMatch(/^\[Unit\]$[\s\S]*^StartLimitIntervalSec=0$[\s\S]*^\[Service\]$/m);
    expect(text).toMatch(/^User=palimpsest$/m);
  }
});

it("a container of the compose file takes a folder that no other one has, and the one of a container that is gone", async () => {
  const { services } = parse(readFileSync(`${folder}compose.yaml`, "utf8")) as {
    services: { worker: { entrypoint: readonly string[] } };
  };
  const volume = testFolder();
  // The command is one that says with what it was started, and stays until its input ends.
  writeFileSync(join(volume, "palimpsest"), '#!/bin/sh\necho "$@"\nexec cat\n', { mode: 0o755 });
  const [, , shell = "", flag = "", text = ""] = services.worker.entrypoint;
  const script = text.replaceAll("$$", "$").replaceAll("/data", volume);
  const start = async () => {
    const child = spawn(shell, [flag, script], {
      env: { PATH: `${volume}:${process.env["PATH"]}` },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [said] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    const end = async () => {
      child.stdin.end();
      await once(child, "exit");
    };
    return { of: / --node-dir (\S+)/.exec(said)?.[1], end };
  };
  const first = await start();
  const second = await start();
  expect(first.of).not.toBe(second.of);
  await first.end();
  expect((await start()).of).toBe(first.of);
});
