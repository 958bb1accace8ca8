/** Planted bugs of values and references; see planted-bugs.ts. */
import type * as proto from "@palimpsest/wire/protocol";
import type { PlantedBug } from "./planted-bugs.js";
import type { Arrival } from "./world/connection.js";
import { Plant } from "./world/plant.js";
import { valuesOf } from "./world/settings.js";

type Order = proto.ObjectOrder.$Properties;

/** Nodes that carry out different orders than programs gave. */
class OrderBug extends Plant {
  readonly #change: (order: Order) => Order;

  constructor(change: (order: Order) => Order) {
    super();
    this.#change = change;
  }

  override arrival({ method, toServer, body }: Arrival): unknown {
    if (method !== "Objects.Link" || !toServer) return body;
    const { orders } = body as proto.ObjectOrders.$Properties;
    return { orders: (orders ?? []).map(this.#change) };
  }
}

/** Workers that give a recomputed result a different name than the lost one had. */
class NameBug extends Plant {
  override arrival({ method, toServer, body }: Arrival): unknown {
    if (method !== "ActorHost.Calls" || !toServer) return body;
    for (const { call } of (body as proto.CallBatch.$Properties).frames ?? [])
      if (call?.resultObjectId?.length) call.resultObjectId = Buffer.from(call.resultObjectId).reverse();
    return body;
  }
}

export const plantedValueBugs: readonly PlantedBug[] = [
  {
    name: "a node does not hold what a program says that it has received",
    breaks: "REF-1, CALLVALUES-1",
    make: () => new OrderBug((order) => (order.hold ? { ...order, hold: { objectIds: [] } } : order)),
    settings: valuesOf,
  },
  {
    name: "a node does not hear what a program lets go of",
    breaks: "REF-2",
    make: () => new OrderBug((order) => (order.release ? { ...order, release: { objectIds: [] } } : order)),
    settings: valuesOf,
  },
  {
    name: "what is computed again has another name",
    breaks: "LINEAGE-2",
    make: () => new NameBug(),
    settings: valuesOf,
  },
];
