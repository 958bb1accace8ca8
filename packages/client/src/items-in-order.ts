/**
 * Returns an iterator over what `next` gives. Its reads are queued, as those of an async generator: a reader that asks
 * ahead gets the items in the order of its requests. After the loop was left, reads that fail end the iteration.
 * @param leave called when the reader leaves the loop early
 */
export function itemsInOrder(
  next: () => Promise<IteratorResult<unknown>>,
  leave: () => void,
): AsyncIterableIterator<unknown> {
  let isLeft = false;
  let before: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<IteratorResult<unknown>> => {
    try {
      return await next();
    } catch (reason) {
      if (isLeft) return { done: true, value: undefined };
      throw reason;
    }
  };
  const iterator: AsyncIterableIterator<unknown> = {
    next: () => {
      const mine = before.then(read);
      before = mine.catch(() => undefined);
      return mine;
    },
    return: () => {
      isLeft = true;
      leave();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
