import { Semaphore } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";

/** A limit on the bytes of objects in flight. @throws {PalimpsestError} from `take`: LIMIT_EXCEEDED */
export class ByteBudget extends Semaphore {
  constructor(maxBytes: number, maxWaiting = 10_000) {
    const full = (waiting: number) =>
      new PalimpsestError(
        "LIMIT_EXCEEDED",
        `${waiting} transfers of objects wait on this node: retry later, or raise objectTransferBytes`,
      );
    super({ most: maxBytes, maxWaiting, full });
  }
}
