/**
 * Name of the trained agent of the installation, usable as a model argument. It is in a file of its own because help
 * texts load no model code.
 */
export const shippedAgentName = "smollm2-memagent";
/** The base model of its adapters. */
export const shippedAgentBase = "smollm2-135m-instruct";
