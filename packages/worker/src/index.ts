// These exports are for other packages.
export { ActorHost, type ActorHostOptions } from "./actor-host.js";
export { Mailbox, type MailboxEntry, type MailboxOptions } from "./mailbox.js";
