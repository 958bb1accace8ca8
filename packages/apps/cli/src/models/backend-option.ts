import { Option } from "commander";

const backendNames = ["auto", "tensorflow", "wasm", "cpu"] as const;
export type BackendChoice = (typeof backendNames)[number];

/** Creates the flag of commands that compute with a model in this process. */
export function backendOption(description = "backend of a local model"): Option {
  return new Option("--backend <name>", description).choices(backendNames).default("auto");
}
