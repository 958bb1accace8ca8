// These exports are for other packages.

export { Mailbox, type MailboxEntry, type MailboxOptions } from "./calls/mailbox.js";
export { ActorHost, type ActorHostOptions } from "./host/actor-host.js";
