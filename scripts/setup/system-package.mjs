import { CommandError, output, run, which } from "./command.mjs";

const managers = [
  {
    program: "apt-get",
    install: ["install", "-y", "--no-install-recommends"],
    update: ["update"],
    asRoot: true,
  },
  { program: "dnf", install: ["install", "-y"], asRoot: true },
  { program: "apk", install: ["add"], asRoot: true },
  { program: "brew", install: ["install"], asRoot: false },
];

/**
 * Makes sure that a program is there, through the system's package manager.
 * `packages` names its package for each manager; the error's message is the one line to type.
 */
export async function ensureProgram(program, packages) {
  if (which(program)) return which(program);
  const manager = managers.find((candidate) => which(candidate.program) && packages[candidate.program]);
  if (!manager)
    throw new Error(
      `${program} is missing: install it with your system's package manager, then run this command again`,
    );
  const name = packages[manager.program];
  const prefix = !manager.asRoot || process.getuid?.() === 0 ? [] : ["sudo"];
  const typed = [...prefix, manager.program, manager.install[0], name].join(" ");
  // Without a password prompt or not at all: a setup that waits for input in a pipe never ends.
  if (prefix.length > 0 && output("sudo", ["-n", "true"]) === undefined) {
    throw new Error(`${program} is missing: run \`${typed}\`, then run this command again`);
  }
  const command = (args) =>
    run(prefix[0] ?? manager.program, prefix.length > 0 ? ["-n", manager.program, ...args] : args, {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  try {
    if (manager.update) await command(manager.update);
    await command([...manager.install, name]);
  } catch (error) {
    if (error instanceof CommandError)
      throw new Error(`${error.message}: run \`${typed}\` to see why, then run this command again`);
    throw error;
  }
  const path = which(program);
  if (!path) throw new Error(`${program} is still missing after \`${typed}\`: put it on the PATH`);
  return path;
}
