/**
 * The thread that keeps a driver's session open while the main thread computes or is stopped at a breakpoint. It
 * reads the main thread's stack when the head requests it.
 */
import { parentPort, workerData } from "node:worker_threads";
import {
  credentialsOf,
  errorToProto,
  faultsLoaded,
  grpcNetwork,
  HeadPeer,
  loadTls,
  PalimpsestError,
  watchTls,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { mainThreadProfile, mainThreadStack } from "./main-thread-stack.js";
import { Session } from "./session.js";
import type { SessionNews, SessionOrder, SessionThreadData } from "./session-messages.js";

/**
 * The maximum number of events that a busy main thread has not read. Further reports of deaths are dropped, because the
 * main thread learns of deaths from its streams too.
 */
const maxUnreadNews = 10_000;
/** The milliseconds for which a refused session is retried, which cover two polls of the certificate's files. */
const refusalGraceMs = 5_000;

const { address, tlsFolder, sessionId, name, jobId, namespace, ...given } = workerData as SessionThreadData;
const port = parentPort;
if (!port) throw new PalimpsestError("INTERNAL", "session-thread-main runs in a worker thread only");

let unread = 0;
function tell(news: SessionNews): void {
  // A new token and the end of the session are never dropped, because no other message reports them.
  if (unread >= maxUnreadNews && news.kind === "actorDied") return;
  unread++;
  port?.postMessage(news);
}

const credentials = credentialsOf(proto.ProcessCredentials.decode(given.credentials));
const unwatch = tlsFolder === "" ? () => undefined : followFolder(tlsFolder);
await faultsLoaded;
const peer = new HeadPeer(grpcNetwork({ credentials }), address);
const opening = Session.open(
  peer,
  {
    sessionId,
    name,
    jobId,
    namespace,
    onActorDied: (info) => tell({ kind: "actorDied", info: proto.ActorInfo.encode(info).finish() }),
    onNewToken: (token, graceMs) => {
      credentials.rotate(token, graceMs);
      tell({ kind: "newToken", token, graceMs });
    },
    onLost: lost,
    refusalGraceMs: tlsFolder === "" ? 0 : refusalGraceMs,
    stack: async ({ profileMs, heap }) => {
      if (profileMs) {
        const kind = heap ? "heap" : "cpu";
        return { profile: await mainThreadProfile({ kind, durationMs: profileMs }) };
      }
      const { busy, method, frames } = await mainThreadStack();
      return { busy, method, frames: [...frames] };
    },
  },
  Number.POSITIVE_INFINITY,
);
opening.then(
  () => tell({ kind: "opened" }),
  (reason: unknown) => lost(PalimpsestError.from(reason)),
);

/** Reads the current certificate and later ones, because the main thread, which has its own watch, may be busy. */
function followFolder(folder: string): () => void {
  const stop = watchTls({ folder, onChange: (tls) => credentials.replaceTls(tls), onError: () => undefined });
  try {
    // The certificate may have changed while this thread started.
    credentials.replaceTls(loadTls(folder));
  } catch {
    // The files are being written. The watch reads them when they belong together.
  }
  return stop;
}

function lost(error: PalimpsestError): void {
  tell({ kind: "lost", error: proto.Error.encode(errorToProto(error)).finish() });
}

port.on("message", (order: SessionOrder | "read") => {
  if (order === "read") {
    unread--;
    return;
  }
  void opening
    .then((session) => session.close())
    .catch(() => undefined)
    .finally(() => {
      unwatch();
      peer.close();
      port.close();
    });
});
