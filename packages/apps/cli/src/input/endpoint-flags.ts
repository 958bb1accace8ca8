import { PalimpsestError } from "@palimpsest/wire";

/** Flags that only a server's model has, or only a local one. */
interface ModelFlags {
  readonly endpoint?: string | undefined;
  readonly tokenizer?: string | undefined;
  readonly attempts?: number | undefined;
  readonly timeout?: number | undefined;
  readonly backend?: string | undefined;
  readonly context?: number | undefined;
  readonly singleWeights?: string | undefined;
}

const ofServer = { tokenizer: "--tokenizer", attempts: "--attempts", timeout: "--timeout" } as const;
const ofLocal = { backend: "--backend", context: "--context", singleWeights: "--single-weights" } as const;

/** Refuses flags that would be ignored: those of a server's model without a server, and those of a local one with it. */
export function refuseIgnored({ endpoint, ...flags }: ModelFlags): void {
  const refuse = (flag: string, value: unknown, fix: string) => {
    throw new PalimpsestError("INVALID_ARGUMENT", `${flag} ${value}: concerns ${fix}, or leave ${flag} out`);
  };
  if (endpoint === undefined) {
    for (const name of ["tokenizer", "attempts", "timeout"] as const)
      if (flags[name] !== undefined)
        refuse(ofServer[name], flags[name], "a server's model: name its --endpoint");
    return;
  }
  for (const name of ["backend", "context", "singleWeights"] as const)
    if (flags[name] !== undefined && flags[name] !== "auto")
      refuse(ofLocal[name], flags[name], "a local model: leave --endpoint out");
}
