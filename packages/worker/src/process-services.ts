/** What the process of one or several actors has once: its credentials, its network, and its connection to the head. */
import { HeadClient, ProgramValues } from "@palimpsest/client";
import { AuditLog, credentialsOf, grpcNetwork, systemClock } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

const controlTimeoutMs = 30_000;
/** The same default as that of a connection. */
const callTimeoutMs = 600_000;
/** A node has many actors, whose refusals are stored next to their logs. */
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
    /** Values and handles of the program with this name as lease owner. */
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

/** Writes a line for each call that this process refuses, next to its log. */
function refusalsTo(path: string): AuditLog["record"] {
  if (path === "") return () => undefined;
  const onError = (reason: unknown, fields: object) => {
    process.stderr.write(`refused calls cannot be logged: ${String(reason)}: ${JSON.stringify(fields)}\n`);
  };
  const audit = new AuditLog({ refusals: path }, { clock: systemClock, onError, maxBytes: refusalsMaxBytes });
  return audit.record;
}
