/** Shows every actor, the living first, filtered by words. The address keeps filter and order. */
import { useMemo } from "preact/hooks";
import { orderedActors, shownState } from "../../../src/analysis/actor-order.js";
import type { ActorRow, Use } from "../../../src/api/cluster.js";
import { goTo, linkTo, place, withQuery } from "../data/route.js";
import { FilterField } from "../parts/filter-field.js";
import { amountText, bytesText, percentText } from "../parts/format.js";
import { State } from "../parts/state.js";
import { VirtualList } from "../parts/virtual-list.js";

const actorLink = (actorId: string) => linkTo(["cluster", "actor", actorId]);

/** Formats what an actor leases, such as "1 cpu, 2 gpu (0, 1)". */
export function leasedText({ resources, gpuIds }: Pick<ActorRow, "resources" | "gpuIds">): string {
  const amounts = Object.entries(resources).map(([name, amount]) => `${amountText(name, amount)} ${name}`);
  return amounts.join(", ") + (gpuIds.length > 0 ? ` (gpu ${gpuIds.join(", ")})` : "");
}

export function ActorList({ actors, use }: { readonly actors: readonly ActorRow[]; readonly use: Use }) {
  const { query } = place.value;
  const words = query.get("q") ?? "";
  const sort = query.get("sort") ?? "";
  const rows = useMemo(() => {
    const ordered = orderedActors(actors);
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return ordered;
    return ordered.filter((actor) => {
      const text = `${actor.actorId} ${actor.name} ${actor.role} ${shownState(actor)} ${actor.jobId} ${actor.reason} ${actor.pid}`;
      return wanted.every((word) => text.toLowerCase().includes(word));
    });
  }, [actors, words]);
  const set = (values: Readonly<Record<string, string>>) => goTo(withQuery(values), { replace: true });
  const used = (actor: ActorRow, at: 0 | 1) =>
    actor.state === "alive" ? use.processes[actor.actorId]?.[at] : undefined;
  const usedText = (value: number | undefined, text: (value: number) => string) =>
    value === undefined ? "–" : text(value);
  // Columns that would be empty leave their room to the others.
  const hasJobs = actors.some(({ jobId }) => jobId !== "");
  const hasLeases = actors.some((actor) => leasedText(actor) !== "");
  return (
    <>
      <p class="tools">
        <FilterField
          label="Filter actors"
          hint="role, name, state, job, pid …"
          value={words}
          onText={(q) => set({ q })}
        />
        <span class="dim">
          {rows.length} of {actors.length}
        </span>
      </p>
      <VirtualList
        label="Actors"
        rows={rows}
        idOf={(actor) => actor.actorId}
        onChoose={(actor) => goTo(actorLink(actor.actorId))}
        empty={actors.length === 0 ? "The cluster has no actors." : "No actor matches the filter."}
        sorting={{ by: sort, onSort: (by) => set({ sort: by }) }}
        columns={[
          {
            title: "role",
            width: 110,
            grow: 1,
            by: ({ role }) => role,
            cell: ({ role, actorId }) => <a href={actorLink(actorId)}>{role}</a>,
          },
          {
            title: "name",
            width: 80,
            grow: 1,
            by: ({ name }) => name || undefined,
            cell: ({ name }) => name || "–",
          },
          { title: "state", width: 95, by: shownState, cell: (actor) => <State of={shownState(actor)} /> },
          {
            title: "cpu",
            width: 60,
            by: (actor) => used(actor, 0),
            cell: (actor) => usedText(used(actor, 0), percentText),
          },
          {
            title: "memory",
            width: 80,
            by: (actor) => used(actor, 1),
            cell: (actor) => usedText(used(actor, 1), bytesText),
          },
          { title: "restarts", width: 70, by: ({ restarts }) => restarts, cell: ({ restarts }) => restarts },
          ...(hasLeases
            ? [{ title: "leased", width: 80, grow: 0.5, cell: (actor: ActorRow) => leasedText(actor) || "–" }]
            : []),
          { title: "pid", width: 60, by: ({ pid }) => pid || undefined, cell: ({ pid }) => pid || "–" },
          ...(hasJobs
            ? [
                {
                  title: "job",
                  width: 135,
                  by: ({ jobId }: ActorRow) => jobId || undefined,
                  cell: ({ jobId }: ActorRow) =>
                    jobId ? <a href={linkTo(["jobs", jobId])}>{jobId}</a> : "–",
                },
              ]
            : []),
          { title: "id", width: 165, cell: ({ actorId }) => <code>{actorId}</code> },
          {
            title: "why",
            width: 140,
            grow: 3,
            cell: ({ reason, asked }) => <span class={asked ? "dim" : ""}>{reason}</span>,
          },
        ]}
      />
    </>
  );
}
