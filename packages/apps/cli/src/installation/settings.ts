/**
 * Where the commands of this machine take their settings from, each from the first source that says something: a flag, the
 * environment, the project's and the user's file, the files of this machine's head, the default.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { connectionFiles, type FileSetting, findHead, type HeadSearch } from "@palimpsest/client/find-head";
import { cacheFolder } from "@palimpsest/wire";
import {
  defaultDataDir,
  devFolder,
  headAddressPathOf,
  readHeadAddress,
  readToken,
  tokenPathOf,
} from "@palimpsest/wire/local-head";

type Environment = Readonly<Record<string, string | undefined>>;

/** One source of a setting, and what it says; undefined: nothing. */
interface Source {
  readonly from: string;
  readonly value: string | undefined;
}

interface Setting {
  readonly name: string;
  readonly what: string;
  /** Whether its value is not for other eyes. */
  readonly isSecret?: boolean;
  /** From the one that wins to the default. */
  sources(given: HeadSearch, environment: Environment): readonly Source[];
}

const variable = (environment: Environment, name: string): Source => ({
  from: name,
  // An empty variable is one that is not set, as shells leave it.
  value: environment[name] || undefined,
});

/** The content of a file that a variable names, without a complaint: whoever connects complains. */
const variableFile = (environment: Environment, name: string): Source => {
  const path = environment[name];
  return { from: path ? `${name} (${path})` : name, value: path ? readText(path) : undefined };
};

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The data folders in which a head of this machine may be, the one that commands choose first. */
function headFolders(given: HeadSearch, environment: Environment): readonly string[] {
  if (given.dataDir !== undefined) return [given.dataDir];
  const folders = [defaultDataDir("head", environment), join(devFolder(environment), "head")];
  const chosen = chosenFolder(given, environment);
  return [...folders.filter((folder) => folder === chosen), ...folders.filter((folder) => folder !== chosen)];
}

function chosenFolder(given: HeadSearch, environment: Environment): string | undefined {
  try {
    // Neither a token nor certificates matter to which head it is.
    const { PALIMPSEST_TLS: _tls, ...others } = environment;
    const { address, dataDir } = given;
    return findHead({ address, dataDir, token: "any" }, others, { mayHaveEnded: true }).dataDir;
  } catch {
    return undefined;
  }
}

function filesFor(given: HeadSearch, environment: Environment): ReturnType<typeof connectionFiles> {
  return connectionFiles(given.address !== undefined || given.dataDir !== undefined, environment);
}

/** A variable; nothing where the project's file names the head, since it is for another one. */
function variableFor(given: HeadSearch, environment: Environment, name: string, of = variable): Source {
  const isProjects = filesFor(given, environment).some(
    ({ isProject, settings }) => isProject && settings.length > 0,
  );
  return of(isProjects ? {} : environment, name);
}

/** What the project's file and the user's say about a setting. */
function inFiles(
  given: HeadSearch,
  environment: Environment,
  setting: FileSetting["name"],
): readonly Source[] {
  return filesFor(given, environment).map(({ path, settings }): Source => {
    const own = settings.find(({ name }) => name === setting);
    if (own === undefined) return { from: path, value: undefined };
    const { value, from } = own;
    return setting === "tokenFile" ? { from: `${from} (${value})`, value: readText(value) } : { from, value };
  });
}

function addressIn(folder: string): string | undefined {
  try {
    return readHeadAddress(folder)?.address;
  } catch {
    return undefined;
  }
}

const redis = (name: string, what: string, key: string): Setting => ({
  name,
  what,
  isSecret: true,
  sources: (_given, environment) => [
    { from: `--${name}`, value: undefined },
    variable(environment, key),
    variableFile(environment, `${key}_FILE`),
    { from: "default", value: undefined },
  ],
});

const plain = (name: string, what: string, key: string, preset = ""): Setting => ({
  name,
  what,
  sources: (_given, environment) => [
    variable(environment, key),
    { from: "default", value: preset || undefined },
  ],
});

const secret = (name: string, what: string, key: string): Setting => ({
  ...plain(name, what, key),
  isSecret: true,
});

const stateVariables = ["PALIMPSEST_DATA_DIR", "XDG_STATE_HOME"] as const;

