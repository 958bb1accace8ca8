/** Planted bugs of objects and their directory; see planted-bugs.ts. */
import type * as proto from "@palimpsest/wire/protocol";
import type { ControlPlane } from "../../packages/runtime/head/src/start/control-plane.js";
import type { ObjectStore } from "../../packages/runtime/node/src/objects/store/object-store.js";
import type { PlantedBug } from "./planted-bugs.js";
import type { Arrival } from "./world/connection.js";
import { Plant } from "./world/plant.js";

/** A plant that changes one node's store. */
export class ObjectStoreBug extends Plant {
  readonly #change: (store: ObjectStore) => void;

  constructor(change: (store: ObjectStore) => void) {
    super();
    this.#change = change;
  }

  override objectStore(store: ObjectStore): ObjectStore {
    this.#change(store);
    return store;
  }
}

/** A plant that changes a head's directory, or its knowledge of holders. */
class DirectoryBug extends Plant {
  readonly #change: (plane: ControlPlane) => void;

  constructor(change: (plane: ControlPlane) => void) {
    super();
    this.#change = change;
  }

  override plane(plane: ControlPlane): void {
    this.#change(plane);
  }
}

/** A plant that changes what a node reports, or what a head orders about its objects. */
export class ReportBug extends Plant {
  readonly #change: (body: proto.NodeMessage.$Properties & proto.HeadMessage.$Properties) => unknown;

  constructor(change: (body: proto.NodeMessage.$Properties & proto.HeadMessage.$Properties) => unknown) {
    super();
    this.#change = change;
  }

  override arrival({ method, body }: Arrival): unknown {
    return method === "NodeLink.Link" ? this.#change(body as never) : body;
  }
}

export const plantedObjectBugs: readonly PlantedBug[] = [
  {
    name: "what nodes tell anew after a registration is lost",
    breaks: "REPORT-2",
    make: () => {
      // Everything that follows a reset at the same moment belongs to it.
      let resets = 0;
      return new ReportBug((body) => {
        if (body.objectReport?.reset) resets++;
        return body.objectReport?.present?.length && resets > 3 && resets-- > 0 ? undefined : body;
      });
    },
  },
  {
    name: "an object that was removed is not reported gone",
    breaks: "REPORT-2, DIRECTORY-3",
    make: () =>
      new ReportBug((body) =>
        body.objectReport?.gone?.length ? { objectReport: { ...body.objectReport, gone: [] } } : body,
      ),
  },
  {
    name: "nodes are not told that holders ended",
    breaks: "HOLDER-1",
    make: () => new ReportBug((body) => (body.endedHolders ? undefined : body)),
  },
  {
    name: "an end of a holder is told once, and not again to who missed it",
    breaks: "HOLDER-1",
    make: () =>
      new DirectoryBug(({ objectHolders, nodes }) => {
        const reported = objectHolders.reported.bind(objectHolders);
        objectHolders.reported = (nodeId, holders) => {
          const { send } = nodes;
          nodes.send = () => false;
          reported(nodeId, holders);
          nodes.send = send;
        };
      }),
  },
  {
    name: "a holder that a head does not know has ended",
    breaks: "HOLDER-2",
    make: () =>
      new DirectoryBug((plane) => {
        const { sessions } = plane;
        const stateOf = sessions.stateOf.bind(sessions);
        sessions.stateOf = (sessionId) => {
          const state = stateOf(sessionId);
          return state === "unknown" ? "ended" : state;
        };
      }),
  },
  {
    name: "a directory calls itself complete before its nodes have told what they have",
    breaks: "DIRECTORY-2",
    make: () =>
      new DirectoryBug(({ objects }) => {
        const locate = objects.locate.bind(objects);
        objects.locate = async (...question) => ({ ...(await locate(...question)), complete: true });
      }),
  },
  {
    name: "a directory names nodes that are away",
    breaks: "DIRECTORY-1",
    make: () =>
      new DirectoryBug(({ objects, nodes }) => {
        const locate = objects.locate.bind(objects);
        objects.locate = async (...question) => {
          const answer = await locate(...question);
          const away = nodes.all().filter(({ state }) => state === "SUSPECT");
          return {
            ...answer,
            addresses: [...(answer.addresses ?? []), ...away.map(({ objectsAddress }) => objectsAddress)],
          };
        };
      }),
  },
  {
    name: "a free that some node could not be told counts as done",
    breaks: "DIRECTORY-6",
    make: () =>
      new DirectoryBug(({ objects }) => {
        const free = objects.free.bind(objects);
        objects.free = (...given) => {
          free(...given);
          return [];
        };
      }),
  },
  {
    name: "an order to free ends whatever is held when it arrives",
    breaks: "STORE-6, DIRECTORY-5",
    make: () =>
      new ReportBug((body) => {
        if (!body.dropObjects?.objects) return body;
        const objects = body.dropObjects.objects.map(({ sha256 }) => ({
          sha256,
          revision: Number.MAX_SAFE_INTEGER,
        }));
        return { dropObjects: { ...body.dropObjects, objects } };
      }),
  },
  {
    name: "the end of one holder frees what others hold",
    breaks: "STORE-3",
    make: () =>
      new ObjectStoreBug((store) => {
        store.release = (holder) => {
          if (!store.holders().includes(holder)) return;
          for (const { objectId } of [...store.places()]) store.drop({ objectId, holder: "" });
        };
      }),
  },
  {
    name: "a fetch for a holder keeps a copy only",
    breaks: "STORE-3",
    make: () =>
      new ObjectStoreBug((store) => {
        store.hold = () => undefined;
      }),
  },
  {
    name: "an upload that broke leaves its file behind",
    breaks: "WRITER-1",
    make: () =>
      new ObjectStoreBug((store) => {
        const create = store.create.bind(store);
        store.create = async (sizeBytes, holder) => {
          const writer = await create(sizeBytes, holder);
          writer.abort = async () => undefined;
          return writer;
        };
      }),
  },
];
