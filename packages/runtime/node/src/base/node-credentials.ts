/** The credentials of a node, and those that it passes to the processes it starts. */

import { join } from "node:path";
import { makeFolder, replaceFileSync } from "@palimpsest/std/files";
import {
  Credentials,
  loadTls,
  PalimpsestError,
  processCredentials,
  refuseOpenBind,
  roleToken,
  type TlsIdentity,
  watchTls,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ResolvedNodeConfig } from "./config.js";

export class NodeCredentials {
  readonly own: Credentials;
  /** The file of mode 0600 with the token of jobs' drivers, which is rewritten when the token is rotated. */
  readonly driverTokenFile: string;
  /** The folder with the certificate of jobs' drivers; empty without TLS. */
  readonly driverTls: string;
  #actorTls: TlsIdentity | undefined;
  readonly #folder: string;

  private constructor(own: Credentials, folder: string, tls: string) {
    this.own = own;
    this.driverTokenFile = join(folder, "driver-token");
    this.driverTls = tls === "" ? "" : join(tls, "driver");
    this.#folder = tls;
    this.#actorTls = tls === "" ? undefined : loadTls(join(tls, "actor"));
    this.#keepDriverToken();
    own.onChange(() => this.#keepDriverToken());
  }

  /** @throws {PalimpsestError} CONFIG_INVALID: unencrypted beyond loopback, or certificates of another role */
  static open(
    config: Pick<ResolvedNodeConfig, "token" | "tls" | "insecure" | "listenHost" | "dataDir">,
  ): NodeCredentials {
    const { token, tls, insecure, listenHost, dataDir } = config;
    refuseOpenBind(listenHost, { tls: tls !== "", insecure });
    const identity = tls === "" ? undefined : loadTls(tls);
    if (identity && identity.role !== "node") {
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `tls: the certificate in ${tls} has the role ${identity.role}; a worker needs one of the role node`,
      );
    }
    makeFolder(dataDir, 0o700);
    return new NodeCredentials(Credentials.ofCluster(token, { tls: identity }), dataDir, tls);
  }

  /** Returns the credentials for an actor's process: its own token and certificate, and nothing of the node's. */
  forActor(): proto.ProcessCredentials.$Properties {
    const { tls } = this.own;
    const revoked = new Set([...(tls?.revoked ?? []), ...(this.#actorTls?.revoked ?? [])]);
    return processCredentials(this.own.grantFor("actor"), this.#actorTls && { ...this.#actorTls, revoked });
  }

  /** Loads certificates that change in the folder and passes them on, until the returned function is called. */
  watch(onError: (reason: unknown) => void): () => void {
    if (this.#folder === "") return () => undefined;
    const actors = join(this.#folder, "actor");
    const takeOfActors = (tls: TlsIdentity) => {
      this.#actorTls = tls;
    };
    const takeOwn = (tls: TlsIdentity) => {
      // Listeners to the node's own certificates also pass on the actors', so these are loaded first: a renewal that
      // wrote both must not pass on the old one, which may have expired.
      try {
        takeOfActors(loadTls(actors));
      } catch {
        // The watch of that folder reports the error.
      }
      this.own.replaceTls(tls);
    };
    const stops = [
      watchTls({ folder: this.#folder, onError, onChange: takeOwn }),
      watchTls({
        folder: actors,
        onError,
        onChange: (tls) => {
          takeOfActors(tls);
          if (this.own.tls) this.own.replaceTls({ ...this.own.tls });
        },
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Applies a message of the head about a rotation. */
  take({ token, use, graceMs }: proto.NewToken.$Properties): void {
    if (!token) return;
    if (use) this.own.rotate(token, graceMs ?? 0);
    else this.own.accept(token);
  }

  #keepDriverToken(): void {
    replaceFileSync(this.driverTokenFile, `${roleToken(this.own.token, "driver")}\n`, 0o600);
  }
}
