export class Echo {
  async echo<Value>(value: Value): Promise<Value> {
    return value;
  }

  hold(_ref: unknown): Promise<never> {
    return new Promise(() => undefined);
  }

  forever(): Promise<never> {
    return new Promise(() => undefined);
  }
}

export class History {
  sum(bytes: Uint8Array): number {
    return bytes.reduce((total, byte) => total + byte, 0);
  }
}
