// For users of the runtime.
export { type HeadConfig, type HeadConfigInput, headConfigSchema } from "./config.js";
export { Head, type HeadCloseOptions, type HeadDeps, type HeadEnd, type Standby } from "./head.js";

// For other packages.
export { type HeadAddress, headAddressPathOf, readHeadAddress, tokenPathOf } from "./head-files.js";
