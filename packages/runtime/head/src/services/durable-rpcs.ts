import { headService, incarnationName, PalimpsestError } from "@palimpsest/wire";
import type { Recovery } from "../rules/recovery.js";
import type { DurableStates } from "../store/durable-states.js";
import { type Actor, fullNameOf, namespaceOf } from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";
import type { HeadHandlers } from "./head-handlers.js";
import type { Rpc } from "./rpc.js";

/** The maximum size in bytes of the fields of one commit. */
const maxCommitBytes = 16 * 1024 * 1024;

/** Returns the RPCs of service Head for the states of durable actors. */
export function createDurableRpcs(deps: {
  readonly rpc: Rpc;
  readonly actors: Pick<ActorTable, "get">;
  readonly recovery: Recovery;
  readonly durableStates?: DurableStates | undefined;
}): HeadHandlers<"openDurable" | "commitDurable" | "removeDurable"> {
  const { rpc, actors, recovery } = deps;
  const states = () => {
    if (deps.durableStates) return deps.durableStates;
    throw new PalimpsestError("UNAVAILABLE", "this head does not store states of actors");
  };
  const durable = (actorId: string): Actor => {
    const actor = actors.get(actorId);
    if (actor?.spec.durable && actor.state !== "DEAD") return actor;
    throw new PalimpsestError("NOT_FOUND", `${actorId} is not a durable actor that is alive`);
  };
  return {
    openDurable: rpc.unary(headService.openDurable, async (request, context) => {
      await recovery.find({ actorId: request.actorId ?? "" }, context);
      const { spec, incarnation } = durable(request.actorId ?? "");
      if (request.incarnation !== incarnation)
        throw new PalimpsestError(
          "ACTOR_DIED",
          `incarnation ${request.incarnation} of ${spec.actorId} is not the current one, ${incarnation}`,
        );
      const record = await states().open(
        spec.namespace,
        spec.name,
        incarnationName({ actorId: spec.actorId, incarnation }),
      );
      return { ...record, fields: [...record.fields] };
    }),
    commitDurable: rpc.unary(headService.commitDurable, async (request, context) => {
      await recovery.find({ actorId: request.actorId ?? "" }, context);
      const { spec } = durable(request.actorId ?? "");
      const set = (request.set ?? []).map(({ name, value }) => ({
        name: name ?? "",
        value: value ?? new Uint8Array(),
      }));
      const remove = request.remove ?? [];
      if ([...set.map(({ name }) => name), ...remove].some((name) => name === "" || name.startsWith("!")))
        throw new PalimpsestError("INVALID_ARGUMENT", 'a field has an empty name, or one with "!"');
      const bytes = set.reduce((sum, { value }) => sum + value.byteLength, 0);
      if (bytes > maxCommitBytes)
        throw new PalimpsestError(
          "LIMIT_EXCEEDED",
          `the commit of ${spec.name} takes ${bytes} bytes, more than ${maxCommitBytes}: store large parts as objects`,
        );
      const { epoch, version } = request;
      await states().commit(spec.namespace, spec.name, {
        ...{ set, remove },
        epoch: epoch ?? 0,
        version: version ?? 0,
      });
      return {};
    }),
    removeDurable: rpc.unary(headService.removeDurable, async (request, context) => {
      const [name, namespace] = [request.name ?? "", namespaceOf(request.namespace)];
      const holder = await recovery.find({ name: fullNameOf({ name, namespace }) }, context);
      if (holder !== undefined && holder.state !== "DEAD")
        throw new PalimpsestError(
          "ALREADY_EXISTS",
          `actor ${holder.spec.actorId} has the name ${name} and is alive: kill it before you remove its state`,
        );
      return { removed: await states().remove(namespace, name) };
    }),
  };
}
