/**
 * How a head comes to lead, as a part of its start: until then it listens as a standby and follows the leader's
 * tokens.
 */
import type { Clock } from "@palimpsest/std";
import { formatAddress, type Network, newId, PalimpsestError } from "@palimpsest/wire";
import { adoptTokens } from "../rules/head-credentials.js";
import { portOf } from "../store/head-files.js";
import { readKnownCluster, writeKnownCluster } from "../store/known-cluster.js";
import { Leadership } from "../store/leadership.js";
import { RedisStore } from "../store/redis-store.js";
import type { Leader } from "../store/shared-store.js";
import { StandbyTokens } from "../store/standby-tokens.js";
import { advertisedHost, type Beginning } from "./head-beginning.js";
import type { HeadRedis } from "./head-redis.js";
import { standbyServer } from "./standby-server.js";

export interface Lead {
  readonly leadership: Leadership;
  readonly headId: string;
  /** The port to listen on; 0 for any free port. */
  readonly port: number;
  /** The id that the store, or else this head's folder, has recorded; empty for a new cluster. */
  readonly clusterId: string;
}

/**
 * Resolves when this head leads; until then it listens as a standby.
 * @throws {PalimpsestError} ALREADY_EXISTS if it must not wait; UNAUTHENTICATED if the leading head refuses it
 */
export async function beginLeadership(
  { config, deps, parts, credentials, before: last }: Beginning,
  redis: HeadRedis,
  network: Network,
  clock: Clock,
): Promise<Lead> {
  const headId = newId("head");
  const exclusive = config.redisUrl === undefined;
  const before = last?.cluster === config.cluster ? last : undefined;
  const kept = readKnownCluster(config.dataDir);
  const known = kept?.cluster === config.cluster ? kept : undefined;
  const wish = config.port === 0 && last ? portOf(last.address) : config.port;
  const stop = new AbortController();
  const abort = () => stop.abort();
  deps.signal?.addEventListener("abort", abort, { once: true });
  if (deps.signal?.aborted) abort();
  let refused: PalimpsestError | undefined;
  const tokens = new StandbyTokens({
    network,
    clock,
    logger: deps.logger,
    adopt: (state) => adoptTokens(config.dataDir, credentials, state, clock),
    onRefused: (error) => {
      refused = error;
      abort();
    },
  });
  // The head listens first, because a head that cannot listen must fail before it takes the lease from another one.
  const standby = await standbyServer(network);
  try {
    const port = portOf(await standby.listen(config.host, wish));
    const address = formatAddress(advertisedHost(config), port);
    const leadership = await Leadership.take({
      shared: new RedisStore(redis.client, config.cluster),
      clock,
      logger: deps.logger,
      headId,
      leaseMs: config.leaseMs,
      address: exclusive ? "" : address,
      epochFloor: Math.max(before?.epoch ?? 0, known?.epoch ?? 0),
      // That head's process has ended (second-head.ts), so there is no need to wait for its lease to expire.
      predecessorId: before?.headId ?? "",
      exclusive,
      signal: stop.signal,
      onStandby: (leader) => {
        if (!config.standby) throw leaderExists(config.cluster, leader);
        deps.logger.warn({ leader, address }, "another head leads: this one waits as a standby");
        deps.onStandby?.({ address, leader });
      },
      onCluster: (clusterId, epoch) => {
        try {
          writeKnownCluster(config.dataDir, { cluster: config.cluster, clusterId, epoch });
        } catch (reason) {
          deps.logger.warn({ err: reason }, "cannot store what this standby knows of the cluster");
        }
      },
      onLeader: (leader) => tokens.follow(leader?.address ?? ""),
    });
    parts.endings.push(() => leadership.release());
    // STANDBY-TOKENS-2: the refusal may have arrived while the lease was being taken.
    if (refused !== undefined) throw refused;
    const clusterId = leadership.clusterId || before?.clusterId || known?.clusterId || "";
    // Between the two servers another program may take a port that was free. Nobody knows that of an exclusive head yet.
    return { leadership, headId, port: exclusive ? wish : port, clusterId };
  } catch (reason) {
    throw refused ?? reason;
  } finally {
    deps.signal?.removeEventListener("abort", abort);
    tokens.close();
    standby.kill();
  }
}

function leaderExists(cluster: string, leader: Leader): PalimpsestError {
  return new PalimpsestError(
    "ALREADY_EXISTS",
    `head ${leader.headId} at ${leader.address} leads cluster ${cluster} with epoch ${leader.epoch}: stop it, ` +
      "name another cluster with --cluster, or leave --no-standby out to wait for its end",
  );
}
