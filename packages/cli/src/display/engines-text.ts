import type { EnginePlan } from "@palimpsest/trainer";

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Describes a run's engines for a dry run: name and text of each line. */
export function enginesText(plan: EnginePlan): (readonly [name: string, text: string])[] {
  const { kind, count, started, cpus, gpus, load, versionBytes, weightsDir } = plan;
  const leased = [counted(cpus, "CPU"), ...(gpus > 0 ? [counted(gpus, "GPU")] : [])].join(" and ");
  const each = count === 1 ? "" : " each";
  const lease = started
    ? `started by the run with the resources that its rollout actor leases: ${leased}${each}`
    : `already running, in addition to a rollout actor${each} that leases ${leased}`;
  const how =
    load === "restart" ? "the server is restarted with them" : "the server reads them while it runs";
  return [
    ["engines", `${count} of kind ${kind}, ${lease}`],
    ...plan.found.map(({ name, said }) => ["", `${name} ${said}`] as const),
    [
      "new weights",
      `after every update ${gib(versionBytes)} is written to ${weightsDir}${count === 1 ? "" : " for each engine"}, and ${how}; at most two versions are kept${started ? ", in addition to the output of prepare" : ""}`,
    ],
  ];
}
