/**
 * The thread that keeps a driver's session while the main thread computes, or stands at a breakpoint. It reads the main
 * thread's stack when the head asks for it.
 */
import { parentPort, workerData } from "node:worker_threads";
import {
  credentialsOf,
  errorToProto,
  grpcNetwork,
  HeadPeer,
  loadTls,
  PalimpsestError,
  watchTls,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { mainThreadStack } from "./main-thread-stack.js";
import { Session } from "./session.js";
import type { SessionNews, SessionOrder, SessionThreadData } from "./session-messages.js";

/** Of news that a busy main thread has not read: deaths it will learn of from its streams all the same. */
const maxUnreadNews = 10_000;
/** Covers two looks at the certificate's files. */
const refusalGraceMs = 5_000;

const { address, tlsFolder, sessionId, name, jobId, ...given } = workerData as SessionThreadData;
const port = parentPort;
if (!port) throw new PalimpsestError("INTERNAL", "session-thread-main runs in a worker thread only");

let unread = 0;
function tell(news: SessionNews): void {
  // Nothing else tells of a new token or of the session's end.
  if (unread >= maxUnreadNews && news.kind === "actorDied") return;
  unread++;
  port?.postMessage(news);
}

const credentials = credentialsOf(proto.ProcessCredentials.decode(given.credentials));
const unwatch = tlsFolder === "" ? () => undefined : followFolder(tlsFolder);
const peer = new HeadPeer(grpcNetwork({ credentials }), address);
const opening = Session.open(
  peer,
  {
    sessionId,
    name,
    jobId,
    onActorDied: (info) => tell({ kind: "actorDied", info: proto.ActorInfo.encode(info).finish() }),
    onNewToken: (token, graceMs) => {
      credentials.rotate(token, graceMs);
      tell({ kind: "newToken", token, graceMs });
    },
    onLost: lost,
    refusalGraceMs: tlsFolder === "" ? 0 : refusalGraceMs,
    stack: async () => {
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

/** Takes the certificate that lies there now and those that follow: the main thread, which has its own watch, may be busy. */
function followFolder(folder: string): () => void {
  const stop = watchTls({ folder, onChange: (tls) => credentials.replaceTls(tls), onError: () => undefined });
  try {
    // It may have changed while this thread came up.
    credentials.replaceTls(loadTls(folder));
  } catch {
    // Files that are being written: the watch reads them when they belong together.
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
