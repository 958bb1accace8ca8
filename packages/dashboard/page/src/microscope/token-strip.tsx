/** What was sampled, token by token, each colored by how likely it was. */
import type { TraceConversation } from "@palimpsest/evals/trace-schema";
import { numberText } from "../parts/format.js";

const mostShown = 4_000;

export function TokenStrip({ conversation }: { readonly conversation: TraceConversation }) {
  const { sampledTokenIds, rolloutLogprobs } = conversation;
  if (sampledTokenIds === undefined || rolloutLogprobs === undefined) return null;
  return (
    <details>
      <summary>Tokens with their log-probs ({sampledTokenIds.length})</summary>
      <p class="dim small">
        A token's id, its shade by the probability that the sampler gave it: dark is unlikely.
      </p>
      <p class="tokens">
        {sampledTokenIds.slice(0, mostShown).map((id, at) => {
          const logprob = rolloutLogprobs[at] ?? null;
          const doubt = logprob === null ? 0 : 1 - Math.exp(logprob);
          const text = logprob === null ? "log-prob not told" : `log-prob ${numberText(logprob)}`;
          return (
            <span
              key={at}
              title={`token ${at}: id ${id}, ${text}`}
              style={{ background: `color-mix(in srgb, var(--bad) ${Math.round(45 * doubt)}%, transparent)` }}
            >
              {id}
            </span>
          );
        })}
      </p>
    </details>
  );
}
