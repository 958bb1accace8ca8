// These exports are for other packages.
export { ActorHost } from "./actor-host.js";
export { Mailbox } from "./mailbox.js";
