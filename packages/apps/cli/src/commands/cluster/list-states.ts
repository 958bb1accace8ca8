import { unknownValue } from "../../input/unknown-value.js";

/** Parses the states of `--state a,b`. @throws {PalimpsestError} INVALID_ARGUMENT listing the known states */
export function statesOf<State extends string>(
  text: string | undefined,
  known: readonly State[],
  flag = "--state",
): State[] {
  return (text?.split(",") ?? []).map((part) => {
    const state = known.find((name) => name === part.trim());
    if (state !== undefined) return state;
    throw unknownValue(flag, part, known);
  });
}
