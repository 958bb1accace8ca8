/**
 * Reads where the cluster is from files: `palimpsest.config.json` in the working folder or the nearest one above it, and
 * `~/.config/palimpsest/config.json`. Commands and `connect()` read them after options and the environment.
 *
 * A project may come from a stranger, whose head is told what its token file holds: that lies in the project, and a file
 * that another user of the machine put into a folder above is none.
 */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
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
  folder: string = process.cwd(),
): readonly ConnectionFile[] {
  let isFound = isNamed || Boolean(environment[variables.address]);
  const own = join(configFolder(environment), "config.json");
  return [nearestProjectFile(folder), own].map((path) => {
    const settings = existsSync(path) ? readSettings(path, path !== own) : [];
    const hasAddress = settings.some(({ name }) => name === "address");
    const file = { path, settings: hasAddress && isFound ? [] : settings };
    isFound ||= hasAddress;
    return file;
  });
}

/** Returns the environment with what the files say where it says nothing, and what messages call the source of each. */
export function withConnectionFiles(
  files: readonly ConnectionFile[],
  environment: Environment,
): { readonly environment: Environment; readonly sourceOf: (name: FileSetting["name"]) => string } {
  const said = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const added = files.flatMap(({ settings }) => settings.filter(({ name }) => !said[variables[name]]));
  return {
    environment: {
      ...Object.fromEntries(added.reverse().map(({ name, value }) => [variables[name], value])),
      ...said,
    },
    sourceOf: (name) => {
      const own = added.findLast((one) => one.name === name);
      return own === undefined ? variables[name] : `${name} of ${own.from}`;
    },
  };
}

function nearestProjectFile(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, projectFile);
    if (isOwn(path)) return path;
    if (at === dirname(at)) return projectFile;
  }
}

/** Whether the file exists and is this user's or the administrator's. */
function isOwn(path: string): boolean {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  return owner === 0 || (owner !== undefined && owner === (process.getuid?.() ?? owner));
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
  const inFolder = (one: string | undefined) => one && resolve(dirname(path), one);
  const said = { address, tokenFile: inFolder(tokenFile), tls: inFolder(tls) };
  if (isProject && said.tokenFile !== undefined && !liesIn(dirname(path), said.tokenFile))
    throw refuse(
      `tokenFile: is ${JSON.stringify(tokenFile)}, outside of the project, whose head would be told what that file holds; ` +
        `put it into the project's folder, or give it by ${tokenFileVariable} or your own file of settings`,
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
