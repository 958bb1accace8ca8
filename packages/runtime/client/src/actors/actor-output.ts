import { delay } from "@palimpsest/std";
import { fromGrpcError, type Network, nodeLogsService, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { type ActorInfo, defaultNamespace, fullNameOf } from "../base/actor-view.js";
import type { ClusterState } from "../base/cluster-state.js";
import { checkFields, checkValue, rules } from "../base/fields.js";

const restartPollMs = 500;

export interface ActorOutputOptions {
  /** The incarnation whose output is read, counted from 1. Default: the newest. */
  readonly incarnation?: number;
  /** Returns only this many last lines, within the last MiB. Default: everything that the node keeps. */
  readonly tailLines?: number;
  /** Continues with new output, across restarts, until the actor has died. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

const outputRules = {
  ...{ incarnation: rules.count, tailLines: rules.wholeNumber, follow: rules.flag, signal: rules.signal },
} as const satisfies Readonly<Record<keyof ActorOutputOptions, unknown>>;

/**
 * Reads the output and error streams of an actor's process, byte for byte, from the node that keeps them. A follower goes on
 * after a break of the connection, and with the actor's next process if its node was lost.
 * @param target id or name; "namespace/name" outside of the default namespace; if several dead actors had the name,
 *   the newest
 * @param background see CallSettings.background
 * @throws {PalimpsestError} NOT_FOUND, UNAVAILABLE
 */
export async function* actorOutput(
  state: Pick<ClusterState, "actors" | "nodes">,
  network: Network,
  target: string,
  options: ActorOutputOptions = {},
  background = false,
): AsyncGenerator<Uint8Array, void, undefined> {
  checkValue(target, rules.filledText, "the actor of actorOutput()");
  checkFields(options, outputRules, "options of actorOutput()");
  const { follow = false, signal } = options;
  let actor = await actorOf(state, target);
  let incarnation = options.incarnation ?? actor.incarnation;
  let tailLines = options.tailLines ?? 0;
  let offsetBytes = 0;
  for (;;) {
    const address = await addressOf(state, actor);
    const request = { actorId: actor.actorId, incarnation, tailLines, offsetBytes, follow };
    let isBroken = false;
    try {
      for await (const { data, endBytes } of oneProcess(network, address, request, { background, signal })) {
        // What was read is not read again after a break.
        offsetBytes = endBytes;
        tailLines = 0;
        if (data.byteLength > 0) yield data;
      }
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      isBroken = follow && error.code === "UNAVAILABLE";
      // An incarnation that started and ended between two polls may have run on another node.
      if (!isBroken && (actor.incarnation <= incarnation || error.code !== "NOT_FOUND")) throw error;
    }
    if (!isBroken && (!follow || options.incarnation !== undefined)) return;
    // The head may learn of an end later than the reader of the output. Nothing is read again until it has.
    while (actor.incarnation <= incarnation || !hasOutput(actor)) {
      if (signal?.aborted || (actor.state === "dead" && !isBroken)) return;
      await delay(restartPollMs, signal);
      actor = await actorOf(state, actor.actorId);
      if (isBroken && (await isBack(state, actor, incarnation))) break;
    }
    if (actor.incarnation <= incarnation) continue;
    if (options.incarnation !== undefined) return;
    incarnation += 1;
    // `tailLines` applies only to the first process that is read; the output of its successors is read in full.
    tailLines = 0;
    offsetBytes = 0;
  }
}

/**
 * Returns whether the node whose connection broke while this output was read is alive.
 * @throws {PalimpsestError} NOT_FOUND if the actor died with its node, and the end of its output with it
 */
async function isBack(
  state: Pick<ClusterState, "nodes">,
  actor: ActorInfo,
  incarnation: number,
): Promise<boolean> {
  if (actor.incarnation > incarnation || !hasOutput(actor)) return false;
  const node = (await state.nodes()).find(({ nodeId }) => nodeId === actor.nodeId);
  if (actor.state === "dead" && (node === undefined || node.state === "dead")) await addressOf(state, actor);
  return node?.state === "alive";
}

/** Before the actor is alive, the file of its newest process may not exist yet. */
function hasOutput({ state }: ActorInfo): boolean {
  return state === "alive" || state === "dead";
}

async function actorOf(state: Pick<ClusterState, "actors">, target: string): Promise<ActorInfo> {
  const all = await state.actors({ includeDead: true });
  const wanted = target.startsWith(`${defaultNamespace}/`)
    ? target.slice(defaultNamespace.length + 1)
    : target;
  const found = all.filter((info) => info.actorId === wanted || fullNameOf(info) === wanted);
  const alive = found.find(({ state: its }) => its !== "dead");
  const actor = alive ?? found.toSorted((a, b) => b.createdAtMs - a.createdAtMs)[0];
  if (actor === undefined)
    throw new PalimpsestError(
      "NOT_FOUND",
      `no actor has the id or name ${JSON.stringify(target)}: outside of the default namespace write "namespace/name"; \`palimpsest list actors --state alive,dead\` lists all`,
    );
  return actor;
}

async function addressOf(state: Pick<ClusterState, "nodes">, actor: ActorInfo): Promise<string> {
  const { actorId, nodeId } = actor;
  if (nodeId === "")
    throw new PalimpsestError("NOT_FOUND", `actor ${actorId} has had no process yet: ${actor.pendingReason}`);
  const node = (await state.nodes()).find((known) => known.nodeId === nodeId);
  if (node === undefined || node.state === "dead")
    throw new PalimpsestError(
      "NOT_FOUND",
      `node ${nodeId} is gone, and with it the output of actor ${actorId}`,
    );
  return node.objectsAddress;
}

async function* oneProcess(
  network: Network,
  address: string,
  request: proto.ReadLogRequest.$Properties,
  { signal, background }: { readonly signal: AbortSignal | undefined; readonly background: boolean },
): AsyncGenerator<{ readonly data: Uint8Array; readonly endBytes: number }, void, undefined> {
  const peer = network.connect(address, "control");
  const stream = peer.serverStream(nodeLogsService.getLog, request, {
    background,
    ...(signal ? { signal } : {}),
  });
  try {
    for await (const chunk of stream as AsyncIterable<proto.ActorLogChunk.$Properties>) {
      const data = chunk.data ?? new Uint8Array();
      yield { data, endBytes: (chunk.offsetBytes ?? 0) + data.byteLength };
    }
  } catch (reason) {
    if (!signal?.aborted) throw fromGrpcError(reason);
  } finally {
    stream.cancel();
    peer.close();
  }
}
