import type { Network } from "../network.js";

const text = process.env["PALIMPSEST_FAULTS"];
// This module is loaded only when faults are requested, because actor processes start faster without zod.
const modules = text
  ? { ...(await import("./fault-plan.js")), ...(await import("./faulty-network.js")) }
  : undefined;

let said = false;

/**
 * Applies the faults that PALIMPSEST_FAULTS of this process describes. Without the variable the network is returned
 * unchanged.
 * @throws {PalimpsestError} CONFIG_INVALID naming the field
 */
export function withEnvironmentFaults(network: Network): Network {
  if (!text || modules === undefined) return network;
  const plan = modules.parseFaultPlan(text);
  if (!said) {
    said = true;
    const rules = plan.rules.map((rule) => `${rule.probability} of ${rule.method} ${rule.when}`).join(", ");
    process.emitWarning(`PALIMPSEST_FAULTS is set: this process fails ${rules} (seed ${plan.seed})`);
  }
  return modules.faultyNetwork(network, plan);
}
