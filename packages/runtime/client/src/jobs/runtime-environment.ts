/**
 * The environment of a job, an actor or a task, as requests describe it: variables, and the bundles of its folder and
 * its packages.
 */
import type * as proto from "@palimpsest/wire/protocol";
import type { Bundle } from "./bundle.js";

/**
 * A runtime environment as in Ray. Fields that it leaves out are inherited from the job, or from the parent actor or
 * task.
 */
export interface RuntimeEnvironmentOptions {
  /** Environment variables of its process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * Path of a folder that is uploaded, without the files that its `.gitignore` files name. Its process starts in a
   * copy of it.
   */
  readonly workingDir?: string | undefined;
  /** Path of a package.json with a lockfile next to it. Its module may import the packages that the two name. */
  readonly packages?: string | PackageOptions | undefined;
}

interface PackageOptions {
  /** Path of the package.json. */
  readonly manifest: string;
  /** Whether scripts of the packages run while they are installed. Default: none do. */
  readonly installScripts?: boolean | undefined;
}

export interface PackedEnvironment {
  readonly fields: Pick<proto.ActorSpec.$Properties, "environment" | "workingDir" | "packages">;
  /** Bundles that the head must have first. */
  readonly bundles: readonly Bundle[];
  /** Packages that stay out of bundles, because nodes install them. */
  readonly external: readonly string[];
}

/** @throws {PalimpsestError} INVALID_ARGUMENT, LIMIT_EXCEEDED */
export async function packEnvironment({
  workingDir,
  packages,
}: Pick<RuntimeEnvironmentOptions, "workingDir" | "packages">): Promise<PackedEnvironment> {
  return over(
    workingDir === undefined ? nothing : await packedFolder(workingDir),
    packages === undefined ? nothing : await packedPackages(packages),
  );
}

/**
 * Returns the environment of what a connection spawns: the connection's options, with the fields of the spawn's own
 * options in their place.
 */
export class ConnectionEnvironment {
  readonly #options: RuntimeEnvironmentOptions;
  #packed: Promise<PackedEnvironment> | undefined;

  constructor(options: RuntimeEnvironmentOptions = {}) {
    this.#options = options;
  }

  /** Packs the options of one kind of actor or task. Those of the connection are packed once. */
  async pack({ environment, workingDir, packages }: RuntimeEnvironmentOptions): Promise<PackedEnvironment> {
    this.#packed ??= packEnvironment(this.#options);
    const packed = await this.#packed.catch((reason: unknown) => {
      this.#packed = undefined;
      throw reason;
    });
    const own = over(packed, await packEnvironment({ workingDir, packages }));
    const variables = { ...this.#options.environment, ...environment };
    return { ...own, fields: { ...own.fields, environment: variables } };
  }
}

/** Merges two environments: fields of the second take precedence. */
function over(under: PackedEnvironment, over: PackedEnvironment): PackedEnvironment {
  return {
    fields: { ...under.fields, ...over.fields },
    bundles: [
      ...new Map([...under.bundles, ...over.bundles].map((bundle) => [bundle.sha256, bundle])).values(),
    ],
    external: over.fields.packages ? over.external : under.external,
  };
}

const nothing: PackedEnvironment = { fields: {}, bundles: [], external: [] };

async function packedFolder(folder: string): Promise<PackedEnvironment> {
  const { packWorkingDir } = await import("./working-dir.js");
  const bundle = await packWorkingDir(folder);
  return { fields: { workingDir: bundle.sha256 }, bundles: [bundle], external: [] };
}

async function packedPackages(packages: string | PackageOptions): Promise<PackedEnvironment> {
  const { manifest, installScripts = false } =
    typeof packages === "string" ? { manifest: packages } : packages;
  const { packPackages } = await import("./packages.js");
  const { bundle, names } = await packPackages(manifest);
  const field = { bundle: bundle.sha256, installScripts };
  return { fields: { packages: field }, bundles: [bundle], external: names };
}
