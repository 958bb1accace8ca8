/**
 * Reads where the cluster is from files: `palimpsest.config.json` in the working folder or the nearest one above it, and
 * `~/.config/palimpsest/config.json`. Commands and `connect()` read them after options and the environment.
 *
 * A project may come from a stranger, whose head is told a token. So whoever names the address names the token: to the
 * address of a project's file goes no token but that of a file in the project, or that of an option. A file that another
 * user of the machine put into a folder above is no project's, and a warning says so, since it may be that of a host's
 * user whose folder is mounted into a container.
 */
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { parseInput, parseJson, reasonText } from "@palimpsest/std/input";
import { configFolder, PalimpsestError } from "@palimpsest/wire";
import { tokenFileVariable } from "@palimpsest/wire/local-head";
import { z } from "zod";
import { addressForm, isAddress } from "../base/address-form.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The name of a project's file. */
const projectFile = "palimpsest.config.json";

/** The variable that says the same. A token is in no such file, because projects are shared. */
const variables = {
  address: "PALIMPSEST_ADDRESS",
  tokenFile: tokenFileVariable,
  tls: "PALIMPSEST_TLS",
} as const;

/** Variables that are for the address that the environment names, or for this machine's. */
const secrets = ["PALIMPSEST_TOKEN", variables.tokenFile, variables.tls] as const;

const schema = z
  .strictObject({
    address: z.string().refine(isAddress, addressForm),
    tokenFile: z.string().min(1),
    tls: z.string().min(1),
  })
  .partial();

/** What a file says, the paths in it absolute, and where: the file and its line. */
export interface FileSetting {
  readonly name: keyof typeof variables;
  readonly value: string;
  readonly from: string;
}

/** One of the two files, whether it exists or not. */
export interface ConnectionFile {
  readonly path: string;
  readonly isProject: boolean;
  /** What applies: nothing if another address comes first, since a token and certificates are for their own head. */
  readonly settings: readonly FileSetting[];
}

/**
 * Returns the project's file and the user's, the one that wins first.
 * @param isNamed whether options name a head, which comes before all others
 * @throws {PalimpsestError} CONFIG_INVALID
 */
export function connectionFiles(
  isNamed: boolean,
  environment: Environment,
  folder?: string,
): readonly ConnectionFile[] {
  const isGiven = isNamed || Boolean(environment[variables.address]);
  const project = nearestProjectFile(folder, !isGiven);
  // What cannot apply is not read: a file of a later version would end a command that was told everything.
  const ofProject = project === undefined || isGiven ? [] : readSettings(project, true);
  const own = join(configFolder(environment), "config.json");
  const ofUser = ofProject.length > 0 || !existsSync(own) ? [] : readSettings(own, false);
  const isOther = isGiven && ofUser.some(({ name }) => name === "address");
  return [
    { path: project ?? projectFile, isProject: true, settings: ofProject },
    { path: own, isProject: false, settings: isOther ? [] : ofUser },
  ];
}

/** Returns the environment with what the files say where it says nothing, and what messages call the source of each. */
export function withConnectionFiles(
  files: readonly ConnectionFile[],
  environment: Environment,
): { readonly environment: Environment; readonly sourceOf: (name: FileSetting["name"]) => string } {
  const isProjects = files.some(({ isProject, settings }) => isProject && settings.length > 0);
  const hidden = new Set<string>(isProjects ? secrets : []);
  const said = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== "" && !hidden.has(name)),
  );
  const added = files.flatMap(({ settings }) => settings.filter(({ name }) => !said[variables[name]]));
  return {
    environment: {
      ...Object.fromEntries(added.map(({ name, value }) => [variables[name], value])),
      ...said,
    },
    sourceOf: (name) => {
      const own = added.find((one) => one.name === name);
      return own === undefined ? variables[name] : `${name} of ${own.from}`;
    },
  };
}

function nearestProjectFile(folder: string | undefined, warns: boolean): string | undefined {
  let at: string;
  try {
    at = resolve(folder ?? process.cwd());
  } catch {
    return undefined; // The working folder was deleted.
  }
  for (; ; at = dirname(at)) {
    const path = join(at, projectFile);
    const stranger = strangerOf(path);
    if (stranger === "none") return path;
    if (stranger !== undefined && warns) warnOf(path, stranger);
    if (at === dirname(at)) return undefined;
  }
}

/**
 * Returns the id of another user who is not the administrator and whose file it is, or whose link to a file; "none" if it is
 * nobody else's, undefined if it cannot be seen.
 */
function strangerOf(path: string): number | "none" | undefined {
  const user = process.getuid?.();
  try {
    const owners = [lstatSync(path), statSync(path)].map(({ uid }) => uid);
    return owners.find((uid) => ![0, user ?? uid].includes(uid)) ?? "none";
  } catch {
    return undefined;
  }
}

const warned = new Set<string>();

/** Says once in this process that a file is ignored. */
function warnOf(path: string, owner: number): void {
  if (warned.has(path)) return;
  warned.add(path);
  process.emitWarning(
    `${path} is ignored: it belongs to user ${owner}, and this process runs as user ${process.getuid?.()}, whose token it could ` +
      `send to a stranger's head; run this as user ${owner}, give the address yourself (--address, PALIMPSEST_ADDRESS), or make the file yours (chown)`,
  );
}

function readSettings(path: string, isProject: boolean): FileSetting[] {
  const refuse = (problem: string, cause?: unknown) =>
    new PalimpsestError("CONFIG_INVALID", `${path}: ${problem}`, { cause });
  let text: string;
  let value: unknown;
  try {
    text = readFileSync(path, "utf8");
    value = parseJson(text);
  } catch (cause) {
    throw refuse(reasonText(cause), cause);
  }
  const { address, tokenFile, tls } = parseInput(schema, value, refuse, { former: { token: "tokenFile" } });
  if (isProject && address === undefined)
    throw refuse("address: is missing; a project's file says where its head is, and then how it is reached");
  const inFolder = (one: string | undefined) => one && resolve(dirname(path), one);
  const said = { address, tokenFile: inFolder(tokenFile), tls: inFolder(tls) };
  if (isProject && said.tokenFile !== undefined && !liesIn(dirname(path), said.tokenFile))
    throw refuse(
      `tokenFile: is ${JSON.stringify(tokenFile)}, outside of the project, whose head would be told what that file holds; ` +
        "put it into the project's folder, or give address and token yourself",
    );
  return (["address", "tokenFile", "tls"] as const).flatMap((name) => {
    const own = said[name];
    return own === undefined ? [] : [{ name, value: own, from: `${path}:${lineOf(text, name)}` }];
  });
}

/** Whether a file is in the folder, also behind links; one that does not exist is judged by its name. */
function liesIn(folder: string, file: string): boolean {
  const place = (path: string) => (existsSync(path) ? realpathSync(path) : path);
  const way = relative(place(folder), place(file));
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(way) !== way;
}

/** Returns the line of a key, counted from 1. The file has no other text that looks like it. */
function lineOf(text: string, name: string): number {
  const at = text.search(new RegExp(`"${name}"\\s*:`));
  return text.slice(0, Math.max(0, at)).split("\n").length;
}
