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
  let before: Promise<void> = Promise.resolve();
  // Nothing but the reader waits for the promise of a read, so that the stack of its error names the reader.
  const read = async (earlier: Promise<void>, done: () => void): Promise<IteratorResult<unknown>> => {
    try {
      await earlier;
      return await next();
    } catch (reason) {
      if (isLeft) return { done: true, value: undefined };
      throw reason;
    } finally {
      done();
    }
  };
  const iterator: AsyncIterableIterator<unknown> = {
    next: () => {
      const earlier = before;
      let done = () => {};
      before = new Promise((resolve) => {
        done = resolve;
      });
      return read(earlier, done);
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
