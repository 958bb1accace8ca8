import { PalimpsestError } from "@palimpsest/wire";

/** The states of `--state a,b`. @throws {PalimpsestError} INVALID_ARGUMENT that lists the known ones */
export function statesOf<State extends string>(
  text: string | undefined,
  known: readonly State[],
  flag = "--state",
): State[] {
  return (text?.split(",") ?? []).map((part) => {
    const state = known.find((name) => name === part.trim());
    if (state !== undefined) return state;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${flag}: ${JSON.stringify(part)} is none of ${known.join(", ")}`,
    );
  });
}
