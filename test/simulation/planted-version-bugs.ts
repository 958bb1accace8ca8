/** Planted bugs of clusters of several versions; see planted-bugs.ts. */
import { protocolsOf } from "../../packages/runtime/wire/src/protocol/protocol-range.js";
import { meetCaller } from "../../packages/runtime/wire/src/security/authorization.js";
import { MessageBug, type PlantedBug } from "./planted-bugs.js";
import { Plant } from "./world/plant.js";
import { versionsOf } from "./world/settings.js";

type Rows = Parameters<Plant["rows"]>[0];

/** A plant that changes how heads read and write rows. */
class RowBug extends Plant {
  readonly #change: (rows: Rows) => void;

  constructor(change: (rows: Rows) => void) {
    super();
    this.#change = change;
  }

  override rows(rows: Rows): Rows {
    this.#change(rows);
    return rows;
  }
}

/** A plant that changes which callers a server refuses. */
class MeetBug extends Plant {
  override readonly meet: Plant["meet"];

  constructor(meet: Plant["meet"]) {
    super();
    this.meet = meet;
  }
}

const isEmpty = (message: object) => Object.keys(message).every((key) => key.startsWith("$"));

export const plantedVersionBugs: readonly PlantedBug[] = [
  {
    name: "a head takes rows of a later version for its own",
    breaks: "ROWS-2",
    settings: versionsOf,
    make: () =>
      new RowBug((rows) => {
        rows.read = (_table, stored) => stored;
      }),
  },
  {
    name: "rows are written without their version",
    breaks: "ROWS-3",
    settings: versionsOf,
    make: () =>
      new RowBug((rows) => {
        rows.written = (write) => write;
      }),
  },
  {
    name: "a caller of any protocol is let in",
    breaks: "PROTOCOL-1",
    settings: versionsOf,
    make: () => new MeetBug(() => undefined),
  },
  {
    name: "a caller of another newest protocol is refused",
    breaks: "PROTOCOL-1",
    settings: versionsOf,
    make: () =>
      new MeetBug((path, header, own) => {
        const { max } = protocolsOf(header);
        meetCaller(path, `${max}-${max}`, { min: own.max, max: own.max });
      }),
  },
  {
    name: "an order that a node does not know is lost with its process",
    breaks: "PROTOCOL-2",
    settings: versionsOf,
    make: () =>
      new MessageBug("NodeLink.Link", false, (body, world, message) => {
        const node = isEmpty(body) && world.nodes.find(({ process }) => process === message.to);
        if (node) node.process.kill();
        return body;
      }),
  },
];
