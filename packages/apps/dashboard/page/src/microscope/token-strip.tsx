/** Shows the sampled tokens one by one: how likely each was, and what the update did with it. */
import type { TraceConversation } from "@palimpsest/evals/trace-schema";
import { numberText } from "../parts/format.js";

const mostShown = 4_000;

export function TokenStrip({ conversation }: { readonly conversation: TraceConversation }) {
  const { sampledTokenIds, rolloutLogprobs, ratios, lossMask, clipped = [], advantage } = conversation;
  if (sampledTokenIds === undefined || rolloutLogprobs === undefined) return null;
  const cut = new Set(clipped);
  const masked = lossMask?.filter((trained) => trained === 0).length ?? 0;
  const facts = [
    ...(advantage === undefined ? [] : [`advantage ${numberText(advantage)}`]),
    ...(ratios === undefined ? [] : [`ratios ${rangeText(ratios)}`, `${cut.size} clipped`]),
    ...(masked === 0 ? [] : [`${masked} masked`]),
  ];
  return (
    <details>
      <summary>Tokens with their log-probs ({[sampledTokenIds.length, ...facts].join(", ")})</summary>
      <p class="dim small">
        Each token is shown by its id and shaded by the probability that the sampler gave it: dark is
        unlikely. A frame marks a clipped ratio; a token that is struck through is masked and not trained.
        Point at one for its numbers.
      </p>
      <p class="tokens">
        {sampledTokenIds.slice(0, mostShown).map((id, at) => {
          const logprob = rolloutLogprobs[at] ?? null;
          const doubt = logprob === null ? 0 : 1 - Math.exp(logprob);
          const ratio = ratios?.[at];
          const isMasked = lossMask?.[at] === 0;
          const text = [
            `token ${at}: id ${id}`,
            logprob === null ? "log-prob not recorded" : `log-prob ${numberText(logprob)}`,
            ...(ratio == null ? [] : [`ratio ${ratio.toFixed(4)}`]),
            ...(cut.has(at) ? ["clipped"] : []),
            ...(isMasked ? ["masked"] : []),
          ].join(", ");
          return (
            <span
              key={at}
              title={text}
              class={`${cut.has(at) ? "clipped" : ""} ${isMasked ? "masked" : ""}`}
              style={{ background: `color-mix(in srgb, var(--bad) ${Math.round(45 * doubt)}%, transparent)` }}
            >
              {id}
            </span>
          );
        })}
      </p>
      {sampledTokenIds.length > mostShown ? <p class="dim small">The first {mostShown} are shown.</p> : null}
    </details>
  );
}

function rangeText(ratios: readonly (number | null)[]): string {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const ratio of ratios) {
    if (ratio === null) continue;
    least = Math.min(least, ratio);
    most = Math.max(most, ratio);
  }
  return least > most ? "not recorded" : `${least.toFixed(3)} to ${most.toFixed(3)}`;
}
