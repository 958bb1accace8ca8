/**
 * Responsibility: the runtime environments on this node: the working directory of a process and the packages that its
 * module may import. Both are built once and shared.
 * Not responsible for: its variables (process-starts.ts), or which environment it gets (the head decides it).
 *
 * Invariants:
 * - RUNTIMEENV-1. Packages are those of the lockfile. Their folder is named by the hash of package.json, the lockfile
 *   and the files that they name with "file:", by whether scripts run, and by the version of Node.js.
 * - RUNTIMEENV-2. An environment that cannot be built is an error that names its part and its cause; no process
 *   starts.
 */
import { linkSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Clock, unlessAborted } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { type ErrorCode, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Installation } from "../base/installation.js";
import type { BundleCache, BundleKind } from "./bundle-cache.js";
import { FolderCache, type MakeFolder } from "./folder-cache.js";
import { installPackages } from "./package-install.js";
import { unpackWorkingDir } from "./working-dir.js";

/** The subfolder of a folder of packages for modules that import them. */
const codeFolder = "palimpsest";

export interface RuntimeEnvironmentsDeps {
  readonly folder: string;
  readonly logDir: string;
  readonly maxBytes: number;
  readonly setupTimeoutMs: number;
  readonly bundles: Pick<BundleCache, "fileOf">;
  readonly installation: Pick<Installation, "linkInto" | "urlOf">;
  /** The environment of the package manager. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborted when the node ends. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a process runs, and in which environment. */
export type EnvironmentRequest = Pick<proto.ActorSpec.$Properties, "code" | "workingDir" | "packages">;

export interface PreparedEnvironment {
  readonly moduleUrl: string;
  /** The working directory of the process; undefined for that of the node. */
  readonly cwd: string | undefined;
  /** Must be called when its process has ended. */
  readonly release: () => void;
  /** Keeps the environment for another process. @returns a function that must be called when that process has ended */
  readonly retain: () => () => void;
}

export class RuntimeEnvironments {
  readonly #deps: RuntimeEnvironmentsDeps;
  readonly #folders: FolderCache;
  /** The number of processes that run each module next to packages, by its path. */
  readonly #links = new Map<string, number>();

  constructor(deps: RuntimeEnvironmentsDeps) {
    this.#deps = deps;
    this.#folders = new FolderCache(deps);
  }

  /**
   * @param signal ends this caller's wait; the build continues for others
   * @throws {PalimpsestError} ENVIRONMENT_FAILED, and whatever a bundle's download throws
   */
  async prepare(request: EnvironmentRequest, signal: AbortSignal): Promise<PreparedEnvironment> {
    const { code, workingDir, packages } = request;
    const uses: (() => void)[] = [];
    let processes = 0;
    const retain = () => {
      processes += 1;
      let retained = true;
      return () => {
        if (!retained) return;
        retained = false;
        processes -= 1;
        if (processes === 0) for (const end of uses.splice(0)) end();
      };
    };
    const release = retain();
    try {
      const cwd = workingDir ? await this.#workingDir(workingDir, uses, signal) : undefined;
      const moduleUrl = code?.module
        ? this.#deps.installation.urlOf(code.module)
        : pathToFileURL(await this.modulePath(code?.bundle ?? "", packages, uses, signal)).href;
      return { moduleUrl, cwd, release, retain };
    } catch (reason) {
      release();
      throw reason;
    }
  }

  /**
   * Returns the file of a bundle, at a path from which it can import the packages.
   * @param uses receives functions to be called when the file is no longer used
   */
  async modulePath(
    bundle: string,
    packages: proto.Packages.$Properties | null | undefined,
    uses: (() => void)[],
    signal: AbortSignal,
  ): Promise<string> {
    const path = await this.#deps.bundles.fileOf(bundle, "program", signal);
    if (!packages?.bundle) return path;
    const folder = await this.#packages(packages, uses, signal);
    return this.#link(path, join(folder, codeFolder, basename(path)), uses);
  }

  /**
   * Links a module into a folder of packages, because modules find packages by their own location. It is linked
   * synchronously, as it is unlinked, so that neither sees the other half done.
   */
  #link(path: string, target: string, uses: (() => void)[]): string {
    const users = this.#links.get(target) ?? 0;
    if (users === 0) {
      // A link may remain from a process that was killed.
      unlinkIfThere(target);
      linkSync(path, target);
    }
    this.#links.set(target, users + 1);
    // This is first in the list, so that the link is removed before the folder itself is released.
    uses.unshift(() => {
      const left = (this.#links.get(target) ?? 1) - 1;
      if (left > 0) this.#links.set(target, left);
      else {
        this.#links.delete(target);
        unlinkIfThere(target);
      }
    });
    return target;
  }

  #workingDir(sha256: string, uses: (() => void)[], signal: AbortSignal): Promise<string> {
    return this.#use(`folder-${sha256}`, "its working directory", uses, signal, async (folder) =>
      unpackWorkingDir(await this.#fileOf(sha256, "folder"), folder, { readOnly: true }),
    );
  }

  #packages(
    { bundle, installScripts }: proto.Packages.$Properties,
    uses: (() => void)[],
    signal: AbortSignal,
  ): Promise<string> {
    const sha256 = bundle ?? "";
    const scripts = installScripts ? "-scripts" : "";
    // Native addons are built for one version of Node.js's binary interface.
    const name = `packages-${sha256}-node${process.versions.modules}${scripts}`;
    return this.#use(name, "its packages", uses, signal, async (folder) => {
      const { environment, logDir, setupTimeoutMs, signal, installation, logger } = this.#deps;
      await unpackWorkingDir(await this.#fileOf(sha256, "folder"), folder);
      const startedAt = performance.now();
      const logPath = join(logDir, `${name}.log`);
      await installPackages({
        ...{ folder, environment, logPath, signal, deadlineMs: setupTimeoutMs },
        installScripts: installScripts ?? false,
      });
      await installation.linkInto(join(folder, codeFolder));
      logger.info(
        { packages: sha256, tookMs: Math.round(performance.now() - startedAt) },
        "packages installed",
      );
    });
  }

  /** Fetches the file of a bundle. The download is shared, so it does not end when one caller leaves. */
  #fileOf(sha256: string, kind: BundleKind): Promise<string> {
    return this.#deps.bundles.fileOf(sha256, kind, this.#deps.signal);
  }

  async #use(
    name: string,
    what: string,
    uses: (() => void)[],
    signal: AbortSignal,
    make: MakeFolder,
  ): Promise<string> {
    const using = this.#folders.use(name, make);
    // A caller that has left in the meantime releases it at once.
    using.then(({ release }) => (signal.aborted ? release() : uses.push(release))).catch(() => undefined);
    try {
      const { path } = await unlessAborted(signal, using);
      return path;
    } catch (reason) {
      throw failed(what, PalimpsestError.from(reason, signal.aborted ? "CANCELLED" : "INTERNAL"));
    }
  }
}

/** Errors of the environment itself, which would occur on every node and at any time. */
const ofEnvironment: ReadonlySet<ErrorCode> = new Set([
  "ENVIRONMENT_FAILED",
  "INVALID_ARGUMENT",
  "LIMIT_EXCEEDED",
]);

/** RUNTIMEENV-2 */
function failed(what: string, error: PalimpsestError): PalimpsestError {
  if (!ofEnvironment.has(error.code)) return error;
  const { rawMessage, details, cause } = error;
  return new PalimpsestError("ENVIRONMENT_FAILED", `${what} cannot be built: ${rawMessage}`, {
    details,
    cause,
  });
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The environment was never built, so there is nothing to remove.
  }
}