/** The settings that several commands share. */
const settings: readonly Setting[] = [
  {
    name: "address",
    what: "the head that commands connect to",
    sources: (given, environment) => [
      { from: "--address", value: given.address },
      variable(environment, "PALIMPSEST_ADDRESS"),
      ...inFiles(given, environment, "address"),
      ...headFolders(given, environment).map((folder) => ({
        from: headAddressPathOf(folder),
        value: addressIn(folder),
      })),
    ],
  },
  {
    name: "token",
    what: "the cluster's token",
    isSecret: true,
    sources: (given, environment) => [
      { from: "--token", value: given.token },
      variableFor(given, environment, "PALIMPSEST_TOKEN"),
      variableFor(given, environment, "PALIMPSEST_TOKEN_FILE", variableFile),
      ...inFiles(given, environment, "tokenFile"),
      ...headFolders(given, environment).map((folder) => ({
        from: tokenPathOf(folder),
        value: readToken(folder),
      })),
    ],
  },
  {
    name: "tls",
    what: "folder of certificates; none: without TLS",
    sources: (given, environment) => [
      { from: "--tls", value: given.tls },
      variableFor(given, environment, "PALIMPSEST_TLS"),
      ...inFiles(given, environment, "tls"),
    ],
  },
  {
    name: "data-dir",
    what: "data folder of this machine's head",
    sources: (given, environment) => [
      { from: "--data-dir", value: given.dataDir },
      ...folderSources(environment, stateVariables, (given) => defaultDataDir("head", given)),
    ],
  },
  {
    name: "node-dir",
    what: "data folder of this machine's worker",
    sources: (_given, environment) => [
      { from: "--node-dir", value: undefined },
      ...folderSources(environment, stateVariables, (given) => defaultDataDir("node", given)),
    ],
  },
  redis("redis", "Redis of the head; none: it runs its own", "PALIMPSEST_REDIS_URL"),
  redis("queue-redis", "the same for nodes and drivers", "PALIMPSEST_QUEUE_REDIS_URL"),
  {
    name: "cache",
    what: "folder of downloaded models",
    sources: (_given, environment) =>
      folderSources(environment, ["PALIMPSEST_CACHE", "XDG_CACHE_HOME"], cacheFolder),
  },
  {
    name: "hub-cache",
    what: "folder in which Hugging Face's programs keep models, which are read from there",
    sources: (_given, environment) => [
      variable(environment, "HF_HUB_CACHE"),
      {
        from: "HF_HOME",
        value: environment["HF_HOME"] ? join(environment["HF_HOME"], "hub") : undefined,
      },
      { from: "default", value: join(homedir(), ".cache/huggingface/hub") },
    ],
  },
  plain("hub", "where models are downloaded from; none: the public hub", "HF_ENDPOINT"),
  secret("hub-token", "for private and gated models", "HF_TOKEN"),
  secret("serve-token", "what clients of `palimpsest serve` must send", "PALIMPSEST_SERVE_TOKEN"),
  secret("endpoint-key", "sent to servers of --endpoint", "OPENAI_API_KEY"),
  plain("setup", "off: nothing is downloaded or built on first use", "PALIMPSEST_SETUP", "on"),
  plain("tensorflow", "folder of libtensorflow", "PALIMPSEST_TENSORFLOW"),
  plain("debug", "1: errors with their stacks", "PALIMPSEST_DEBUG", "0"),
];

/** The variable by which a folder is named wholly, the one that names its parent, and the default. */
function folderSources(
  environment: Environment,
  [own, base]: readonly [own: string, base: string],
  folderOf: (environment: Environment) => string,
): readonly Source[] {
  const { [own]: ownValue, [base]: baseValue, ...others } = environment;
  const of = (given: Environment) => folderOf({ ...others, ...given });
  return [
    { from: own, value: ownValue ? of({ [own]: ownValue }) : undefined },
    { from: base, value: baseValue ? of({ [base]: baseValue }) : undefined },
    { from: "default", value: of({}) },
  ];
}

/** A setting as it is: its value, where that comes from, and what says otherwise without effect. */
export interface FoundSetting {
  readonly name: string;
  readonly what: string;
  /** null: there is none; a secret is replaced by how long it is. */
  readonly value: string | null;
  /** null: no source says anything. */
  readonly from: string | null;
  readonly overrides: readonly { readonly from: string; readonly value: string }[];
  /** Where it is looked for, in order. */
  readonly order: readonly string[];
}

export function findSettings(given: HeadSearch, environment: Environment): readonly FoundSetting[] {
  return settings.map(({ name, what, isSecret = false, sources }) => {
    const all = sources(given, environment);
    const shown = (value: string) => (isSecret ? `(hidden, ${value.length} characters)` : value);
    const [first, ...others] = all.flatMap(({ from, value }) =>
      value === undefined ? [] : [{ from, value: shown(value) }],
    );
    return {
      name,
      what,
      value: first?.value ?? null,
      from: first?.from ?? null,
      overrides: others,
      order: all.map(({ from }) => from),
    };
  });
}
