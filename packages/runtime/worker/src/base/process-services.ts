/**
 * Opens what the process of one or several actors has once: its credentials, its network, and its connection to the
 * head.
 */
import { HeadClient, ProgramValues } from "@palimpsest/client";
import { systemClock } from "@palimpsest/std";
import { AuditLog, credentialsOf, grpcNetwork } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

const controlTimeoutMs = 30_000;
/** This is the default of connections too. */
const callTimeoutMs = 600_000;
/** The maximum size of the file of refusals, of which a node has one next to the log of each of its many actors. */
const refusalsMaxBytes = 1024 * 1024;

export type ProcessServices = ReturnType<typeof openServices>;

/** @throws {PalimpsestError} INVALID_ARGUMENT for invalid credentials */
export function openServices(start: proto.ActorProcessStart.$Properties) {
  const credentials = credentialsOf(start.credentials ?? {});
  const onCall = refusalsTo(start.refusalsPath ?? "");
  const network = grpcNetwork({ credentials, onCall });
  let opened: HeadClient | undefined;
  const head = () => {
    opened ??= new HeadClient(network, start.headAddress ?? "", controlTimeoutMs);
    return opened;
  };
  return {
    credentials,
    onCall,
    network,
    /** Creates the values and handles of the program that owns leases under this name. */
    values: (holder: string) =>
      new ProgramValues({
        head,
        ...{ network, callTimeoutMs, holder, isTaskWorker: start.spec?.taskWorker ?? false },
        objectsAddress: () => Promise.resolve(start.objectsAddress ?? ""),
      }),
    head,
    close: () => opened?.close(),
  };
}

/** Returns a function that writes a line for each call that this process refuses, next to its log. */
function refusalsTo(path: string): AuditLog["record"] {
  if (path === "") return () => undefined;
  const onError = (reason: unknown, fields: object) => {
    process.stderr.write(`refused calls cannot be logged: ${String(reason)}: ${JSON.stringify(fields)}\n`);
  };
  const audit = new AuditLog({ refusals: path }, { clock: systemClock, onError, maxBytes: refusalsMaxBytes });
  return audit.record;
}
