/** Shows what learners and samplers did in the seconds of a profile, each as one bar. */
import type { ProcessPhases } from "../../../src/api/profiles.js";
import { linkTo } from "../data/route.js";
import { session } from "../data/session.js";
import { durationText, percentText } from "../parts/format.js";

export function PhaseBars({ phases }: { readonly phases: readonly ProcessPhases[] }) {
  return (
    <ul class="plain phase-bars">
      {phases.map((process) => (
        <PhaseBar key={process.actorId} process={process} />
      ))}
    </ul>
  );
}

function PhaseBar({ process: { role, actorId, seconds, phases } }: { readonly process: ProcessPhases }) {
  const isOfCluster = typeof session.value === "object" && session.value.source === "cluster";
  const all = phases.reduce((sum, phase) => sum + phase.seconds, 0);
  const shown = phases
    .filter((phase) => phase.seconds > 0)
    .sort((a, b) => Number(a.name === "idle") - Number(b.name === "idle") || b.seconds - a.seconds);
  const busy = shown.reduce((sum, phase) => sum + (phase.name === "idle" ? 0 : phase.seconds), 0);
  const share = (amount: number) => percentText(all > 0 ? (100 * amount) / all : 0);
  return (
    <li data-phases={role}>
      <p>
        <b>{role}</b> {isOfCluster ? <a href={linkTo(["cluster", "actor", actorId])}>{actorId}</a> : actorId}
        <span class="dim small">
          {" "}
          {share(busy)} of {durationText(seconds * 1000)}
        </span>
      </p>
      <div class="phase-bar" aria-hidden="true">
        {shown.map((phase) => (
          <i
            key={phase.name}
            class={`part-${phase.name}`}
            style={{ width: `${all > 0 ? (100 * phase.seconds) / all : 0}%` }}
          />
        ))}
      </div>
      <ul class="parts small">
        {shown.map((phase) => (
          <li key={phase.name} data-phase={phase.name}>
            <i class={`part-${phase.name}`} /> {phase.name} {durationText(phase.seconds * 1000)},{" "}
            {share(phase.seconds)}
          </li>
        ))}
      </ul>
    </li>
  );
}
