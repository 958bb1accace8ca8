/** Planted bugs of durable actors, light actors and meshes; see planted-bugs.ts. */
import { headService, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { HeadClient } from "../../packages/runtime/client/src/base/head-client.js";
import type { DurableStates } from "../../packages/runtime/head/src/store/durable-states.js";
import { MessageBug, type PlantedBug } from "./planted-bugs.js";
import type { Arrival } from "./world/connection.js";
import { Plant } from "./world/plant.js";
import { kindsOf } from "./world/settings.js";
import type { World } from "./world/world.js";

type CallBatch = proto.CallBatch.$Properties;
type Commit = proto.CommitDurableRequest.$Properties;

/** A head that commits something other than what it was asked to commit. */
function commitBug(change: (commit: Commit) => Commit): () => Plant {
  return () => new MessageBug("Head.CommitDurable", true, (body: Commit) => change(body));
}

/** A process of a durable actor that does not wait for its commits. */
class EarlyBug extends Plant {
  override durableHead(head: HeadClient): HeadClient {
    const early = Object.create(head) as HeadClient;
    early.call = async (method, request, options) => {
      if ((method as unknown) !== headService.commitDurable) return head.call(method, request, options);
      void head.call(method, request, options).catch(() => undefined);
      return {} as never;
    };
    return early;
  }
}

/** A head that does not distinguish an unavailable Redis from one that refuses. */
class AwayBug extends Plant {
  override durableStates(states: DurableStates): DurableStates {
    const unknown = (reason: unknown) => {
      const error = PalimpsestError.from(reason);
      throw error.code === "UNAVAILABLE" ? new PalimpsestError("INTERNAL", error.rawMessage) : error;
    };
    const [open, commit] = [states.open.bind(states), states.commit.bind(states)];
    states.open = (...given) => open(...given).catch(unknown);
    states.commit = (...given) => commit(...given).catch(unknown);
    return states;
  }
}

/** Nodes that consider any process of light actors responsive. */
class PingBug extends Plant {
  override readonly answersAlways: boolean = true;
}

/** Processes of light actors that now and then hand a call to the wrong actor among them. */
class ToBug extends Plant {
  #world: World | undefined;

  override begin(world: World): void {
    this.#world = world;
  }

  override arrival({ method, toServer, body, to }: Arrival): unknown {
    const world = this.#world;
    if (world === undefined || method !== "ActorHost.SharedCalls" || !toServer) return body;
    const here = [...world.workers].filter(({ process, serving }) => process === to && serving);
    for (const { call } of (body as CallBatch).frames ?? []) {
      const other = here.find(({ actorId }) => actorId !== call?.to?.actorId);
      if (call && other && world.random.chance(0.1))
        call.to = { actorId: other.actorId, incarnation: other.incarnation };
    }
    return body;
  }
}

/** Changes the outcomes of the members in a mesh call. */
function meshBug(
  change: (members: readonly proto.MeshMember.$Properties[]) => proto.MeshMember.$Properties[],
): () => Plant {
  return () =>
    new MessageBug("ActorHost.MeshCalls", true, (body: CallBatch) => {
      for (const { meshCall } of body.frames ?? [])
        if (meshCall) meshCall.members = change(meshCall.members ?? []);
      return body;
    });
}

/** Changes what a node reports about the end of an actor whose shared process was ended by another one. */
function bystanderBug(change: (certificate: proto.DeathCertificate.$Properties) => void): () => Plant {
  return () =>
    new MessageBug("NodeLink.Link", true, (body: proto.NodeMessage.$Properties) => {
      const { certificate } = body.actorDied ?? {};
      if (certificate?.bystander) change(certificate);
      return body;
    });
}

const bugs: readonly Omit<PlantedBug, "settings">[] = [
  {
    name: "a durable actor answers before its commit is in the store",
    breaks: "DURABLE-3, COMMITS-1",
    make: () => new EarlyBug(),
  },
  {
    name: "a Redis that is away ends the processes of durable actors",
    breaks: "DURABLE-5",
    make: () => new AwayBug(),
  },
  {
    name: "replies of durable actors are not committed",
    breaks: "DURABLEACTOR-3",
    make: commitBug((commit) => ({
      ...commit,
      set: commit.set?.filter(({ name }) => !name?.startsWith("r:")) ?? [],
    })),
  },
  {
    name: "timers of durable actors are not committed",
    breaks: "DURABLEACTOR-4",
    make: commitBug((commit) => ({
      ...commit,
      set: commit.set?.filter(({ name }) => !name?.startsWith("t:")) ?? [],
    })),
  },
  {
    name: "that a timer has fired is not committed with what it did",
    breaks: "DURABLEACTOR-3, DURABLEACTOR-4",
    make: commitBug((commit) => ({
      ...commit,
      remove: commit.remove?.filter((name) => !name.startsWith("t:")) ?? [],
    })),
  },
  {
    name: "an actor whose process another one ended loses a restart",
    breaks: "ACTOR-9",
    make: bystanderBug((certificate) => {
      certificate.bystander = false;
    }),
  },
  {
    name: "an actor whose process another one ended does not come back",
    breaks: "ACTOR-9",
    make: bystanderBug((certificate) => {
      certificate.exited = true;
    }),
  },
  {
    name: "a process of light actors that answers nothing lives on",
    breaks: "SHAREDPROCESS-2",
    make: () => new PingBug(),
  },
  {
    name: "a process of light actors gives a call to another one of them",
    breaks: "ADDRESSEE",
    make: () => new ToBug(),
  },
  {
    name: "a member of a mesh is called twice",
    breaks: "MESH-2",
    make: meshBug((members) => members.map((one, at) => (at === 1 ? (members[0] ?? one) : one))),
  },
  {
    name: "a member of a mesh is left out",
    breaks: "MESH-1",
    make: meshBug((members) => (members.length > 1 ? members.slice(0, -1) : [...members])),
  },
  {
    name: "members of a mesh have each other's outcome",
    breaks: "MESH-1",
    make: meshBug((members) => [...members].reverse()),
  },
];

export const plantedKindBugs: readonly PlantedBug[] = bugs.map((bug) => ({ ...bug, settings: kindsOf }));
