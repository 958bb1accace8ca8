/** Shows every actor, filtered by words. */
import { useComputed, useSignal } from "@preact/signals";
import type { ActorRow } from "../../../src/api/cluster.js";
import { linkTo } from "../data/route.js";
import { FilterWords } from "../parts/filter-field.js";
import { amountText, shortId } from "../parts/format.js";
import { State } from "../parts/state.js";
import { VirtualList } from "../parts/virtual-list.js";

export function ActorList({ actors }: { readonly actors: readonly ActorRow[] }) {
  const words = useSignal("");
  const given = useSignal(actors);
  given.value = actors;
  const rows = useComputed(() => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return given.value;
    return given.value.filter((actor) => {
      const text = `${actor.actorId} ${actor.name} ${actor.role} ${actor.state} ${actor.jobId} ${actor.reason} ${actor.pid}`;
      return wanted.every((word) => text.toLowerCase().includes(word));
    });
  });
  return (
    <>
      <p class="tools">
        <FilterWords label="Filter actors" hint="role, name, state, job, pid …" words={words} />
        <span class="dim">
          {rows.value.length} of {actors.length}
        </span>
      </p>
      <VirtualList
        label="Actors"
        rows={rows.value}
        idOf={(actor) => actor.actorId}
        empty={actors.length === 0 ? "The cluster has no actors." : "No actor matches the filter."}
        columns={[
          { title: "role", width: 90, grow: 1, cell: ({ role }) => role },
          { title: "name", width: 80, grow: 1, cell: ({ name }) => name || "–" },
          { title: "state", width: 90, cell: ({ state }) => <State of={state} /> },
          { title: "pid", width: 80, cell: ({ pid }) => pid || "–" },
          { title: "restarts", width: 75, cell: ({ restarts }) => restarts },
          {
            title: "takes",
            width: 90,
            grow: 1,
            cell: ({ resources, gpuIds }) =>
              Object.entries(resources)
                .map(([name, amount]) => `${amountText(name, amount)} ${name}`)
                .join(", ") + (gpuIds.length > 0 ? ` (gpu ${gpuIds.join(", ")})` : ""),
          },
          {
            title: "job",
            width: 90,
            grow: 1,
            cell: ({ jobId }) => (jobId ? <a href={linkTo(["jobs", jobId])}>{shortId(jobId)}</a> : "–"),
          },
          { title: "id", width: 110, grow: 1, cell: ({ actorId }) => <code>{actorId}</code> },
          { title: "reason", width: 120, grow: 3, cell: ({ reason }) => reason },
        ]}
      />
    </>
  );
}
