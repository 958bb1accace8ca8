import { PalimpsestError } from "../base/error.js";
import type { Network } from "../network/network.js";

const text = process.env["PALIMPSEST_FAULTS"];
let modules: (typeof import("./fault-plan.js") & typeof import("./faulty-network.js")) | undefined;

/**
 * Resolves when networks can be made; undefined if no faults are requested. The modules are loaded only when they are,
 * because actor processes start faster without zod, and not by an await of this module, because programs in CommonJS
 * could not require() it.
 */
export const faultsLoaded: Promise<void> | undefined = text ? load() : undefined;

async function load(): Promise<void> {
  modules = { ...(await import("./fault-plan.js")), ...(await import("./faulty-network.js")) };
}

let said = false;

/**
 * Applies the faults that PALIMPSEST_FAULTS of this process describes. Without the variable the network is returned
 * unchanged.
 * @throws {PalimpsestError} CONFIG_INVALID naming the field; INTERNAL before `faultsLoaded` has resolved
 */
export function withEnvironmentFaults(network: Network): Network {
  if (!text) return network;
  if (modules === undefined) throw new PalimpsestError("INTERNAL", "a network was made before faultsLoaded");
  const plan = modules.parseFaultPlan(text);
  if (!said) {
    said = true;
    const rules = plan.rules.map((rule) => `${rule.probability} of ${rule.method} ${rule.when}`).join(", ");
    process.emitWarning(`PALIMPSEST_FAULTS is set: this process fails ${rules} (seed ${plan.seed})`);
  }
  return modules.faultyNetwork(network, plan);
}
