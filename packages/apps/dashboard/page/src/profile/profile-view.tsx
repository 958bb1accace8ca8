/** Shows one profile: its flame graph, the phases beside it, and the functions that took most. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import {
  type CallTree,
  type FunctionCost,
  framesOf,
  functionCosts,
  mergedCalls,
  nameParts,
} from "../../../src/analysis/call-tree.js";
import type { Profile } from "../../../src/analysis/profile-file.js";
import { FilterField } from "../parts/filter-field.js";
import { bytesText, durationText, percentText, timeText } from "../parts/format.js";
import { Card } from "../parts/state.js";
import { VirtualList } from "../parts/virtual-list.js";
import { FlameGraph } from "./flame-graph.js";
import { PhaseBars } from "./phase-bars.js";

const mostRows = 500;

/** Which processes are shown: all as one, all side by side, or one by its index. */
type Shown = "merged" | "apart" | number;

export function ProfileView({ profile, title }: { readonly profile: Profile; readonly title: string }) {
  const { kind, processes, phases, problems, seconds, startedAtMs } = profile;
  const shown = useSignal<Shown>("merged");
  const search = useSignal("");
  const order = useSignal("");
  const amountText = kind === "heap" ? bytesText : durationText;
  const chosen = useMemo(
    () => (typeof shown.value === "number" ? processes.slice(shown.value, shown.value + 1) : processes),
    [processes, shown.value],
  );
  const frames = useMemo(() => framesOf(rootOf(chosen, shown.value)), [chosen, shown.value]);
  const costs = useMemo(() => functionCosts(chosen).slice(0, mostRows), [chosen]);
  const all = frames[0]?.total ?? 0;
  const share = (amount: number) => percentText(all > 0 ? (100 * amount) / all : 0);
  const what = kind === "heap" ? "allocated and in use" : "computed";
  return (
    <div data-profile={title}>
      <p>
        <b data-sum>
          {processes.length === 1 ? "1 process" : `${processes.length} processes`},{" "}
          {amountText(Math.round(all))} {what}
        </b>{" "}
        <span class="dim">
          {title}
          {seconds > 0 ? ` · ${seconds} s` : ""}
          {startedAtMs > 0 ? ` · ${timeText(startedAtMs)}` : ""}
        </span>
      </p>
      {problems.length > 0 ? (
        <details>
          <summary>without {problems.length}</summary>
          <ul>
            {problems.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      ) : null}
      <div class={phases.length > 0 ? "profile-parts" : ""}>
        <Card title="Flame graph">
          <p class="tools">
            {processes.length > 1 ? (
              <select
                aria-label="Processes"
                value={String(shown.value)}
                onChange={({ currentTarget: { value } }) => {
                  shown.value = value === "merged" || value === "apart" ? value : Number(value);
                }}
              >
                <option value="merged">all processes as one</option>
                <option value="apart">side by side</option>
                {processes.map((process, index) => (
                  <option key={`${process.title} ${process.pid}`} value={String(index)}>
                    {process.title}, pid {process.pid}
                  </option>
                ))}
              </select>
            ) : null}
            <FilterField
              label="Search functions"
              hint="function or file"
              value={search.value}
              onText={(text) => {
                search.value = text;
              }}
            />
          </p>
          <FlameGraph label={title} frames={frames} search={search.value} amountText={amountText} />
        </Card>
        {phases.length > 0 ? (
          <Card title="Phases">
            <PhaseBars phases={phases} />
          </Card>
        ) : null}
      </div>
      <Card title="Functions">
        <VirtualList
          label="Functions"
          rows={costs}
          idOf={({ name }) => name}
          rowHeight={30}
          empty="Nothing was sampled."
          onChoose={({ name }: FunctionCost) => {
            search.value = nameParts(name).title;
          }}
          sorting={{
            by: order.value,
            onSort: (by) => {
              order.value = by;
            },
          }}
          columns={[
            {
              title: "self",
              width: 80,
              cell: ({ self }) => amountText(rounded(self)),
              by: ({ self }) => self,
            },
            { title: "share", width: 60, cell: ({ self }) => share(self) },
            {
              title: "with calls",
              width: 90,
              cell: ({ total }) => amountText(rounded(total)),
              by: ({ total }) => total,
            },
            {
              title: "function",
              width: 200,
              grow: 1,
              cell: ({ name }) => <code>{nameParts(name).title}</code>,
            },
            { title: "place", width: 240, grow: 2, cell: ({ name }) => <Place name={name} /> },
          ]}
        />
      </Card>
    </div>
  );
}

/** Shows the end of a path, which distinguishes it; the whole is its title. */
function Place({ name }: { readonly name: string }) {
  const { url, line } = nameParts(name);
  if (url === "") return <span class="dim">native code</span>;
  const parts = url.split("/");
  return (
    <span title={`${url}:${line}`}>
      {parts.length > 3 ? `…/${parts.slice(-3).join("/")}` : url}:{line}
    </span>
  );
}

const rounded = (amount: number) => Math.round(amount * 10) / 10;

function rootOf(chosen: Profile["processes"], shown: Shown): CallTree {
  const [only] = chosen;
  if (shown === "apart")
    return {
      name: "all processes",
      self: 0,
      calls: chosen.map(({ title, pid, calls }) => ({ name: `${title}, pid ${pid}`, self: 0, calls })),
    };
  const name = chosen.length === 1 && only ? `${only.title}, pid ${only.pid}` : "all processes";
  return { name, self: 0, calls: mergedCalls(chosen.flatMap(({ calls }) => calls)) };
}
