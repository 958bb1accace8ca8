/** The files by which a user's shells complete the program. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { shellWord } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { PalimpsestError } from "@palimpsest/wire";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Ends the one line that is added to a user's file, so that it is found again. */
const mark = "# palimpsest completion";

/** @throws {PalimpsestError} INVALID_ARGUMENT if SHELL names none of the shells */
export function ownShell(environment: Environment): Shell {
  const named = basename(environment["SHELL"] ?? "");
  const shell = shells.find((known) => known === named);
  if (shell !== undefined) return shell;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `shell: is not given, and SHELL is ${JSON.stringify(environment["SHELL"] ?? "")}; name one of ${shells.join(", ")}`,
  );
}

/** The file of the script, and the file in which a line reads it; fish finds the script by its place. */
function filesOf(
  shell: Shell,
  environment: Environment,
): { readonly script: string; readonly startup?: string } {
  const home = environment["HOME"] || homedir();
  const folder = (name: string, inHome: string) => {
    const given = environment[name];
    return given !== undefined && isAbsolute(given) ? given : join(home, inHome);
  };
  if (shell === "fish")
    return { script: join(folder("XDG_CONFIG_HOME", ".config"), "fish/completions/palimpsest.fish") };
  const startup = shell === "bash" ? join(home, ".bashrc") : join(environment["ZDOTDIR"] || home, ".zshrc");
  return { script: join(folder("XDG_DATA_HOME", ".local/share"), `palimpsest/completion.${shell}`), startup };
}

/** Writes the script, and has new shells read it. Returns the files that were written or changed. */
export function installCompletion(shell: Shell, text: string, environment: Environment): string[] {
  const { script, startup } = filesOf(shell, environment);
  makeFolder(dirname(script));
  writeFileSync(script, text);
  if (startup === undefined) return [script];
  const before = existsSync(startup) ? readFileSync(startup, "utf8") : "";
  const line = `[ -r ${shellWord(script)} ] && . ${shellWord(script)} ${mark}`;
  if (before.split("\n").includes(line)) return [script];
  const others = withoutLine(before);
  writeFileSync(startup, `${others}${others === "" || others.endsWith("\n") ? "" : "\n"}${line}\n`);
  return [script, startup];
}

/** Undoes `installCompletion`. */
export function uninstallCompletion(
  shell: Shell,
  environment: Environment,
): { readonly removed: string[]; readonly wrote: string[] } {
  const { script, startup } = filesOf(shell, environment);
  const removed = existsSync(script) ? [script] : [];
  rmSync(script, { force: true });
  const before = startup !== undefined && existsSync(startup) ? readFileSync(startup, "utf8") : "";
  const after = withoutLine(before);
  if (startup === undefined || after === before) return { removed, wrote: [] };
  writeFileSync(startup, after);
  return { removed, wrote: [startup] };
}

const withoutLine = (text: string) =>
  text
    .split("\n")
    .filter((line) => !line.endsWith(mark))
    .join("\n");
