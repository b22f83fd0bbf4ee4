import { Registry } from 'prom-client';

/** The library's registry, with metrics that are printed by their owners. */
export class MetricsRegistry extends Registry {
  readonly #printed: (() => string)[] = [];

  /** Adds a metric. `print` returns its lines in Prometheus text format. */
  add(print: () => string): void {
    this.#printed.push(print);
  }

  override async metrics(): Promise<string> {
    const texts = this.#printed.map((print) => `${print()}\n`);
    return [await super.metrics(), ...texts].join('\n');
  }
}
