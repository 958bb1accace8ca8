/**
 * Responsibility: subscribes to one channel of Redis on a connection of its own, across restarts of Redis and sockets
 * that become silent.
 * Not responsible for: messages that were published while the connection was away; `onReady` says when to read again.
 *
 * Invariants:
 * - SUBSCRIPTION-1. A subscription whose socket is open but silent is replaced within the socket timeout and one ping.
 */

import { every, systemClock } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import type { Redis } from "ioredis";

/** A subscriber sends nothing by itself, and without an outstanding command ioredis cannot detect silence. */
const pingMs = 5000;

export interface ChannelListener {
  readonly onMessage: (bytes: Buffer) => void;
  /** Called when the subscription is active again after the connection was lost. */
  readonly onReady: () => void;
}

export async function subscribe(
  redis: Redis,
  channel: string,
  logger: Logger,
  { onMessage, onReady }: ChannelListener,
): Promise<{ close(): Promise<void> }> {
  // Nobody would handle the promise of the client's own resubscription: closing the connection during it would end the
  // process with an unhandled rejection. The resubscription is therefore done below.
  const subscriber = redis.duplicate({ lazyConnect: true, autoResubscribe: false });
  subscriber.on("error", (error) => logger.warn({ err: error }, "redis connection error"));
  subscriber.on("messageBuffer", (_channel: Buffer, bytes: Buffer) => onMessage(bytes));
  await subscriber.connect();
  await subscriber.subscribe(channel);
  subscriber.on("ready", () => {
    subscriber
      .subscribe(channel)
      .then(onReady)
      .catch((error) => logger.warn({ err: error, channel }, "subscribing again failed"));
  });
  const stopPings = every(systemClock, pingMs, () => {
    if (subscriber.status === "ready") {
      subscriber.ping().catch(() => undefined); // The connection's error event has already reported it.
    }
  });
  return {
    async close() {
      stopPings();
      subscriber.disconnect();
    },
  };
}
