/** Ends what was opened, in reverse order: the part of the standard's DisposableStack that Keyslot uses. */
export type DisposableStack = Disposable & { readonly defer: (onDispose: () => void) => void };

/** The same for what ends asynchronously; `move` hands it all over to another stack. */
export type AsyncDisposableStack = AsyncDisposable & {
  readonly defer: (onDispose: () => unknown) => void;
  readonly move: () => AsyncDisposableStack;
  readonly disposeAsync: () => Promise<void>;
};

/** The stack in Node 22, whose V8 has none. All that was deferred runs, whatever fails; then the failures are thrown. */
export class SyncStack implements DisposableStack {
  readonly #deferred: (() => void)[] = [];

  defer(onDispose: () => void): void {
    this.#deferred.push(onDispose);
  }

  [Symbol.dispose](): void {
    const failures: unknown[] = [];
    for (const onDispose of this.#deferred.splice(0).reverse())
      try {
        onDispose();
      } catch (error) {
        failures.push(error);
      }
    throwAll(failures);
  }
}

/** The same for what ends asynchronously. */
export class AsyncStack implements AsyncDisposableStack {
  #deferred: (() => unknown)[] = [];

  defer(onDispose: () => unknown): void {
    this.#deferred.push(onDispose);
  }

  move(): AsyncDisposableStack {
    const moved = new AsyncStack();
    moved.#deferred = this.#deferred.splice(0);
    return moved;
  }

  async disposeAsync(): Promise<void> {
    const failures: unknown[] = [];
    for (const onDispose of this.#deferred.splice(0).reverse())
      try {
        await onDispose();
      } catch (error) {
        failures.push(error);
      }
    throwAll(failures);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disposeAsync();
  }
}

function throwAll(failures: readonly unknown[]): void {
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
}

type Stacks = {
  readonly DisposableStack?: new () => DisposableStack;
  readonly AsyncDisposableStack?: new () => AsyncDisposableStack;
};
const own = globalThis as Stacks;

/** Node's own, or in Node 22 the one above. */
export const DisposableStack = own.DisposableStack ?? SyncStack;
export const AsyncDisposableStack = own.AsyncDisposableStack ?? AsyncStack;
