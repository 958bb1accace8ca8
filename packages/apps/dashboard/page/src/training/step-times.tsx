/** Shows the parts of a run's last steps as bars, names the bottleneck, and suggests what to change. */
import { type StepNumbers, stepTime } from "../../../src/analysis/step-parts.js";
import type { Metrics } from "../../../src/api/runs.js";
import { goTo, linkTo, withQuery } from "../data/route.js";
import { durationText } from "../parts/format.js";
import { Card, WithCode } from "../parts/state.js";

const shown = 60;

function numbersAt({ series }: Metrics, at: number): StepNumbers {
  return Object.fromEntries(
    Object.entries(series).flatMap(([name, values]) => {
      const value = values[at];
      return typeof value === "number" ? [[name, value]] : [];
    }),
  );
}

export function StepTimes({ run, metrics, step }: StepTimesProps) {
  const { steps } = metrics;
  const found = steps.indexOf(step);
  const at = found >= 0 ? found : steps.length - 1;
  if (at < 0) return null;
  const time = stepTime(numbersAt(metrics, at));
  const first = Math.max(0, Math.min(at - shown / 2, steps.length - shown));
  const window = steps.slice(first, first + shown).map((one, index) => ({
    step: one,
    time: stepTime(numbersAt(metrics, first + index)),
  }));
  const longest = Math.max(...window.map((one) => one.time.totalSeconds), 1e-9);
  const { bottleneck, totalSeconds, parts, advice } = time;
  return (
    <Card title={`Where the time of a step goes · ${run}`}>
      <div class="step-bars" role="group" aria-label={`Steps of ${run}`}>
        {window.map((one) => (
          <button
            key={one.step}
            type="button"
            aria-label={`step ${one.step}: ${durationText(one.time.totalSeconds * 1000)}`}
            aria-pressed={one.step === steps[at]}
            title={`step ${one.step}`}
            onClick={() => goTo(withQuery({ step: String(one.step) }), { replace: true })}
          >
            {one.time.parts.map(({ name, seconds }) => (
              <i key={name} class={`part-${name}`} style={{ height: `${(100 * seconds) / longest}%` }} />
            ))}
          </button>
        ))}
      </div>
      <p>
        Step {steps[at]} took {durationText(totalSeconds * 1000)}.{" "}
        {bottleneck ? (
          <b data-bottleneck>
            The bottleneck is {bottleneck.name}: {Math.round((100 * bottleneck.seconds) / totalSeconds)} %.
          </b>
        ) : (
          "No phase stands out."
        )}{" "}
        <a href={linkTo(["runs", run], { step: String(steps[at]) })}>its episodes</a>
      </p>
      <ul class="parts">
        {parts.map(({ name, seconds }) => (
          <li key={name}>
            <i class={`part-${name}`} /> {name} {durationText(seconds * 1000)}
          </li>
        ))}
      </ul>
      <ul>
        {advice.map((text) => (
          <li key={text}>
            <WithCode text={text} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface StepTimesProps {
  readonly run: string;
  readonly metrics: Metrics;
  readonly step: number;
}
