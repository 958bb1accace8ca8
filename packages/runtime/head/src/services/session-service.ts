/**
 * Responsibility: the head's end of the stream to each driver.
 * Not responsible for: how long a session lives (sessions.ts).
 *
 * Invariants:
 * - OUTBOX-1. At most `maxUnreadBytes` of events are queued for a driver that does not read. Events beyond that are
 *   dropped: they only tell a driver sooner what it learns from its calls anyway.
 * - OUTBOX-2. A new token is never dropped, because no other message carries it: a newer token replaces the one in
 *   the queue.
 */
import type { ServerDuplexStream } from "@grpc/grpc-js";
import { callerOf, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { StackRequests } from "../rules/stack-requests.js";
import type { TokenRotation } from "../rules/token-rotation.js";
import { isValidId } from "../tables/actor.js";
import type { SessionConnection, Sessions } from "../tables/sessions.js";
import { failStream } from "./rpc.js";

const maxUnreadBytes = 4 * 1024 * 1024;

export interface SessionServiceDeps {
  readonly sessions: Sessions;
  readonly stacks: StackRequests;
  readonly clusterInfo: () => proto.ClusterInfo.$Properties;
  readonly ownerGraceMs: number;
  readonly sessionLeaseMs: number;
  /** Returns the addresses of the cluster's heads, this one first. */
  readonly headAddresses: () => readonly string[];
  /** Sends new tokens. It is absent where no tokens are used, as in a simulation. */
  readonly tokens?: Pick<TokenRotation, "follow" | "followAsHead" | "rotate">;
}

export type SessionStream = ServerDuplexStream<
  proto.SessionMessage.$Properties,
  proto.SessionEvent.$Properties
>;

export function serveSession(deps: SessionServiceDeps, stream: SessionStream): void {
  const { sessions, stacks, ownerGraceMs, sessionLeaseMs } = deps;
  let sessionId: string | undefined;
  const connection = new Outbox(stream);
  let unfollow: (() => void) | undefined;
  stream.on("data", (message: proto.SessionMessage.$Properties) => {
    try {
      if (sessionId === undefined) {
        checkSession(message);
        sessions.open(message, connection);
        sessionId = message.sessionId ?? "";
        const clusterId = deps.clusterInfo().clusterId ?? "";
        const headAddresses = [...deps.headAddresses()];
        stream.write({ opened: { clusterId, ownerGraceMs, sessionLeaseMs, headAddresses } });
        unfollow = deps.tokens?.follow(callerOf(stream), (newToken) => connection.send({ newToken }));
      } else sessions.renew(sessionId, connection);
      if (message.stack) stacks.answered(message.stack);
      if (message.goodbye) sessions.goodbye(sessionId);
    } catch (reason) {
      failStream(stream, reason);
    }
  });
  const left = () => {
    unfollow?.();
    if (sessionId !== undefined) sessions.broken(sessionId, connection);
  };
  stream.on("end", () => {
    left();
    stream.end();
  });
  stream.on("cancelled", left);
  stream.on("error", left);
}

/** Writes to one driver (OUTBOX-1). */
export class Outbox implements SessionConnection {
  readonly #stream: SessionStream;
  #unreadBytes = 0;
  #newToken: proto.SessionEvent.$Properties | undefined;

  constructor(stream: SessionStream) {
    this.#stream = stream;
  }

  send(event: proto.SessionEvent.$Properties): void {
    const sizeBytes = proto.SessionEvent.encode(event).finish().byteLength;
    if (this.#unreadBytes + sizeBytes > maxUnreadBytes) {
      if (event.newToken) this.#newToken = event;
      return;
    }
    if (event.newToken) this.#newToken = undefined;
    this.#unreadBytes += sizeBytes;
    this.#stream.write(event, () => {
      this.#unreadBytes -= sizeBytes;
      this.#sendNewToken();
    });
  }

  /** OUTBOX-2 */
  #sendNewToken(): void {
    const event = this.#newToken;
    this.#newToken = undefined;
    if (event) this.send(event);
  }

  close(): void {
    this.#stream.end();
  }
}

/**
 * The maximum length of the texts with which a driver names itself, because the head remembers them as long as the
 * session.
 */
const longestName = 256;

function checkSession({ sessionId, name, jobId, version }: proto.SessionMessage.$Properties): void {
  if (!isValidId(sessionId ?? "")) {
    const given = JSON.stringify((sessionId ?? "").slice(0, longestName));
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `session_id is ${given}: use an id such as newId("session") returns`,
    );
  }
  if (jobId && !isValidId(jobId)) {
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      "job_id is not an id: leave it empty or give the id of the job",
    );
  }
  for (const [what, text] of Object.entries({ name, version })) {
    if ((text ?? "").length <= longestName) continue;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${what} is longer than ${longestName} characters: shorten it`,
    );
  }
}
