/**
 * Shows the objects of the cluster: their sizes, the owners of references to them, their copies, and what is on disk.
 */
import { useComputed, useSignal } from "@preact/signals";
import { objectsSchema } from "../../../src/api/tasks.js";
import { getJson } from "../data/fetch.js";
import { usePoll } from "../data/poll.js";
import { linkTo } from "../data/route.js";
import { FilterWords } from "../parts/filter-field.js";
import { bytesText } from "../parts/format.js";
import { Loading, Problem } from "../parts/state.js";
import { VirtualList } from "../parts/virtual-list.js";

export function ObjectsPage() {
  const { now } = usePoll((signal) => getJson("/objects?limit=10000", objectsSchema, signal), 3_000);
  const words = useSignal("");
  const rows = useComputed(() => {
    const wanted = words.value.toLowerCase().trim();
    const all = [...(now.value.value?.rows ?? [])].sort((a, b) => b.sizeBytes - a.sizeBytes);
    return wanted === ""
      ? all
      : all.filter((row) =>
          [
            row.objectId,
            ...row.owners,
            ...row.holders,
            ...row.holdingNodes,
            ...row.copyNodes,
            row.spilledNodes.length > 0 ? "spilled" : "",
          ]
            .join(" ")
            .toLowerCase()
            .includes(wanted),
        );
  });
  const { value, error } = now.value;
  return (
    <>
      <h1>Objects</h1>
      <Problem text={error} />
      {value === undefined ? (
        <Loading />
      ) : (
        <>
          <p class="tools">
            <FilterWords label="Filter objects" hint="id, owner, node, spilled" words={words} />
            <span class="dim" data-found>
              {rows.value.length} of {value.total},{" "}
              {bytesText(rows.value.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}
            </span>
          </p>
          <VirtualList
            label="Objects"
            rows={rows.value}
            idOf={(row) => row.objectId}
            empty="The object store is empty."
            columns={[
              { title: "object", width: 200, grow: 3, cell: ({ objectId }) => <code>{objectId}</code> },
              { title: "size", width: 90, cell: ({ sizeBytes }) => bytesText(sizeBytes) },
              { title: "owner", width: 170, grow: 1, cell: ({ owners }) => <Programs ids={owners} /> },
              { title: "held by", width: 170, grow: 1, cell: ({ holders }) => <Programs ids={holders} /> },
              { title: "held on", width: 150, cell: ({ holdingNodes }) => holdingNodes.join(", ") || "–" },
              { title: "copies on", width: 150, cell: ({ copyNodes }) => copyNodes.join(", ") || "–" },
              { title: "on disk of", width: 150, cell: ({ spilledNodes }) => spilledNodes.join(", ") || "–" },
            ]}
          />
        </>
      )}
    </>
  );
}

/** Ids of programs. An actor or a job has a page. */
function Programs({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return <>–</>;
  return (
    <>
      {ids.map((id, at) => {
        // A holder may be one incarnation of an actor: "ACTOR.NUMBER".
        const target = id.startsWith("job-")
          ? ["jobs", id]
          : /^(actor|worker)-/.test(id)
            ? ["cluster", "actor", id.replace(/\.\d+$/, "")]
            : undefined;
        return (
          <span key={id}>
            {at > 0 ? ", " : ""}
            {target ? <a href={linkTo(target)}>{id}</a> : id}
          </span>
        );
      })}
    </>
  );
}
