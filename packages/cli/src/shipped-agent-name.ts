/** What the trained agent that comes along is called wherever a model is named: a name alone, for help texts load no model code. */
export const shippedAgentName = "smollm2-memagent";
