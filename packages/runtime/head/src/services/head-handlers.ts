import type { headService, ServiceHandlers } from "@palimpsest/wire";

/** The handlers of the named RPCs of service Head. */
export type HeadHandlers<Name extends keyof typeof headService = keyof typeof headService> = Pick<
  ServiceHandlers<typeof headService>,
  Name
>;
