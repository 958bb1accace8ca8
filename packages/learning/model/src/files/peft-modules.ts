/** The fields of adapter_config.json that say which modules have adapters. */
export interface PeftModules {
  /** A regular expression of whole names; a list of names or ends of names; or all-linear. */
  readonly target_modules: string | readonly string[];
  readonly exclude_modules?: string | readonly string[] | null | undefined;
  readonly layers_to_transform?: number | readonly number[] | null | undefined;
  readonly layers_pattern?: string | readonly string[] | null | undefined;
}

/**
 * Returns PEFT's rule for which modules have adapters, given their names in the base model.
 * @param refuse throws because a field cannot be read
 */
export function peftModules(
  peft: PeftModules,
  refuse: (field: keyof PeftModules, why: string) => never,
): (module: string) => boolean {
  const { target_modules: targets, exclude_modules: excluded, layers_to_transform: only } = peft;
  const isTarget =
    targets === "all-linear"
      ? (module: string) => module !== "lm_head" && module !== "model.embed_tokens"
      : matcher("target_modules", targets, refuse);
  const isExcluded = excluded ? matcher("exclude_modules", excluded, refuse) : () => false;
  const layers = only === null || only === undefined ? undefined : [only].flat();
  if (layers === undefined) return (module) => isTarget(module) && !isExcluded(module);
  if (typeof targets === "string") refuse("layers_to_transform", "it needs a list of target_modules");
  const named = [peft.layers_pattern ?? []].flat();
  const patterns = (named.length === 0 ? ["[^.]*"] : named).map((pattern) =>
    compiled("layers_pattern", `.*\\.${pattern}\\.(\\d+)\\..*`, refuse),
  );
  return (module) => {
    if (!isTarget(module) || isExcluded(module)) return false;
    const found = patterns.map((pattern) => pattern.exec(module)?.[1]).find((layer) => layer !== undefined);
    return found !== undefined && layers.includes(Number(found));
  };
}

type Refuse = (field: keyof PeftModules, why: string) => never;

function matcher(
  field: keyof PeftModules,
  names: string | readonly string[],
  refuse: Refuse,
): (module: string) => boolean {
  if (typeof names !== "string")
    return (module) => names.some((name) => module === name || module.endsWith(`.${name}`));
  const pattern = compiled(field, names, refuse);
  return (module) => pattern.test(module);
}

/** Compiles a regular expression of Python for whole names. */
function compiled(field: keyof PeftModules, pattern: string, refuse: Refuse): RegExp {
  try {
    return new RegExp(`^(?:${pattern.replaceAll("(?P<", "(?<")})$`);
  } catch (error) {
    return refuse(field, `it is no regular expression that can be read here (${String(error)})`);
  }
}
