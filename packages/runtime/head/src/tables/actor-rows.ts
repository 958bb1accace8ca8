/**
 * An actor's rows in the store: its specification, written once; its state, some hundred bytes per change; and its
 * last death, written when it dies.
 */
import { PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import {
  type Actor,
  type ActorSpec,
  actorStateFromProto,
  actorStateToProto,
  specOf,
  specToProto,
} from "./actor.js";

export function encodeSpec(spec: ActorSpec): Uint8Array {
  return proto.ActorSpec.encode(specToProto(spec)).finish();
}

export function encodeState(actor: Actor): Uint8Array {
  const { spec: _spec, certificate: _certificate, constructorError: _error, ...rest } = actor;
  return proto.ActorInfo.encode({
    ...rest,
    state: actorStateToProto[actor.state],
    lostStartNodeIds: [...actor.lostStartNodeIds],
    gpuIds: [...actor.gpuIds],
    bundle: actor.bundle ?? null,
  }).finish();
}

/** Encodes the last death; undefined for an actor that has never died. */
export function encodeDeath({ certificate, constructorError }: Actor): Uint8Array | undefined {
  if (certificate === undefined && constructorError === undefined) return undefined;
  return proto.ActorInfo.encode({
    ...(certificate ? { certificate } : {}),
    ...(constructorError ? { constructorError } : {}),
  }).finish();
}

/** @throws {PalimpsestError} CODEC for a state that this version does not know */
export function decodeActor(spec: Uint8Array, state: Uint8Array, death: Uint8Array | undefined): Actor {
  const info = proto.ActorInfo.decode(state);
  const last = death && proto.ActorInfo.decode(death);
  const known = actorStateFromProto(info.state);
  if (known === undefined) throw new PalimpsestError("CODEC", `a stored actor has state ${info.state}`);
  return {
    spec: specOf(proto.ActorSpec.decode(spec)),
    state: known,
    nodeId: info.nodeId,
    address: info.address,
    metricsAddress: info.metricsAddress,
    pid: info.pid,
    incarnation: info.incarnation,
    restarts: info.restarts,
    certificate: last?.certificate ?? undefined,
    constructorError: last?.constructorError ?? undefined,
    startFailures: info.startFailures,
    startFailingMs: info.startFailingMs,
    lostStartNodeIds: info.lostStartNodeIds,
    gpuIds: info.gpuIds,
    bundle: info.bundle ?? undefined,
    createdAtMs: info.createdAtMs,
  };
}
