import { PalimpsestError } from "@palimpsest/wire";

/** Flags that only a server's model has. */
interface EndpointFlags {
  readonly endpoint?: string | undefined;
  readonly tokenizer?: string | undefined;
  readonly attempts?: number | undefined;
  readonly timeout?: number | undefined;
}

/** Refuses flags that would be ignored without a server. @throws {PalimpsestError} INVALID_ARGUMENT */
export function refuseWithoutEndpoint({ endpoint, ...flags }: EndpointFlags): void {
  if (endpoint !== undefined) return;
  for (const name of ["tokenizer", "attempts", "timeout"] as const)
    if (flags[name] !== undefined)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `--${name} ${flags[name]}: concerns a server's model: name its --endpoint, or leave --${name} out`,
      );
}
