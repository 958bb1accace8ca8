/** Orders actors for people: those that live come first, then failures, and what ended as it was asked to last. */
import type { ActorRow } from "../api/cluster.js";

type Ended = Pick<ActorRow, "state" | "asked">;

/** An actor whose end was asked for is "ended", which needs nobody's attention; any other dead one is "dead". */
export function shownState({ state, asked }: Ended): ActorRow["state"] | "ended" {
  return state === "dead" && asked ? "ended" : state;
}

const ranks: Readonly<Record<ReturnType<typeof shownState>, number>> = {
  alive: 0,
  restarting: 1,
  starting: 1,
  pending: 1,
  unknown: 2,
  dead: 3,
  ended: 4,
};

/** Within a rank the newest come first: by their end, else by their creation. */
export function orderedActors<Row extends Ended & Pick<ActorRow, "endedAtMs" | "createdAtMs">>(
  rows: readonly Row[],
): Row[] {
  const rank = (row: Row) => ranks[shownState(row)];
  return [...rows].sort(
    (a, b) => rank(a) - rank(b) || b.endedAtMs - a.endedAtMs || b.createdAtMs - a.createdAtMs,
  );
}
