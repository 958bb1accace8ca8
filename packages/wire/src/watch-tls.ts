/**
 * Responsibility: certificates that change on the disk take effect in a running process: renewed ones for connections
 * from then on, a longer list of revoked ones at once.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { loadTls, revokedFile, type TlsIdentity, tlsFiles } from "./tls.js";

/** Files are asked for their times: notices of changes are lost on disks that machines share. */
const defaultPollMs = 2_000;

export interface WatchTlsOptions {
  readonly folder: string;
  readonly onChange: (tls: TlsIdentity) => void;
  /** Called once for each state of the files that cannot be used; what was read before stays. */
  readonly onError: (reason: unknown) => void;
  readonly pollMs?: number;
}

/** Looks at the folder until the returned function is called; keeps no process alive. */
export function watchTls({ folder, onChange, onError, pollMs = defaultPollMs }: WatchTlsOptions): () => void {
  let known = stateOf(folder);
  let failed = "";
  const timer = setInterval(() => {
    const state = stateOf(folder);
    if (state === known) return;
    try {
      // Files are written one after the other: until they belong together, the next look tries again.
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
