import type { headService, ServiceHandlers } from "@palimpsest/wire";

/** The handlers of some RPCs of service Head, by their names. */
export type HeadHandlers<Name extends keyof typeof headService = keyof typeof headService> = Pick<
  ServiceHandlers<typeof headService>,
  Name
>;
