/**
 * Responsibility: makes certificates that change on disk take effect in a running process. Renewed certificates apply
 * to connections made from then on, a longer list of revocations applies at once.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { loadTls, revokedFile, type TlsIdentity, tlsFiles } from "./tls.js";

/** The files' modification times are polled, because change notifications are unreliable on shared file systems. */
const defaultPollMs = 2_000;

export interface WatchTlsOptions {
  readonly folder: string;
  readonly onChange: (tls: TlsIdentity) => void;
  /** Called once for each state of the files that cannot be used. The identity that was read before stays in effect. */
  readonly onError: (reason: unknown) => void;
  readonly pollMs?: number;
}

/** Polls the folder until the returned function is called. It does not keep the process alive. */
export function watchTls({ folder, onChange, onError, pollMs = defaultPollMs }: WatchTlsOptions): () => void {
  let known = stateOf(folder);
  let failed = "";
  const timer = setInterval(() => {
    const state = stateOf(folder);
    if (state === known) return;
    try {
      // Files are written one after the other. While they do not belong together, the next poll tries again.
      const tls = loadTls(folder);
      known = state;
      failed = "";
      onChange(tls);
    } catch (reason) {
      if (failed === state) return;
      failed = state;
      onError(reason);
    }
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

function stateOf(folder: string): string {
  const names = [...Object.values(tlsFiles), revokedFile];
  return names
    .map((name) => {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false, bigint: true });
      return stat ? `${stat.mtimeNs}/${stat.ino}/${stat.size}` : "none";
    })
    .join(" ");
}
